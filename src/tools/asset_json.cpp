#include "asset_json.h"

namespace adit::tools {
namespace json = boost::json;
namespace {

json::object column_object(const socrata::AssetColumn& column) {
  json::object object{{"field_name", column.field_name}, {"data_type", column.data_type}};
  if (!column.description.empty()) object["description"] = column.description;
  if (column.non_null_count) object["non_null_count"] = *column.non_null_count;
  return object;
}

}  // namespace

json::object portal_object(const socrata::PortalEntry& portal) {
  json::object object{{"domain", portal.domain}};
  if (!portal.organization.empty()) object["organization"] = portal.organization;
  if (portal.dataset_count) object["dataset_count"] = *portal.dataset_count;
  else object["dataset_count"] = nullptr;
  return object;
}

json::object asset_object(const socrata::Asset& asset, const std::string& domain) {
  json::object object{{"dataset_id", asset.id}, {"domain", domain}, {"name", asset.name}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) object[name] = value;
  };
  add("description", asset.description);
  add("category", asset.category);
  object["tags"] = json::value_from(asset.tags);
  if (asset.row_count) {
    object["row_count"] = *asset.row_count;
    object["row_count_source"] = asset.row_count_source == socrata::RowCountSource::top_level_cached_contents
                                     ? "top_level_cached_contents"
                                     : "column_cached_contents";
  }
  add("data_updated_at", asset.data_updated_at);
  add("license", asset.license);
  json::array columns;
  for (const auto& column : asset.columns) columns.push_back(column_object(column));
  object["columns"] = std::move(columns);
  return object;
}

}  // namespace adit::tools
