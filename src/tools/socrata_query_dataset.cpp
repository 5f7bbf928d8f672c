#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"
#include "adit/tools/socrata_tools.h"
#include "socrata_answer.h"

#include <fmt/format.h>

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kDescription =
    "Reads rows of a dataset on any Socrata portal with SoQL, the portal's own query language. search looks for words "
    "in "
    "all text columns; select, where, group, having and order are the clauses of one query and work together. Columns "
    "go by "
    "API field name (field_name of socrata_get_dataset, such as cuisine_description), never by label. The answer has "
    "the "
    "rows and the clauses as they were sent. Every scalar arrives as text, numbers too (SODA 2.1), so look up the type "
    "first: Number columns take bare values (year=2023), Text columns values in single quotes (year='2023'). For "
    "distinct "
    "values: select=\"col, count(*) as n\", group=\"col\", order=\"n DESC\". Rows are in a total order (:id is added "
    "behind yours), so pages by offset neither repeat nor lose rows; truncated is measured, not guessed. Let the "
    "portal "
    "count and group instead of reading all rows. Not for a table's columns: socrata_get_dataset. "
    "Example: {\"domain\": \"data.seattle.gov\", \"dataset_id\": \"kzjm-xkqj\", \"select\": \"type, count(*) as n\", "
    "\"group\": \"type\", \"order\": \"n DESC\", \"limit\": 10}.";

constexpr std::string_view kInput = R"({
  "domain": {"type": "string", "description": "Host of the portal that has the dataset (data.cityofnewyork.us); of a URL the host is taken. Give the domain of the search result that the id is from: without it SOCRATA_DEFAULT_DOMAIN is asked, or data.seattle.gov, which is the wrong one for another portal's id."},
  "dataset_id": {"type": "string", "description": "Id of the dataset, four characters, a dash and four more (kzjm-xkqj), as socrata_find_datasets gave it together with domain."},
  "search": {"type": "string", "description": "For a quick look-up: words that a row must have in its text columns, all of them ($q); OR, AND and quotes are not understood. To look into one column use where."},
  "select": {"type": "string", "description": "Columns by API field name, expressions, aliases, aggregates: \"state, sum(deaths) as total_deaths\". All columns when left out."},
  "where": {"type": "string", "description": "Filter over API field names. Types first: Number year=2023, Text year='2023'; a text without quotes is taken for a column. Operators: =, !=, >, <, LIKE, IN(…), BETWEEN, IS NULL, starts_with(), contains(), AND, OR, NOT. An apostrophe is written twice: 'O''Hare'; a column named like a word of SoQL in back-ticks: `group`."},
  "group": {"type": "string", "description": "Columns to group by. select must then hold an aggregate, and beside aggregates only these columns."},
  "having": {"type": "string", "description": "Filter over the grouped rows, such as count(*) > 100."},
  "order": {"type": "string", "description": "Columns or aliases of select to order by: \"total_deaths DESC\", \"date ASC\"."},
  "limit": {"default": 100, "description": "Most rows, 1 to 5000; go on with offset.", "type": "integer", "minimum": 1, "maximum": 5000},
  "offset": {"default": 0, "description": "Rows to skip, for the next page.", "type": "integer", "minimum": 0, "maximum": 9007199254740991},
  "canvas_id": {"type": "string", "pattern": "^[A-Za-z0-9_-]{10}$", "description": "Table space for large results, from an earlier answer. This server keeps none, so it changes nothing."}
})";

constexpr std::string_view kOutput = R"({
  "rows": {"type": "array", "items": {"type": "object", "propertyNames": {"type": "string"}, "additionalProperties": {}}, "description": "The rows as the portal sent them: scalars are texts, locations and geometries objects, a column without a value has no key. Types: socrata_get_dataset."},
  "row_count": {"type": "number", "description": "Rows in this answer."},
  "total_count": {"type": "number", "description": "Rows that match in all, when a plain query was cut; absent for whole results and for grouped, DISTINCT and aggregate queries."},
  "assembled_query": {"type": "string", "description": "The SoQL clauses of the request, with the order that was added: a pattern to learn from."},
  "domain": {"type": "string", "description": "Host that answered, in the form of a bare name whatever was given."},
  "dataset_id": {"type": "string", "description": "The dataset that was asked."},
  "canvas_id": {"type": "string", "description": "Table space that holds the result, when it was staged."},
  "canvas_row_count": {"type": "number", "description": "Rows staged there; together with canvas_id."},
  "table_name": {"type": "string", "description": "Table that holds them; together with canvas_id."},
  "notice": {"type": "string", "description": "What to do when no row came, or when more rows match than came; absent otherwise."},
  "truncated": {"type": "boolean", "description": "True when more rows match than came; total_count has their number where it is known."},
  "shown": {"type": "number", "description": "Rows in this answer, when it was cut."},
  "cap": {"type": "number", "description": "The limit that cut it."}
})";

// Beside those of every tool that asks for one dataset.
const std::string kReasons = std::string(kDatasetReasons) +
                             " `soql_error`: the portal refuses the query (syntax, a column, a type); data.socrataCode "
                             "has its code, data.column "
                             "the name at fault. `not_queryable`: the asset is no table.";
constexpr std::size_t kFraming = 512;  // of the answer's bytes, for what stands beside rows, query and notice

struct Shown {
  std::size_t rows = 0;   // as many as fit the budget, one at least
  bool by_bytes = false;  // the budget cut, not the limit
};

Shown fit(const socrata::RowPage& page, std::size_t beside, std::size_t budget) {
  if (budget == 0) return {.rows = page.size(), .by_bytes = false};
  std::size_t rows = 0, bytes = beside + kFraming;
  for (; rows < page.size(); ++rows) {
    bytes += page.row(rows).size() + 1;
    if (bytes > budget && rows > 0) return {.rows = rows, .by_bytes = true};
  }
  return {.rows = rows, .by_bytes = false};
}

// " where …, search …": how the filters read, for advice.
std::string filters_text(const socrata::SoqlQuery& query) {
  std::string text;
  if (!query.where.empty()) text += fmt::format(" where {}", query.where);
  if (!query.search.empty()) text += fmt::format("{} search {}", text.empty() ? "" : ",", query.search);
  if (!query.having.empty()) text += fmt::format("{} having {}", text.empty() ? "" : ",", query.having);
  return text;
}

std::string notice_for_none(const socrata::SoqlQuery& query, const socrata::RowsAnswer& rows, const std::string& id) {
  if (!rows.page.rejected.empty()) {
    return fmt::format(
        "{} rows of {} match, but none of these is valid JSON as the portal sent it: select fewer columns.",
        rows.page.rejected.size(), id);
  }
  if (query.offset > 0) {
    return fmt::format("{} has no rows at offset {}: that is behind the last one, or nothing matches.", id,
                       query.offset);
  }
  const auto filters = filters_text(query);
  if (filters.empty()) return fmt::format("{} has no rows.", id);
  return fmt::format(
      "No row of {} matches{}. Check names and values with socrata_get_dataset (texts in single quotes, as they are "
      "spelled in the data), or broaden the filter.",
      id, filters);
}

struct Answer {
  const socrata::RowsAnswer& rows;
  Shown shown;
  std::optional<std::int64_t> total;
  std::string id, assembled, notice;
  std::int64_t limit = 0;
};

std::string structured(const Answer& answer) {
  const auto& page = answer.rows.page;
  std::string out = R"({"rows":[)";
  out.reserve(page.bytes.size() + page.size() + 2 * answer.assembled.size() + kFraming);
  for (std::size_t i = 0; i < answer.shown.rows; ++i) {
    if (i > 0) out += ',';
    out += page.row(i);
  }
  out += fmt::format(R"(],"row_count":{})", answer.shown.rows);
  if (answer.total) out += fmt::format(R"(,"total_count":{})", *answer.total);
  out += fmt::format(R"(,"assembled_query":{},"domain":{},"dataset_id":{})", json_string(answer.assembled),
                     json_string(answer.rows.host), json_string(answer.id));
  if (!answer.notice.empty()) out += R"(,"notice":)" + json_string(answer.notice);
  if (answer.rows.more || answer.shown.by_bytes) {
    out += fmt::format(R"(,"truncated":true,"shown":{},"cap":{})", answer.shown.rows, answer.limit);
  }
  return out + "}";
}

std::string text_of(const Answer& answer) {
  const auto& rows = answer.rows;
  auto text = fmt::format("{} rows of {} on {}", answer.shown.rows, answer.id, rows.host);
  if (answer.total) text += fmt::format(", {} match", *answer.total);
  text += fmt::format("\nQuery: {}\n", one_line(answer.assembled));
  if (rows.mapped) text += "Answered by a host of this server's configuration.\n";
  if (!rows.total_order) {
    text +=
        "The portal refuses an order that is total (with :id, or by all that is grouped by): pages may repeat or miss "
        "rows.\n";
  }
  if (!rows.out_of_date.empty()) text += "The portal says that this copy of the rows is out of date.\n";
  for (const auto& rejected : rows.page.rejected) {
    text += fmt::format("Row {} of the portal's page was left out: {}.\n", rejected.number + 1, rejected.why);
  }
  if (!answer.notice.empty()) text += fmt::format("> {}\n", one_line(answer.notice));
  text.reserve(text.size() + rows.page.bytes.size() + rows.page.size());
  for (std::size_t i = 0; i < answer.shown.rows; ++i) {
    text += '\n';
    text += rows.page.row(i);
  }
  return text;
}

// Where the first row stands that is not in the answer.
std::int64_t next_offset(const Answer& answer) {
  const auto& page = answer.rows.page;
  const auto place = answer.shown.rows < page.size() ? page.numbers[answer.shown.rows] : page.received;
  return answer.rows.sent.offset + static_cast<std::int64_t>(place);
}

std::string notice_for_more(const Answer& answer) {
  auto notice = answer.total ? fmt::format("{} rows match, these are {} of them.", *answer.total, answer.shown.rows)
                             : std::string("More rows match than these.");
  if (answer.shown.by_bytes) notice += " The answer's size ended the page.";
  return notice +
         fmt::format(" Go on with offset={}{}.", next_offset(answer), answer.shown.by_bytes ? "" : ", or raise limit");
}

// How many rows match in all, when the answer does not show them all.
Task<std::optional<std::int64_t>> total_of(socrata::Client& client, RequestContext context, std::string domain,
                                           socrata::DatasetId id, socrata::SoqlQuery query, bool more,
                                           std::size_t received) {
  if (!more) co_return std::optional(query.offset + static_cast<std::int64_t>(received));
  auto counted = co_await client.count(std::move(context), std::move(domain), std::move(id), std::move(query));
  // The rows are the answer; a count that cannot be had leaves it as it is.
  if (!counted.ok()) co_return std::optional<std::int64_t>();
  co_return std::optional(*counted);
}

socrata::SoqlQuery read_query(const json::object& arguments) {
  const auto clause = [&](std::string_view name) { return optional_text(arguments, name).value_or(""); };
  return {.search = clause("search"),
          .select = clause("select"),
          .where = clause("where"),
          .group = clause("group"),
          .having = clause("having"),
          .order = clause("order"),
          .limit = integer_or(arguments, "limit", 100),
          .offset = integer_or(arguments, "offset", 0)};
}

Task<mcp::ToolResult> call(socrata::Client& client, SocrataSetting setting, RequestContext context,
                           json::object arguments) {
  ADIT_CO_TRY(const auto id, read_dataset_id(arguments));
  ADIT_CO_TRY(const auto domain, read_domain(arguments, setting.default_domain));
  const auto query = read_query(arguments);
  ADIT_CO_TRY(const auto rows, co_await client.rows(context, domain, id, query));
  Answer answer{.rows = rows,
                .shown = {},
                .total = {},
                .id = id.text(),
                .assembled = socrata::assembled_query(rows.sent),
                .notice = {},
                .limit = query.limit};
  answer.shown = fit(rows.page, json_string_size(answer.assembled), setting.budget.bytes);
  const bool cut = rows.more || answer.shown.by_bytes;
  if (cut && rows.kind == socrata::RowsKind::plain) {
    ADIT_CO_TRY(const auto total, co_await total_of(client, context, domain, id, query, rows.more, rows.page.received));
    if (total && *total > static_cast<std::int64_t>(answer.shown.rows)) answer.total = *total;
  }
  if (rows.page.size() == 0) answer.notice = notice_for_none(query, rows, answer.id);
  else if (cut) answer.notice = notice_for_more(answer);
  co_return mcp::ToolResult{.structured = structured(answer), .text = text_of(answer), .is_error = false};
}

}  // namespace

mcp::Tool socrata_query_dataset_tool(socrata::Client& client, SocrataSetting setting) {
  return {.name = "socrata_query_dataset",
          .title = "Query a dataset with SoQL",
          .description = std::string(kDescription),
          .input_schema = input_schema(kInput, R"(["dataset_id"])"),
          .output_schema = socrata_output_schema(
              kOutput, R"(["rows", "row_count", "assembled_query", "domain", "dataset_id"])", kReasons),
          .annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = true},
          .call = [&client, setting](
                      RequestContext context,
                      json::object arguments) { return call(client, setting, context, std::move(arguments)); },
          .render_error = socrata_error_result};
}

}  // namespace adit::tools
