#include "sql_error.h"

namespace adit::tools {
namespace json = boost::json;

json::object sql_error_object(const Error& error) {
  // Arguments that do not fit the schema are the protocol layer's finding; the family's word for it is this one.
  const bool arguments = error.reason == "invalid_arguments";
  json::object object{{"kind", arguments ? "invalid_argument" : error.reason},
                      {"stage", error.stage.empty() ? "input" : error.stage},
                      {"message", error.message}};
  if (error.statement_index) object["statement_index"] = *error.statement_index;
  if (error.position) object["position"] = *error.position;
  if (!error.nearest.empty()) object["nearest"] = json::value_from(error.nearest);
  if (!error.hint.empty()) object["hint"] = error.hint;
  object["retryable"] = error.retryable;
  return object;
}

mcp::ToolResult sql_error_result(const Error& error) {
  return {
      .structured = json::serialize(json::object{{"error", sql_error_object(error)}}), .text = "", .is_error = true};
}

}  // namespace adit::tools
