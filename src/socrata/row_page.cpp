#include "adit/socrata/row_page.h"

#include "adit/base/json_text.h"

namespace adit::socrata {

void RowPage::keep(std::size_t rows) {
  if (rows >= size()) return;
  bytes.resize(rows == 0 ? 0 : ends[rows - 1]);
  ends.resize(rows);
}

Result<RowPage> parse_rows(std::string_view body) {
  RowPage page;
  page.bytes.reserve(body.size());
  JsonArrayWalk walk(body);
  for (;;) {
    ADIT_TRY(const auto element, walk.next(page.bytes));
    if (!element) return page;
    if (!element->rejected.empty()) {
      page.rejected.push_back({.number = element->number, .why = element->rejected});
    } else if (element->kind != JsonKind::object) {
      return Error{.code = ErrorCode::parse_error,
                   .reason = "invalid_json",
                   .message = "an element of the array is no object",
                   .hint = ""};
    } else {
      page.ends.push_back(page.bytes.size());
    }
  }
}

}  // namespace adit::socrata
