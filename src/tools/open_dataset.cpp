#include "adit/tools/sql_tools.h"

#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"
#include "relation_json.h"
#include "sql_error.h"
#include "sql_schema.h"
#include "utc_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kDescription =
    "Opens files as a dataset that query can read with SQL, and answers its dataset_id with the relations (tables), "
    "their columns, types and row counts. Give every file that one SQL statement should join in a single call, or add "
    "further ones later with dataset_id. CSV, TSV, JSON and NDJSON are read once, now: lines that do not fit are left "
    "out "
    "and listed in issues, so look there before you trust a count; decimals are kept exactly (DECIMAL), numbers with "
    "leading zeros stay text. Parquet is read in place by each query and must not change meanwhile. All sources open "
    "or "
    "none does. Only files below the directories given at the server's start can be opened; the paths of an answer are "
    "as you wrote them. Not for reading a file's text, and not needed again for a dataset that is already open. "
    "Example: {\"sources\": [{\"path\": \"flights.parquet\"}, {\"path\": \"airports.csv\", \"name\": \"airports\"}]}.";

constexpr std::string_view kInput = R"({
  "sources": {
    "type": "array",
    "description": "The files to open; each becomes one relation.",
    "items": {
      "type": "object",
      "properties": {
        "path": {"type": "string", "minLength": 1, "description": "Path of a CSV, TSV, JSON, NDJSON or Parquet file, relative to one of the server's directories or absolute below one. All but Parquet may be gzip-compressed.", "examples": ["data/airports.csv"]},
        "name": {"type": "string", "minLength": 1, "maxLength": 63, "description": "Name of the relation in SQL; by default made from the file's name (flights-3m.parquet becomes flights_3m). A name that is taken gets _2, _3, …, told in issues."},
        "format": {"type": "string", "enum": ["csv", "tsv", "json", "ndjson", "parquet"], "description": "How to read the file, when neither its name nor its first bytes tell. csv stands for any separator."}
      },
      "required": ["path"],
      "additionalProperties": false
    },
    "minItems": 1,
    "maxItems": 100
  },
  "dataset_id": {"type": "string", "description": "Adds the sources to this open dataset. Leave it out to open a new one.", "examples": ["dataset-1"]}
})";

constexpr std::string_view kOutput = R"({
  "dataset_id": {"type": "string", "description": "Give this to query and close_dataset."},
  "relations": {
    "type": "array",
    "description": "What this call opened, in the order of its sources.",
    "items": RELATION
  },
  "prepare_ms": {"type": "number", "description": "Time that opening took, in milliseconds."},
  "issues": {
    "type": "array",
    "description": "What was found while reading; empty when nothing was. Rows that were left out are here.",
    "items": {
      "type": "object",
      "properties": {
        "severity": {"type": "string", "enum": ["info", "warning"]},
        "code": {"type": "string", "description": "rows_rejected (how many), row_rejected (one of them), relation_renamed, numbers_rounded, numbers_too_large, lines_skipped, dates_ambiguous, date_format, line_ends_mixed, keys_differ_by_case."},
        "source": {"type": "string", "description": "The path as it was given."},
        "line": {"type": "integer", "description": "Line of the source, the first being 1."},
        "message": {"type": "string"}
      },
      "required": ["severity", "code", "message"],
      "additionalProperties": false
    }
  },
  "expires": {"type": "string", "description": "When the dataset ends by itself; absent when it lives as long as the server's process."}
})";

std::vector<workspace::SourceRequest> read_sources(const json::array& sources) {
  std::vector<workspace::SourceRequest> requests;
  for (const auto& source : sources) {
    const auto& object = source.get_object();
    requests.push_back({.path = text_or(object, "path", ""),
                        .name = optional_text(object, "name"),
                        .format = optional_text(object, "format")});
  }
  return requests;
}

bool has_nul(const std::vector<workspace::SourceRequest>& sources) {
  return std::any_of(sources.begin(), sources.end(),
                     [](const auto& source) { return source.name && source.name->find('\0') != std::string::npos; });
}

json::object issue_object(const workspace::Issue& issue) {
  json::object object{{"severity", issue.severity}, {"code", issue.code}};
  if (issue.source) object["source"] = *issue.source;
  if (issue.line) object["line"] = *issue.line;
  object["message"] = issue.message;
  return object;
}

mcp::ToolResult render(const workspace::OpenedDataset& opened) {
  json::array relations, issues;
  for (const auto& relation : opened.relations) relations.push_back(relation_object(relation));
  for (const auto& issue : opened.issues) issues.push_back(issue_object(issue));
  // Put together by hand: Boost.JSON would print the time as 4.2E1.
  const auto expires = opened.expires ? fmt::format(R"(,"expires":"{}")", utc_text(*opened.expires)) : "";
  return {.structured = fmt::format(R"({{"dataset_id":{},"relations":{},"prepare_ms":{:.3f},"issues":{}{}}})",
                                    json_string(opened.id), json::serialize(relations), opened.prepare_ms,
                                    json::serialize(issues), expires),
          .text = "",
          .is_error = false};
}

Task<mcp::ToolResult> call(workspace::Workspaces& workspaces, RequestContext context, json::object arguments) {
  auto sources = read_sources(arguments.at("sources").get_array());
  // The engine's names end where a NUL stands.
  if (has_nul(sources)) {
    co_return Error{.code = ErrorCode::validation,
                    .reason = "invalid_argument",
                    .message = "name has a NUL character, which no name of a relation may have",
                    .hint = "Give it another name, or none.",
                    .stage = "input"};
  }
  auto id = optional_text(arguments, "dataset_id");
  ADIT_CO_TRY(auto opened, co_await workspaces.open(std::move(context), std::move(sources), std::move(id)));
  co_return render(opened);
}

}  // namespace

mcp::Tool open_dataset_tool(workspace::Workspaces& workspaces) {
  return {.name = "open_dataset",
          .title = "Open files for SQL",
          .description = std::string(kDescription),
          .input_schema = input_schema(kInput, R"(["sources"])"),
          .output_schema =
              output_schema(with_relation_schema(kOutput), R"(["dataset_id", "relations", "prepare_ms", "issues"])"),
          .annotations = {.read_only = false, .destructive = false, .idempotent = false, .open_world = false},
          .call = [&workspaces](RequestContext context,
                                json::object arguments) { return call(workspaces, context, std::move(arguments)); },
          .render_error = sql_error_result};
}

}  // namespace adit::tools
