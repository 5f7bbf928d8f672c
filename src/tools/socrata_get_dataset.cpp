#include "adit/tools/socrata_tools.h"
#include "asset_json.h"
#include "socrata_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kDescription =
    "Describes one dataset of a Socrata portal: columns with field names, types and descriptions, row count, licence, "
    "when "
    "its data changed last. Call it before socrata_query_dataset: the type of a column decides how a value is written "
    "in "
    "where. Number columns take bare values (year=2023), Text columns values in single quotes (year='2023'). An id "
    "belongs "
    "to one portal: give the domain of the same socrata_find_datasets result. Not for rows, and not for searching. "
    "Example: {\"domain\": \"data.seattle.gov\", \"dataset_id\": \"kzjm-xkqj\"}.";

constexpr std::string_view kInput = R"({
  "domain": {"type": "string", "description": "Host of the portal that has the dataset (data.cityofnewyork.us); of a URL the host is taken. Give the domain of the search result that the id is from: without it SOCRATA_DEFAULT_DOMAIN is asked, or data.seattle.gov, which is the wrong one for another portal's id."},
  "dataset_id": {"type": "string", "description": "Id of the dataset, four characters, a dash and four more (kzjm-xkqj), as socrata_find_datasets gave it together with domain."}
})";

constexpr std::string_view kOutput = R"({
  "dataset_id": {"type": "string", "description": "The id, four and four characters."},
  "domain": {"type": "string", "description": "Host of the portal."},
  "name": {"type": "string", "description": "Name of the dataset."},
  "description": {"type": "string", "description": "What its publisher says of it, when he does."},
  "category": {"type": "string", "description": "The portal's category, when it has one."},
  "tags": {"type": "array", "items": {"type": "string"}, "description": "The portal's tags."},
  "row_count": {"type": "number", "description": "About how many rows it has: as the portal counted them some time ago, when it tells; row_count_source says from where."},
  "row_count_source": {"type": "string", "enum": ["top_level_cached_contents", "column_cached_contents"], "description": "top_level_cached_contents: the portal's count of the dataset; column_cached_contents: the largest of its counts of single columns. There exactly when row_count is."},
  "data_updated_at": {"type": "string", "description": "When the rows changed last, ISO 8601, when it is told."},
  "license": {"type": "string", "description": "Name of the licence, when it is told."},
  "columns": {
    "type": "array",
    "description": "The columns; computed regions (:@computed_region_…) are left out. Empty: the asset is no table and cannot be queried.",
    "items": {
      "type": "object",
      "properties": {
        "field_name": {"type": "string", "description": "API field name, as SoQL takes it."},
        "data_type": {"type": "string", "description": "Type in the catalog's words (Number, Text, Calendar date, …). Values of Number stand bare in where, those of Text in single quotes."},
        "description": {"type": "string", "description": "What the publisher says of the column, when he does."},
        "non_null_count": {"type": "number", "description": "Rows that have a value here, when it is told."}
      },
      "required": ["field_name", "data_type"],
      "additionalProperties": false
    }
  }
})";

// In a table's cell a bar would begin the next one.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : one_line(text)) {
    if (c == '|' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string text_of(const socrata::Asset& asset, const std::string& domain, bool mapped) {
  auto text = fmt::format("\"{}\"\n{} on {}\n", one_line(asset.name), asset.id, domain);
  if (mapped) text += "answered by a host of this server's configuration\n";
  if (!asset.category.empty()) text += fmt::format("category: {}\n", one_line(asset.category));
  if (!asset.tags.empty()) text += fmt::format("tags: {}\n", one_line(fmt::format("{}", fmt::join(asset.tags, ", "))));
  if (asset.row_count) {
    text += fmt::format("rows: {} ({})\n", *asset.row_count,
                        asset.row_count_source == socrata::RowCountSource::top_level_cached_contents
                            ? "as the portal counted them some time ago"
                            : "the largest count of a column, some time ago");
  }
  if (!asset.data_updated_at.empty()) text += fmt::format("data updated: {}\n", asset.data_updated_at);
  if (!asset.license.empty()) text += fmt::format("licence: {}\n", one_line(asset.license));
  if (!asset.description.empty()) text += "description, as its publisher wrote it:\n" + quoted_block(asset.description);
  if (asset.columns.empty()) {
    text += fmt::format("\nIt has no columns ({}) and cannot be queried.",
                        asset.kind.empty() ? "no table" : one_line(asset.kind));
    if (!asset.child_ids.empty()) text += fmt::format(" Its rows are in {}.", fmt::join(asset.child_ids, ", "));
    return text;
  }
  text += "\nField | Type | SoQL type | Label | Description\n--- | --- | --- | --- | ---\n";
  for (const auto& column : asset.columns) {
    text += fmt::format("{} | {} | {} | {} | {}\n", cell(column.field_name), cell(column.data_type),
                        cell(column.soql_type), cell(column.label), cell(column.description));
  }
  return text;
}

Task<mcp::ToolResult> call(socrata::Client& client, std::string default_domain, RequestContext context,
                           json::object arguments) {
  ADIT_CO_TRY(const auto id, read_dataset_id(arguments));
  ADIT_CO_TRY(const auto domain, read_domain(arguments, default_domain));
  ADIT_CO_TRY(const auto answer, co_await client.asset(std::move(context), domain, id));
  co_return mcp::ToolResult{.structured = json::serialize(asset_object(answer.asset, answer.host)),
                            .text = text_of(answer.asset, answer.host, answer.mapped),
                            .is_error = false};
}

}  // namespace

mcp::Tool socrata_get_dataset_tool(socrata::Client& client, SocrataSetting setting) {
  return {.name = "socrata_get_dataset",
          .title = "Describe a dataset",
          .description = std::string(kDescription),
          .input_schema = input_schema(kInput, R"(["dataset_id"])"),
          .output_schema =
              socrata_output_schema(kOutput, R"(["dataset_id", "domain", "name", "tags", "columns"])", kDatasetReasons),
          .annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = true},
          .call = [&client, domain = setting.default_domain](
                      RequestContext context,
                      json::object arguments) { return call(client, domain, context, std::move(arguments)); },
          .render_error = socrata_error_result};
}

}  // namespace adit::tools
