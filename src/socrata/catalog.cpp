#include "adit/socrata/catalog.h"

#include "adit/base/json_fields.h"
#include "adit/socrata/dataset_id.h"
#include "adit/socrata/portals.h"
#include "json_texts.h"
#include "percent_encode.h"

#include <algorithm>

namespace adit::socrata {
namespace json = boost::json;
namespace {

// Newest and most viewed first: that is what one asks for.
std::string_view catalog_order(std::string_view order) {
  if (order == "page_views_total") return "page_views_total DESC";
  if (order == "created_at") return "createdAt DESC";
  if (order == "updated_at") return "updatedAt DESC";
  return order;
}

const json::object& object_or_empty(const json::object& object, std::string_view name) {
  static const json::object empty;
  const auto* value = find_field(object, name);
  return value != nullptr && value->is_object() ? value->get_object() : empty;
}

std::optional<std::int64_t> integer_of(const json::object& object, std::string_view name) {
  const auto* value = find_field(object, name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  boost::system::error_code error;
  const auto number = value->to_number<std::int64_t>(error);
  return error ? std::nullopt : std::optional(number);
}

CatalogEntry entry_of(const json::object& result) {
  const auto& resource = object_or_empty(result, "resource");
  const auto& classification = object_or_empty(result, "classification");
  const auto& metadata = object_or_empty(result, "metadata");
  CatalogEntry entry;
  entry.dataset_id = text_or(resource, "id", "");
  entry.domain = host_to_query(text_or(metadata, "domain", ""));
  entry.name = text_or(resource, "name", "");
  entry.description = optional_text(resource, "description").value_or("");
  entry.category = optional_text(classification, "domain_category").value_or("");
  entry.tags = texts_of(classification, "domain_tags");
  entry.license = optional_text(metadata, "license").value_or("");
  entry.data_updated_at = optional_text(resource, "data_updated_at").value_or("");
  entry.view_count = integer_of(object_or_empty(resource, "page_views"), "page_views_total");
  for (auto& name : texts_of(resource, "columns_field_name")) {
    if (!name.starts_with(":@computed_region_")) entry.field_names.push_back(std::move(name));
  }
  return entry;
}

}  // namespace

std::string catalog_target(const CatalogSearch& search) {
  Parameters parameters;
  const auto add = [&](const char* name, std::string value) {
    if (!value.empty()) parameters.emplace_back(name, std::move(value));
  };
  // Without search_context a portal's own catalog settings do not hold and many portals show nothing.
  if (!search.domain.empty()) {
    std::string domains;
    for (const auto& name : catalog_names_of(search.domain)) domains += (domains.empty() ? "" : ",") + name;
    add("domains", domains);
  }
  add("search_context", search.domain);
  add("ids", search.id);
  add("q", search.query);
  // Each one for itself: a comma may be a part of it.
  for (const auto& category : search.categories) add("categories", category);
  for (const auto& tag : search.tags) add("tags", tag);
  add("only", search.only);
  add("order", std::string(catalog_order(search.order)));
  add("limit", std::to_string(search.limit));
  if (search.offset > 0) add("offset", std::to_string(search.offset));
  return "/api/catalog/v1" + query_string(parameters);
}

void keep_of_domain(CatalogPage& page, std::string_view domain) {
  std::erase_if(page.entries, [domain](const CatalogEntry& entry) { return !same_portal(entry.domain, domain); });
}

Result<CatalogPage> parse_catalog(std::string_view body) {
  ADIT_TRY(const auto value, parse_json(body));
  const auto* object = value.if_object();
  const auto* results = object == nullptr ? nullptr : find_field(*object, "results");
  if (results == nullptr || !results->is_array()) {
    return Error{
        .code = ErrorCode::parse_error, .reason = "invalid_json", .message = "no answer of the catalog", .hint = ""};
  }
  CatalogPage page;
  for (const auto& result : results->get_array()) {
    if (!result.is_object()) continue;
    auto entry = entry_of(result.get_object());
    // Ids and hosts go into hints and further requests: what has not their form is nobody's.
    if (DatasetId::parse(entry.dataset_id).ok() && parse_portal_host(entry.domain).ok()) {
      page.entries.push_back(std::move(entry));
    }
  }
  page.total = integer_of(*object, "resultSetSize").value_or(static_cast<std::int64_t>(page.entries.size()));
  return page;
}

}  // namespace adit::socrata
