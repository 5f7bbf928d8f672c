// The form that every tool's schemas have: 2020-12, a closed object, and for answers either success or `error`.
#pragma once

#include <boost/json.hpp>

#include <string_view>

namespace adit::tools {

// Texts are JSON: an object of properties, an array of names.
boost::json::object input_schema(std::string_view properties, std::string_view required);
boost::json::object output_schema(std::string_view properties, std::string_view required, std::string_view error);

}  // namespace adit::tools
