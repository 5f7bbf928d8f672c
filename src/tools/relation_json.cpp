#include "relation_json.h"

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kRelationSchema = R"({
      "type": "object",
      "properties": {
        "name": {"type": "string", "description": "Name in SQL; quote it with double quotes if it has other characters than letters, digits and _."},
        "source": {"type": "string", "description": "The path as it was given."},
        "columns": {
          "type": "array",
          "description": "In the relation's order.",
          "items": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "type": {"type": "string", "description": "SQL type as the engine prints it."}},
            "required": ["name", "type"],
            "additionalProperties": false
          }
        },
        "row_count": {"type": ["integer", "null"], "description": "Exact; null when it is not known."}
      },
      "required": ["name", "source", "columns", "row_count"],
      "additionalProperties": {}
    })";

}  // namespace

json::object relation_object(const workspace::Relation& relation) {
  json::array columns;
  for (const auto& column : relation.columns) columns.push_back({{"name", column.name}, {"type", column.type}});
  return {{"name", relation.name},
          {"source", relation.source},
          {"columns", std::move(columns)},
          {"row_count", relation.row_count ? json::value(*relation.row_count) : json::value(nullptr)}};
}

std::string with_relation_schema(std::string_view schema) {
  constexpr std::string_view kWord = "RELATION";
  std::string text(schema);
  return text.replace(text.find(kWord), kWord.size(), kRelationSchema);
}

}  // namespace adit::tools
