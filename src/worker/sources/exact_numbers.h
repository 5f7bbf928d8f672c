// Values as they stand in the file: a column whose every text is a plain decimal becomes BIGINT, HUGEINT or DECIMAL,
// and DOUBLE only where exponents, NaN or more digits leave no other type (design 4). Dates whose day and month could
// be taken for each other stay text.
#pragma once

#include "adit/base/result.h"
#include "engine.h"
#include "sources/sources.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace adit::worker {

// Such columns are read as texts into a staging table first; the others as they are.
bool is_read_as_text(const ReaderColumn& column);
std::string staging_type(const ReaderColumn& column);

// What became of a column that its reader should know.
struct TypingNote {
  enum class What {
    rounded,    // DOUBLE, and `values` of its numbers have more digits
    too_large,  // text, since `values` of its numbers are infinite as DOUBLE
    ambiguous,  // text: both `format` and `other` read every date, as different days
    ordered,    // a date or time by `format`, which some of its texts decide
  };
  What what = What::rounded;
  std::string column;
  std::int64_t values = 0;
  std::string format, other;
};

// Makes `name` from the staging table: each column gets the first type that holds every value exactly, a column with
// zero-padded numbers stays text. `trusted_digits`: how many digits the texts give exactly (a JSON reader that has been
// through DOUBLE gives 15). The staging table is gone afterwards.
Result<void> type_columns(Engine& engine, const std::string& staging, const std::string& name,
                          const std::vector<ReaderColumn>& columns, std::size_t trusted_digits,
                          std::vector<TypingNote>& notes);

}  // namespace adit::worker
