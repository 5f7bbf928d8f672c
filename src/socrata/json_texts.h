// Lists of texts in what portals and the catalog answer.
#pragma once

#include "adit/base/json_fields.h"

#include <string>
#include <string_view>
#include <vector>

namespace adit::socrata {

// The texts of the array `name`; what is no text is left out, and what is no array has none.
inline std::vector<std::string> texts_of(const boost::json::object& object, std::string_view name) {
  std::vector<std::string> texts;
  const auto* value = find_field(object, name);
  if (value == nullptr || !value->is_array()) return texts;
  for (const auto& item : value->get_array()) {
    if (item.is_string()) texts.emplace_back(item.get_string());
  }
  return texts;
}

}  // namespace adit::socrata
