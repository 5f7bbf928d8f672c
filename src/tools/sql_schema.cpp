#include "sql_schema.h"

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kErrorSchema = R"({
  "type": "object",
  "description": "Present exactly when the call failed.",
  "properties": {
    "kind": {
      "type": "string",
      "description": "What went wrong: invalid_argument, unknown_dataset, parse_error, unsupported_statement, not_allowed, unknown_relation, unknown_column, unknown_function, type_error, definition_cycle, runtime_error, timeout, cancelled, memory_limit, disk_limit, output_too_large, limit_reached, source_changed or internal_error."
    },
    "stage": {
      "type": "string",
      "description": "Where: input (the arguments), dataset (opening or finding it), policy (a statement that is not permitted), parse, bind (names and types), execute or render (the answer's size)."
    },
    "message": {"type": "string", "description": "What happened."},
    "statement_index": {"type": "integer", "minimum": 0, "description": "Zero-based entry of sql that failed; absent when none is at fault."},
    "hint": {"type": "string", "description": "What to do next."},
    "retryable": {"type": "boolean", "description": "True when the same call may succeed later."},
    "position": {"type": "integer", "minimum": 0, "description": "Byte offset in the statement's text."},
    "nearest": {"type": "array", "items": {"type": "string"}, "description": "Existing names close to the one not found."}
  },
  "required": ["kind", "stage", "message"],
  "additionalProperties": {}
})";

}  // namespace

json::object output_schema(std::string_view properties, std::string_view required) {
  return output_schema(properties, required, kErrorSchema);
}

}  // namespace adit::tools
