// Numbers as they stand in the file: a column whose every text is a plain decimal becomes BIGINT, HUGEINT or DECIMAL,
// and DOUBLE only where exponents, NaN or more digits leave no other type (design 4).
#pragma once

#include "adit/base/result.h"
#include "engine.h"
#include "sources/sources.h"

#include <cstddef>
#include <string>
#include <vector>

namespace adit::worker {

// Numeric columns are read as texts into a staging table first; the others as they are.
bool is_read_as_text(const ReaderColumn& column);
std::string staging_type(const ReaderColumn& column);

// Makes `name` from the staging table: numeric columns get the first type that holds every value exactly, a column with
// zero-padded numbers stays text. `trusted_digits`: how many digits the texts give exactly (a JSON reader that has been
// through DOUBLE gives 15). `rounded` gets the columns
// whose plain decimals fit no exact type. The staging table is gone afterwards.
Result<void> type_numbers(Engine& engine, const std::string& staging, const std::string& name,
                          const std::vector<ReaderColumn>& columns, std::size_t trusted_digits,
                          std::vector<std::string>& rounded);

}  // namespace adit::worker
