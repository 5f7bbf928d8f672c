// Validation against the part of JSON Schema 2020-12 that our tools' schemas use: type, enum, const, properties,
// required, additionalProperties (boolean or schema), items, minItems, maxItems, minLength, maxLength, pattern,
// minimum, maximum, anyOf; a subschema may be true or false. Annotations (title, description, default, examples,
// $schema, format) do not constrain; any other keyword is a defect of the schema and told by unsupported_keyword.
#pragma once

#include "adit/base/result.h"

#include <boost/json.hpp>

#include <optional>
#include <string>

namespace adit::mcp {

// The first thing that does not fit: code invalid_params, reason "invalid_arguments", a message that names the field,
// its value (shortened) and the rule, a hint, and the nearest known name for an unknown field.
Result<void> validate(const boost::json::value& instance, const boost::json::object& schema);

// The path of the first keyword in `schema` that validate() does not know, or of a subschema that is none.
std::optional<std::string> unsupported_keyword(const boost::json::object& schema);

}  // namespace adit::mcp
