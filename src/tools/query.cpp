#include "adit/tools/sql_tools.h"

#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"
#include "sql_error.h"
#include "sql_schema.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::int64_t kDefaultLimit = 200;
constexpr std::int64_t kLastRow = 100'000;  // offset + limit reaches no further
constexpr std::size_t kSmallestBudget = 4'096;
constexpr std::size_t kShellBytes = 300;  // the answer around its statements and diagnostics, beside the id

constexpr std::string_view kDescription =
    "Runs SQL (DuckDB's dialect) over the relations of an open dataset and answers exact, typed rows. sql is a "
    "list run in order, one statement per entry: SELECT, VALUES, TABLE, FROM-first, WITH … SELECT, DESCRIBE "
    "relation, SHOW TABLES, SUMMARIZE relation, EXPLAIN. The sources cannot be changed, and SQL reads no files: "
    "open further files with open_dataset. Not needed to learn the columns, which open_dataset and "
    "describe_dataset tell. CREATE VIEW, CREATE TEMP VIEW and CREATE TEMP TABLE … AS SELECT, like "
    "named_temp_queries, name a query for this dataset alone: they are lazy (nothing is read or stored until a "
    "statement uses the name, a temporary table included), CREATE replaces an earlier definition once the new "
    "one is valid, IF NOT EXISTS keeps it, and they live through later calls until DROP VIEW or DROP TABLE, "
    "redefinition or close_dataset. No tool keeps anything on disk beyond that. Every cell is {type, value}: "
    "whole numbers come as exact decimal text (int64, uint64; int128 and uint128 beyond), float64 as a JSON "
    "number or \"NaN\", \"Infinity\", \"-Infinity\", decimal as exact text, utf8 as text, binary as lower-case "
    "hexadecimal, boolean as true or false, dates and times as ISO text, interval as ISO 8601 duration, lists, "
    "structs and maps as json text, null as null. No value is ever shortened. A result without rows is a "
    "success. total_rows is the exact number of rows of the statement, its own LIMIT applied and limit not, "
    "however few are shown. limit and offset page every statement of the call; a page may be shorter than limit "
    "because the answer's bytes are limited (max_bytes lowers them), so go on at the statement's own "
    "next_offset, one statement per call when they differ. Paging runs the SQL again with the definitions of "
    "that moment: give it an ORDER BY that ends in a unique column, and keep the SQL the same, since another "
    "text is another result. These limit the answer and not the work: prefer WHERE, GROUP BY and LIMIT, and "
    "beyond offset 100000 a predicate on the sort key. If not even one row fits, the error is output_too_large: "
    "select fewer columns, or read long texts in pieces with substr(). A failed call has isError and error "
    "{kind, stage, message, statement_index from 0 where one statement failed, hint}; the results of the "
    "statements before it are there, those behind it did not run. Example: {\"dataset_id\": \"dataset-1\", "
    "\"sql\": [\"SELECT origin, count(*) AS n FROM flights GROUP BY origin ORDER BY n DESC, origin LIMIT 10\"]}.";

constexpr std::string_view kInput = R"({
  "dataset_id": {"type": "string", "description": "An open dataset, as open_dataset answered it.", "examples": ["dataset-1"]},
  "sql": {
    "type": "array",
    "description": "SQL statements, run in this order. One statement per entry; a trailing semicolon and comments are fine.",
    "items": {"type": "string", "minLength": 1},
    "minItems": 1,
    "maxItems": 100,
    "examples": [["SELECT count(*) FROM flights"]]
  },
  "named_temp_queries": {
    "type": "array",
    "description": "Queries to define by name before sql runs, in this order; later ones may use earlier ones, and sql uses all. As CREATE TEMP VIEW: nothing is read until a statement uses the name, and it stays defined in later calls. If one fails, nothing of sql runs. At most 64.",
    "items": {
      "type": "object",
      "properties": {"name": {"type": "string", "description": "The name that statements use."}, "sql": {"type": "string", "description": "A SELECT; VALUES, TABLE, FROM-first and WITH count as one."}},
      "required": ["name", "sql"],
      "additionalProperties": false
    },
    "examples": [[{"name": "late", "sql": "SELECT * FROM flights WHERE delay > 60"}]]
  },
  "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 200, "description": "Rows to return per statement, at most. offset + limit may not exceed 100000."},
  "offset": {"type": "integer", "minimum": 0, "maximum": 99999, "default": 0, "description": "Rows to skip in each statement's result; take it from next_offset."},
  "max_bytes": {"type": "integer", "minimum": 4096, "description": "Lowers the number of bytes that the answer may have. A larger number than the server's own limit has no effect."},
  "timing": {"type": "boolean", "default": false, "description": "Adds timing to the answer and execute_ms to each statement, in milliseconds."}
})";

constexpr std::string_view kOutput = R"({
  "dataset_id": {"type": "string", "description": "The dataset that was queried."},
  "statements": {
    "type": "array",
    "description": "One result for each statement that ran, in order; on an error, those before the failed one.",
    "items": {
      "type": "object",
      "properties": {
        "statement_index": {"type": "integer", "minimum": 0, "description": "Zero-based entry of sql."},
        "sql": {"type": "string", "description": "The statement as it was sent, at most its first 1000 bytes."},
        "sql_truncated": {"type": "boolean", "description": "Present and true when sql is cut here; the whole text ran."},
        "kind": {"type": "string", "description": "select, describe, show, summarize, explain, create_view, create_temp_view, create_temp_table or drop; the last four have no columns and no rows."},
        "columns": {
          "type": "array",
          "description": "In the order of each row's cells; names may repeat.",
          "items": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "type": {"type": "string", "description": "SQL type as the engine prints it, such as DECIMAL(18,3)."}},
            "required": ["name", "type"],
            "additionalProperties": false
          }
        },
        "rows": {
          "type": "array",
          "items": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {"type": {"type": "string", "description": "null, int64, uint64, int128, uint128, float64, decimal, utf8, binary, boolean, date, time, timestamp, timestamptz, interval, uuid or json."}, "value": {"description": "The exact value in the form of its type; never shortened."}},
              "required": ["type", "value"],
              "additionalProperties": false
            }
          }
        },
        "offset": {"type": "integer", "minimum": 0, "description": "Rows skipped before the first one here."},
        "next_offset": {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "Where to go on; null when no row remains."},
        "total_rows": {"type": "integer", "minimum": 0, "description": "Exact number of rows of the statement, those not shown included."},
        "truncated": {"type": "boolean", "description": "True when rows remain behind these."},
        "execute_ms": {"type": "number", "description": "With timing: milliseconds that the statement took."}
      },
      "required": ["statement_index", "sql", "kind", "columns", "rows", "offset", "next_offset", "total_rows", "truncated"],
      "additionalProperties": false
    }
  },
  "diagnostics": {
    "type": "array",
    "description": "Facts about the results that are no failures: a page cut by bytes, bytes that are not UTF-8.",
    "items": {
      "type": "object",
      "properties": {
        "severity": {"type": "string", "enum": ["info", "warning"]},
        "code": {"type": "string"},
        "message": {"type": "string"},
        "statement_index": {"type": "integer", "minimum": 0}
      },
      "required": ["severity", "code", "message"],
      "additionalProperties": false
    }
  },
  "timing": {
    "type": "object",
    "description": "With timing: of the whole call, in milliseconds.",
    "properties": {"total_ms": {"type": "number"}, "queue_ms": {"type": "number", "description": "Waiting for earlier calls on the same dataset."}},
    "required": ["total_ms"],
    "additionalProperties": {}
  }
})";

// offset + limit <= 100,000, with the default filled in: what the schema's bounds cannot say.
Result<void> check_window(std::int64_t offset, std::int64_t limit) {
  if (offset + limit <= kLastRow) return {};
  return Error{
      .code = ErrorCode::invalid_params,
      .reason = "invalid_argument",
      .message =
          fmt::format("offset {} + limit {} is {}; at most {} is allowed", offset, limit, offset + limit, kLastRow),
      .hint = fmt::format("At this offset limit may be {} at most. Further rows: filter by the last sort key seen.",
                          kLastRow - offset),
      .stage = "input"};
}

// What the worker may fill: the budget without the shell around it.
std::size_t budget_for(const json::object& arguments, AnswerBudget server, std::size_t id_bytes) {
  std::size_t bytes = server.bytes;
  if (const auto wanted = static_cast<std::size_t>(integer_or(arguments, "max_bytes", 0)); wanted != 0) {
    bytes = bytes == 0 ? wanted : std::min(bytes, wanted);
  }
  if (bytes == 0) return 0;
  return std::max(bytes, kSmallestBudget) - kShellBytes - std::min(id_bytes, kSmallestBudget / 4);
}

constexpr std::size_t kMostDefinitions = 64;

Result<std::vector<workspace::NamedQuery>> read_definitions(const json::object& arguments) {
  std::vector<workspace::NamedQuery> definitions;
  const auto* field = find_field(arguments, "named_temp_queries");
  if (field == nullptr) return definitions;
  for (const auto& entry : field->get_array()) {
    definitions.push_back(
        {.name = text_or(entry.get_object(), "name", ""), .sql = text_or(entry.get_object(), "sql", "")});
    const auto& name = definitions.back().name;
    if (name.empty() || name.find('\0') != std::string::npos) {
      return Error{.code = ErrorCode::invalid_params,
                   .reason = "invalid_argument",
                   .message = fmt::format("named_temp_queries[{}].name {}", definitions.size() - 1,
                                          name.empty() ? "is empty" : "has a NUL character"),
                   .hint = "Give the query a name that statements can use.",
                   .stage = "input"};
    }
  }
  if (definitions.size() <= kMostDefinitions) return definitions;
  return Error{
      .code = ErrorCode::invalid_params,
      .reason = "invalid_argument",
      .message = fmt::format("named_temp_queries has {} entries; {} are allowed", definitions.size(), kMostDefinitions),
      .hint = "Definitions stay: make the first ones in a call of their own.",
      .stage = "input"};
}

json::object diagnostic_object(const workspace::Diagnostic& diagnostic) {
  json::object object{{"severity", diagnostic.severity}, {"code", diagnostic.code}, {"message", diagnostic.message}};
  if (diagnostic.statement_index) object["statement_index"] = *diagnostic.statement_index;
  return object;
}

mcp::ToolResult render(const std::string& id, const workspace::QueryOutcome& outcome, bool timing) {
  std::string text = R"({"dataset_id":)";
  append_json_string(text, id);
  text += R"(,"statements":[)";
  for (std::size_t i = 0; i < outcome.statements.size(); ++i) {
    if (i > 0) text += ',';
    text += outcome.statements[i];
  }
  json::array diagnostics;
  for (const auto& diagnostic : outcome.diagnostics) diagnostics.push_back(diagnostic_object(diagnostic));
  text.append(R"(],"diagnostics":)").append(json::serialize(diagnostics));
  if (timing) {
    text += fmt::format(R"(,"timing":{{"total_ms":{:.3f},"queue_ms":{:.3f}}})", outcome.total_ms, outcome.queue_ms);
  }
  if (outcome.failure) text.append(R"(,"error":)").append(json::serialize(sql_error_object(*outcome.failure)));
  text += '}';
  return {.structured = std::move(text), .text = "", .is_error = outcome.failure.has_value()};
}

Task<mcp::ToolResult> call(workspace::Workspaces& workspaces, AnswerBudget budget, RequestContext context,
                           json::object arguments) {
  workspace::QueryRequest request;
  request.workspace_id = text_or(arguments, "dataset_id", "");
  request.limit = integer_or(arguments, "limit", kDefaultLimit);
  request.offset = integer_or(arguments, "offset", 0);
  request.timing = boolean_or(arguments, "timing", false);
  request.budget_bytes = budget_for(arguments, budget, request.workspace_id.size());
  ADIT_CO_CHECK(check_window(request.offset, request.limit));
  for (const auto& sql : arguments.at("sql").get_array()) request.sql.emplace_back(sql.get_string());
  ADIT_CO_TRY(request.definitions, read_definitions(arguments));

  const auto id = request.workspace_id;
  const bool timing = request.timing;
  ADIT_CO_TRY(auto outcome, co_await workspaces.query(context, std::move(request)));
  if (const auto wanted = integer_or(arguments, "max_bytes", 0);
      budget.bytes != 0 && wanted > static_cast<std::int64_t>(budget.bytes)) {
    outcome.diagnostics.push_back(
        {.severity = "info",
         .code = "max_bytes_lowered",
         .message = fmt::format("The server's limit of {} bytes holds, not max_bytes", budget.bytes),
         .statement_index = {}});
  }
  co_return render(id, outcome, timing);
}

}  // namespace

mcp::Tool query_tool(workspace::Workspaces& workspaces, AnswerBudget budget) {
  return {.name = "query",
          .title = "Query a dataset with SQL",
          .description = std::string(kDescription),
          .input_schema = input_schema(kInput, R"(["dataset_id", "sql"])"),
          .output_schema = output_schema(kOutput, R"(["dataset_id", "statements", "diagnostics"])"),
          // Definitions live in the session; nothing of the user's changes.
          .annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = false},
          .call = [&workspaces, budget](
                      RequestContext context,
                      json::object arguments) { return call(workspaces, budget, context, std::move(arguments)); },
          .render_error = sql_error_result};
}

}  // namespace adit::tools
