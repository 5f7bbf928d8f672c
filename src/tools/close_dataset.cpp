#include "adit/tools/sql_tools.h"

#include "adit/base/json_fields.h"
#include "sql_error.h"
#include "sql_schema.h"

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kDescription =
    "Closes a dataset: its relations and everything defined in it are gone and its disk space is freed; the files it "
    "was opened from are untouched. Close what you no longer need. Running calls on the dataset end first. Example: "
    "{\"dataset_id\": \"dataset-1\"}.";

constexpr std::string_view kInput = R"({
  "dataset_id": {"type": "string", "description": "The dataset to close, as open_dataset answered it.", "examples": ["dataset-1"]}
})";

constexpr std::string_view kOutput = R"({
  "dataset_id": {"type": "string", "description": "The dataset that was closed."},
  "closed": {"type": "boolean", "description": "Always true: a failure is an error."}
})";

Task<mcp::ToolResult> call(workspace::Workspaces& workspaces, RequestContext context, json::object arguments) {
  const auto id = text_or(arguments, "dataset_id", "");
  ADIT_CO_CHECK(co_await workspaces.close(context, id));
  co_return mcp::ToolResult{
      .structured = json::serialize(json::object{{"dataset_id", id}, {"closed", true}}), .text = "", .is_error = false};
}

}  // namespace

mcp::Tool close_dataset_tool(workspace::Workspaces& workspaces) {
  return {.name = "close_dataset",
          .title = "Close a dataset",
          .description = std::string(kDescription),
          .input_schema = input_schema(kInput, R"(["dataset_id"])"),
          .output_schema = output_schema(kOutput, R"(["dataset_id", "closed"])"),
          .annotations = {.read_only = false, .destructive = true, .idempotent = true, .open_world = false},
          .call = [&workspaces](RequestContext context,
                                json::object arguments) { return call(workspaces, context, std::move(arguments)); },
          .render_error = sql_error_result};
}

}  // namespace adit::tools
