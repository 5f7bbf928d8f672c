#include "adit/tools/sql_tools.h"

#include "sql_error.h"
#include "sql_schema.h"
#include "utc_text.h"

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kDescription =
    "Lists the datasets that you have opened and not closed, oldest first, with the files each was opened from. Use it "
    "to "
    "find a dataset_id again; describe_dataset tells what one holds. Files that were never opened are not listed.";

constexpr std::string_view kOutput = R"({
  "datasets": {
    "type": "array",
    "description": "Empty when none is open.",
    "items": {
      "type": "object",
      "properties": {
        "dataset_id": {"type": "string", "description": "Give this to query, describe_dataset and close_dataset."},
        "sources": {"type": "array", "items": {"type": "string"}, "description": "The paths as they were given."},
        "opened": {"type": "string", "description": "When, in UTC."},
        "last_used": {"type": "string", "description": "When, in UTC."}
      },
      "required": ["dataset_id", "sources", "opened", "last_used"],
      "additionalProperties": false
    }
  },
  "notice": {"type": "string", "description": "Why nothing can be listed here."}
})";

Task<mcp::ToolResult> call(workspace::Workspaces& workspaces, RequestContext context) {
  json::array datasets;
  for (const auto& dataset : workspaces.list(context.owner())) {
    datasets.push_back({{"dataset_id", dataset.id},
                        {"sources", json::value_from(dataset.sources)},
                        {"opened", utc_text(dataset.opened)},
                        {"last_used", utc_text(dataset.last_used)}});
  }
  json::object answer{{"datasets", std::move(datasets)}};
  if (context.owner() == RequestContext::kAnyone) {
    answer["notice"] =
        "Callers without a token cannot be told apart here, so nobody's datasets are listed; keep the "
        "dataset_id that open_dataset answered.";
  }
  co_return mcp::ToolResult{.structured = json::serialize(answer), .text = "", .is_error = false};
}

}  // namespace

mcp::Tool list_datasets_tool(workspace::Workspaces& workspaces) {
  return {.name = "list_datasets",
          .title = "List open datasets",
          .description = std::string(kDescription),
          .input_schema = input_schema("{}", "[]"),
          .output_schema = output_schema(kOutput, R"(["datasets"])"),
          .annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = false},
          .call = [&workspaces](RequestContext context, json::object) { return call(workspaces, context); },
          .render_error = sql_error_result};
}

}  // namespace adit::tools
