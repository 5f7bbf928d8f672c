#include "tool_schema.h"

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kSchemaDialect = "https://json-schema.org/draft/2020-12/schema";

json::value parsed(std::string_view text) { return json::parse({text.data(), text.size()}); }

json::object closed_object(std::string_view properties) {
  return {{"type", "object"},
          {"properties", parsed(properties)},
          {"$schema", kSchemaDialect},
          {"additionalProperties", false}};
}

}  // namespace

json::object input_schema(std::string_view properties, std::string_view required) {
  auto schema = closed_object(properties);
  auto names = parsed(required);
  if (!names.get_array().empty()) schema["required"] = std::move(names);
  return schema;
}

json::object output_schema(std::string_view properties, std::string_view required, std::string_view error) {
  auto schema = closed_object(properties);
  schema["properties"].get_object()["error"] = parsed(error);
  json::object success{{"not", json::object{{"required", json::array{"error"}}}}, {"required", parsed(required)}};
  json::object failure{{"required", json::array{"error"}}};
  schema["anyOf"] = json::array{std::move(success), std::move(failure)};
  return schema;
}

}  // namespace adit::tools
