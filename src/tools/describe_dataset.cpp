#include "adit/tools/sql_tools.h"

#include "adit/base/json_fields.h"
#include "relation_json.h"
#include "sql_error.h"
#include "sql_schema.h"

#include <fmt/format.h>

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kDescription =
    "Tells what an open dataset holds now: its relations with columns, types and row counts, the views and temporary "
    "tables defined in it with their SQL, one query to begin with, and how its engine is confined. Use it when you do "
    "not have open_dataset's answer at hand, or to see definitions; for the values of a column use query (SUMMARIZE "
    "relation). Example: {\"dataset_id\": \"dataset-1\"}.";

constexpr std::string_view kInput = R"({
  "dataset_id": {"type": "string", "description": "An open dataset, as open_dataset answered it.", "examples": ["dataset-1"]}
})";

constexpr std::string_view kOutput = R"({
  "dataset_id": {"type": "string", "description": "The dataset that is described."},
  "relations": {
    "type": "array",
    "description": "Its sources, by name.",
    "items": RELATION
  },
  "definitions": {
    "type": "array",
    "description": "What CREATE VIEW, CREATE TEMP TABLE and named_temp_queries defined, by name.",
    "items": {
      "type": "object",
      "properties": {
        "name": {"type": "string"},
        "kind": {"type": "string", "description": "create_view, create_temp_view or create_temp_table: how it was made; all are lazy."},
        "sql": {"type": "string", "description": "The query behind the name."}
      },
      "required": ["name", "kind", "sql"],
      "additionalProperties": false
    }
  },
  "example_query": {"type": "string", "description": "A statement for query that shows the first rows of a relation."},
  "sandbox": {
    "type": "object",
    "description": "How the process that runs the SQL is confined.",
    "properties": {
      "complete": {"type": "boolean", "description": "True when it is kept from all files but the dataset's and from the network."},
      "missing": {"type": "array", "items": {"type": "string"}, "description": "What this machine's kernel could not give."}
    },
    "required": ["complete", "missing"],
    "additionalProperties": false
  }
})";

std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  return text + '"';
}

mcp::ToolResult render(const std::string& id, const workspace::DescribedDataset& dataset) {
  json::array relations, definitions;
  for (const auto& relation : dataset.relations) relations.push_back(relation_object(relation));
  for (const auto& definition : dataset.definitions) {
    definitions.push_back({{"name", definition.name}, {"kind", definition.kind}, {"sql", definition.sql}});
  }
  json::object sandbox{{"complete", dataset.sandbox_missing.empty()},
                       {"missing", json::value_from(dataset.sandbox_missing)}};
  const auto example = dataset.relations.empty()
                           ? std::string("SHOW TABLES")
                           : fmt::format("SELECT * FROM {} LIMIT 10", quoted(dataset.relations.front().name));
  return {.structured = json::serialize(json::object{{"dataset_id", id},
                                                     {"relations", std::move(relations)},
                                                     {"definitions", std::move(definitions)},
                                                     {"example_query", example},
                                                     {"sandbox", std::move(sandbox)}}),
          .text = "",
          .is_error = false};
}

Task<mcp::ToolResult> call(workspace::Workspaces& workspaces, RequestContext context, json::object arguments) {
  const auto id = text_or(arguments, "dataset_id", "");
  ADIT_CO_TRY(auto dataset, co_await workspaces.describe(context, id));
  co_return render(id, dataset);
}

}  // namespace

mcp::Tool describe_dataset_tool(workspace::Workspaces& workspaces) {
  return {.name = "describe_dataset",
          .title = "Describe a dataset",
          .description = std::string(kDescription),
          .input_schema = input_schema(kInput, R"(["dataset_id"])"),
          .output_schema = output_schema(with_relation_schema(kOutput),
                                         R"(["dataset_id", "relations", "definitions", "example_query", "sandbox"])"),
          .annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = false},
          .call = [&workspaces](RequestContext context,
                                json::object arguments) { return call(workspaces, context, std::move(arguments)); },
          .render_error = sql_error_result};
}

}  // namespace adit::tools
