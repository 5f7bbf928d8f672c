// The identifier of a dataset on a Socrata portal ("4x4"): kzjm-xkqj. The same id may exist on another portal.
#pragma once

#include "adit/base/result.h"

#include <compare>
#include <string>
#include <string_view>
#include <utility>

namespace adit::socrata {

class DatasetId {
 public:
  // Four lower-case letters or digits, a dash, four more; nothing else is taken for an id. If the text holds one (in
  // upper case, or in an address), the error names it in `nearest`.
  // Error: validation, "invalid_id".
  static Result<DatasetId> parse(std::string_view text);

  const std::string& text() const { return text_; }

  friend bool operator==(const DatasetId&, const DatasetId&) = default;
  friend auto operator<=>(const DatasetId&, const DatasetId&) = default;

 private:
  explicit DatasetId(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace adit::socrata
