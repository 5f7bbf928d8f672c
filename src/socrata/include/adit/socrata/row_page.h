// A page of rows as SODA sends it: a JSON array of objects. The bytes of each row pass through, walked once.
#pragma once

#include "adit/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace adit::socrata {

struct RejectedRow {
  std::size_t number = 0;  // from 0, in the page
  std::string why;
};

struct RowPage {
  std::string bytes;                 // the rows, one JSON object after the other, nothing between
  std::vector<std::size_t> ends;     // where each one ends in `bytes`
  std::vector<std::size_t> numbers;  // where each one stood in the portal's page, from 0
  std::vector<RejectedRow> rejected;
  std::size_t received = 0;  // by the portal: rows and rejected ones

  std::size_t size() const { return ends.size(); }
  std::string_view row(std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(bytes).substr(begin, ends[i] - begin);
  }
  void keep(std::size_t first);  // drops what the portal sent behind its first so many
};

// Error: "invalid_json": the text is no array of objects, or ends before it does.
Result<RowPage> parse_rows(std::string_view body);

}  // namespace adit::socrata
