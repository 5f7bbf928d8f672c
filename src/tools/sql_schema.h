// What the schemas of the SQL tools share: the error object with the contract's words, and the closed shell of
// input and output schemas.
#pragma once

#include <boost/json.hpp>

#include <string_view>

namespace adit::tools {

constexpr std::string_view kSchemaDialect = "https://json-schema.org/draft/2020-12/schema";

// `properties` is a JSON object's text, `required` an array's.
boost::json::object input_schema(std::string_view properties, std::string_view required);

// Adds the `error` property and the two branches: success with the required fields, or an error.
boost::json::object output_schema(std::string_view properties, std::string_view required);

}  // namespace adit::tools
