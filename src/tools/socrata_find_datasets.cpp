#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"
#include "adit/tools/socrata_tools.h"
#include "socrata_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kDescription =
    "Searches the datasets of all Socrata open-data portals, or of one when domain is given. Each result has the "
    "dataset_id and the domain that belong together, name, when its data changed last, and column_names: the API field "
    "names that SoQL takes, not the labels people see. They carry no types: call socrata_get_dataset before you write "
    "a "
    "query. query, domain, categories, tags and only narrow each other; the catalog shows the first 10,000 results of "
    "a "
    "search (offset + limit). Not for rows: socrata_query_dataset reads them. "
    "Example: {\"query\": \"building permits\", \"domain\": \"data.seattle.gov\", \"only\": \"datasets\"}.";

constexpr std::string_view kInput = R"({
  "query": {"type": "string", "description": "Words to look for in names and descriptions. Leave it out to browse.", "examples": ["building permits"]},
  "domain": {"type": "string", "description": "One portal, by its host (data.seattle.gov, data.cityofnewyork.us); of a URL such as https://data.seattle.gov/ the host is taken. Leave it out to search all portals."},
  "categories": {"type": "array", "items": {"type": "string"}, "description": "Categories of the portals, any of them, for example [\"Public Safety\", \"Transportation\"]."},
  "tags": {"type": "array", "items": {"type": "string"}, "description": "Tags, any of them, for example [\"covid19\", \"permits\"]."},
  "only": {"type": "string", "enum": ["datasets", "maps", "files", "calendars", "stories"], "description": "One kind of asset; \"datasets\" is what can be queried. Leave it out for all kinds."},
  "order": {"type": "string", "enum": ["relevance", "page_views_total", "created_at", "updated_at"], "description": "Order of the results, by default relevance. updated_at brings the freshest data first."},
  "limit": {"default": 10, "description": "Results in the answer, 1 to 100.", "type": "integer", "minimum": 1, "maximum": 100},
  "offset": {"default": 0, "description": "Results to skip, for the next page. By relevance the order may shift between pages; the other orders hold.", "type": "integer", "minimum": 0, "maximum": 9007199254740991}
})";

constexpr std::string_view kOutput = R"({
  "results": {
    "type": "array",
    "description": "What was found; empty when nothing was.",
    "items": {
      "type": "object",
      "properties": {
        "dataset_id": {"type": "string", "description": "The asset's id, such as kzjm-xkqj, for socrata_get_dataset and socrata_query_dataset together with domain."},
        "domain": {"type": "string", "description": "Host to query it at."},
        "name": {"type": "string", "description": "Its name."},
        "description": {"type": "string", "description": "What its publisher says of it, when he does."},
        "category": {"type": "string", "description": "The portal's category, when it has one."},
        "tags": {"type": "array", "items": {"type": "string"}, "description": "The portal's tags."},
        "column_names": {"type": "array", "items": {"type": "string"}, "description": "API field names as SoQL takes them in select, where, group and order (cuisine_description), never labels. Computed regions are left out; empty when the catalog lists none. Types: socrata_get_dataset."},
        "license": {"type": "string", "description": "Name of the licence, when it is told."},
        "data_updated_at": {"type": "string", "description": "When the data changed last, ISO 8601, when it is told."},
        "view_count": {"type": "number", "description": "Times that its page was viewed, when it is told."}
      },
      "required": ["dataset_id", "domain", "name", "tags", "column_names"],
      "additionalProperties": false
    }
  },
  "totalCount": {"type": "number", "description": "Results of the search on all pages together, 0 when there are none; 10000 means at least as many."},
  "effectiveQuery": {"type": "string", "description": "The words that were searched for."},
  "notice": {"type": "string", "description": "When no result is shown: what was looked for and how to broaden it. Absent otherwise."}
})";

constexpr std::string_view kReasons =
    "`rate_limited`: the catalog answers HTTP 429. `unknown_domain`: the catalog does not know the domain. "
    "`invalid_domain`: the domain is not a public host name. `page_out_of_range`: offset + limit is over 10,000.";

std::vector<std::string> texts(const json::object& arguments, std::string_view name) {
  std::vector<std::string> values;
  const auto* list = find_field(arguments, name);
  if (list == nullptr) return values;
  for (const auto& value : list->get_array()) {
    if (const std::string text(value.get_string()); text.find_first_not_of(" \t\r\n") != std::string::npos)
      values.push_back(text);
  }
  return values;
}

json::object entry_object(const socrata::CatalogEntry& entry) {
  json::object object{{"dataset_id", entry.dataset_id},
                      {"domain", entry.domain},
                      {"name", entry.name},
                      {"tags", json::value_from(entry.tags)},
                      {"column_names", json::value_from(entry.field_names)}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) object[name] = value;
  };
  add("description", entry.description);
  add("category", entry.category);
  add("license", entry.license);
  add("data_updated_at", entry.data_updated_at);
  if (entry.view_count) object["view_count"] = *entry.view_count;
  return object;
}

std::string entry_text(const socrata::CatalogEntry& entry) {
  auto text = fmt::format("\n\"{}\"\n{} on {}", one_line(entry.name), entry.dataset_id, entry.domain);
  if (!entry.category.empty()) text += fmt::format("\ncategory: {}", one_line(entry.category));
  if (!entry.tags.empty()) text += fmt::format("\ntags: {}", one_line(fmt::format("{}", fmt::join(entry.tags, ", "))));
  if (!entry.description.empty())
    text += "\ndescription, as its publisher wrote it:\n" + quoted_block(entry.description);
  else text += "\n";
  if (!entry.field_names.empty())
    text += one_line(fmt::format("fields: {}", fmt::join(entry.field_names, ", "))) + "\n";
  if (!entry.data_updated_at.empty()) text += fmt::format("data updated: {}\n", one_line(entry.data_updated_at));
  if (entry.view_count) text += fmt::format("views: {}\n", *entry.view_count);
  if (!entry.license.empty()) text += fmt::format("licence: {}\n", one_line(entry.license));
  return text;
}

std::string notice_for(const socrata::CatalogSearch& search, std::int64_t total) {
  if (search.offset > 0 && total > 0)
    return fmt::format("offset {} is behind the last of {} results.", search.offset, total);
  std::string filters;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      filters += fmt::format("{}{} {}", filters.empty() ? "" : ", ", name, json::serialize(json::value(value)));
  };
  add("query", search.query);
  add("domain", search.domain);
  add("categories", fmt::format("{}", fmt::join(search.categories, ", ")));
  add("tags", fmt::format("{}", fmt::join(search.tags, ", ")));
  add("only", search.only);
  auto notice = fmt::format("Nothing matches {}. Try fewer or more general words, or fewer filters",
                            filters.empty() ? "the search" : filters);
  return notice + (search.domain.empty() ? "." : "; without domain all portals are searched.");
}

// As many results as the answer's bytes allow, one at least: their JSON and their text.
struct Shown {
  std::string results = "[", text;
  std::size_t count = 0;
};

Shown fit(const std::vector<socrata::CatalogEntry>& entries, std::size_t budget) {
  constexpr std::size_t kFraming = 512;
  Shown shown;
  for (const auto& entry : entries) {
    const auto object = json::serialize(entry_object(entry));
    if (budget != 0 && shown.count > 0 && shown.results.size() + object.size() + kFraming > budget) break;
    shown.results += (shown.count == 0 ? "" : ",") + object;
    shown.text += entry_text(entry);
    ++shown.count;
  }
  shown.results += ']';
  return shown;
}

Task<mcp::ToolResult> call(socrata::Client& client, AnswerBudget budget, RequestContext context,
                           json::object arguments) {
  socrata::CatalogSearch search;
  search.query = optional_text(arguments, "query").value_or("");
  if (optional_text(arguments, "domain")) {
    ADIT_CO_TRY(search.domain, read_domain(arguments, ""));
  }
  search.categories = texts(arguments, "categories");
  search.tags = texts(arguments, "tags");
  search.only = text_or(arguments, "only", "");
  search.order = text_or(arguments, "order", "");
  search.limit = integer_or(arguments, "limit", 10);
  search.offset = integer_or(arguments, "offset", 0);
  ADIT_CO_TRY(const auto answer, co_await client.find(std::move(context), search));
  const auto& page = answer.page;

  const auto shown = fit(page.entries, budget.bytes);
  const auto at_least = page.total >= socrata::kCatalogWindow ? "at least " : "";
  const auto next = search.offset + static_cast<std::int64_t>(shown.count);
  std::string text = fmt::format("{}{} results", at_least, page.total);
  if (shown.count > 0) text += fmt::format(", {} to {} shown", search.offset + 1, next);
  if (!search.query.empty()) text += fmt::format("\nQuery: {}", one_line(search.query));
  if (answer.mapped) text += "\nAnswered by a host of this server's configuration.";
  text += "\n" + shown.text;
  if (shown.count < page.entries.size()) text += "\nThe answer's size ended the page.";
  if (shown.count > 0 && next < page.total) text += fmt::format("\nMore: offset={}.", next);
  const bool by_relevance = search.order.empty() || search.order == "relevance";
  if (by_relevance && (search.offset > 0 || next < page.total)) {
    text += " By relevance the order may shift between pages; order=\"updated_at\" does not.";
  }
  auto structured = fmt::format(R"({{"results":{},"totalCount":{})", shown.results, page.total);
  if (!search.query.empty()) structured += R"(,"effectiveQuery":)" + json_string(search.query);
  if (shown.count == 0) {
    const auto notice = notice_for(search, page.total);
    structured += R"(,"notice":)" + json_string(notice);
    text += "\n" + one_line(notice);
  }
  co_return mcp::ToolResult{.structured = structured + "}", .text = std::move(text), .is_error = false};
}

}  // namespace

mcp::Tool socrata_find_datasets_tool(socrata::Client& client, SocrataSetting setting) {
  return {.name = "socrata_find_datasets",
          .title = "Find datasets",
          .description = std::string(kDescription),
          .input_schema = input_schema(kInput, "[]"),
          .output_schema = socrata_output_schema(kOutput, R"(["results", "totalCount"])", kReasons),
          .annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = true},
          .call = [&client, budget = setting.budget](
                      RequestContext context,
                      json::object arguments) { return call(client, budget, context, std::move(arguments)); },
          .render_error = socrata_error_result};
}

}  // namespace adit::tools
