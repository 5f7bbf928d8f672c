#include "adit/socrata/row_page.h"

#include "adit/base/json_text.h"

#include <algorithm>

namespace adit::socrata {

void RowPage::keep(std::size_t first) {
  if (first >= received) return;
  const auto rows = static_cast<std::size_t>(std::lower_bound(numbers.begin(), numbers.end(), first) - numbers.begin());
  bytes.resize(rows == 0 ? 0 : ends[rows - 1]);
  ends.resize(rows);
  numbers.resize(rows);
  std::erase_if(rejected, [first](const RejectedRow& row) { return row.number >= first; });
  received = first;
}

Result<RowPage> parse_rows(std::string_view body) {
  RowPage page;
  page.bytes.reserve(body.size());
  JsonArrayWalk walk(body);
  for (;;) {
    ADIT_TRY(const auto element, walk.next(page.bytes));
    if (!element) return page;
    ++page.received;
    if (!element->rejected.empty()) {
      page.rejected.push_back({.number = element->number, .why = element->rejected});
    } else if (element->kind != JsonKind::object) {
      return Error{.code = ErrorCode::parse_error,
                   .reason = "invalid_json",
                   .message = "an element of the array is no object",
                   .hint = ""};
    } else {
      page.ends.push_back(page.bytes.size());
      page.numbers.push_back(element->number);
    }
  }
}

}  // namespace adit::socrata
