// What the schemas of the SQL tools share: the error object with the contract's words.
#pragma once

#include "tool_schema.h"

namespace adit::tools {

// With the SQL tools' `error`.
boost::json::object output_schema(std::string_view properties, std::string_view required);

}  // namespace adit::tools
