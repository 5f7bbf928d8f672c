#include "adit/socrata/asset.h"

#include "adit/base/json_fields.h"
#include "adit/socrata/dataset_id.h"
#include "data_type_words.h"
#include "json_texts.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <charconv>
#include <ctime>

namespace adit::socrata {
namespace json = boost::json;
namespace {

// Counts are numbers in old metadata and texts in newer.
std::optional<std::int64_t> count_of(const json::object& object, std::string_view name) {
  const auto* value = find_field(object, name);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) {
    boost::system::error_code error;  // a fraction, or beyond 64 bits: no count
    const auto count = value->to_number<std::int64_t>(error);
    return error ? std::nullopt : std::optional(count);
  }
  if (!value->is_string()) return std::nullopt;
  const std::string_view digits = value->get_string();
  std::int64_t count = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (digits.empty() || failed != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return count;
}

const json::object* object_of(const json::object& object, std::string_view name) {
  const auto* value = find_field(object, name);
  return value != nullptr && value->is_object() ? &value->get_object() : nullptr;
}

std::string utc_time(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  if (::gmtime_r(&time, &parts) == nullptr) return "";
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.000Z", parts);
}

std::optional<AssetColumn> column_of(const json::object& object) {
  AssetColumn column;
  column.field_name = text_or(object, "fieldName", "");
  if (column.field_name.starts_with(":@computed_region_")) return std::nullopt;
  auto type = text_or(object, "dataTypeName", "");
  if (type.empty()) type = text_or(object, "renderTypeName", "text");
  // A geometry without a name is still one that can be drawn; anything else without a name cannot be asked for.
  if (column.field_name.empty() && !is_geometry_type(type)) return std::nullopt;
  if (column.field_name.empty()) column.field_name = type;
  column.label = text_or(object, "name", "");
  column.soql_type = soql_type_name(type);
  column.data_type = data_type_words(type);
  column.description = optional_text(object, "description").value_or("");
  if (const auto* cached = object_of(object, "cachedContents")) column.non_null_count = count_of(*cached, "non_null");
  return column;
}

void read_row_count(const json::object& view, Asset& asset) {
  if (const auto* cached = object_of(view, "cachedContents")) {
    asset.row_count = count_of(*cached, "total_rows");
    if (!asset.row_count) asset.row_count = count_of(*cached, "rows_reviewed");
    if (asset.row_count) return;
  }
  const auto* columns = find_field(view, "columns");
  if (columns == nullptr || !columns->is_array()) return;
  for (const auto& column : columns->get_array()) {
    const auto* object = column.if_object();
    const auto* cached = object == nullptr ? nullptr : object_of(*object, "cachedContents");
    const auto count = cached == nullptr ? std::nullopt : count_of(*cached, "count");
    if (count) asset.row_count = std::max(asset.row_count.value_or(0), *count);
  }
  asset.row_count_source = RowCountSource::column_cached_contents;
}

std::string license_of(const json::object& view) {
  if (const auto* license = object_of(view, "license")) {
    if (auto name = optional_text(*license, "name")) return *name;
  }
  return "";
}

}  // namespace

Result<Asset> parse_asset(std::string_view body) {
  ADIT_TRY(const auto value, parse_json(body));
  const auto* view = value.if_object();
  if (view == nullptr || text_or(*view, "id", "").empty()) {
    return Error{
        .code = ErrorCode::parse_error, .reason = "invalid_json", .message = "no metadata of an asset", .hint = ""};
  }
  Asset asset;
  asset.id = text_or(*view, "id", "");
  asset.name = text_or(*view, "name", "");
  asset.description = optional_text(*view, "description").value_or("");
  asset.category = optional_text(*view, "category").value_or("");
  asset.license = license_of(*view);
  asset.tags = texts_of(*view, "tags");
  for (auto& child : texts_of(*view, "childViews")) {
    if (DatasetId::parse(child).ok()) asset.child_ids.push_back(std::move(child));
  }
  asset.kind = text_or(*view, "viewType", "");
  if (asset.kind.empty() || asset.kind == "tabular") asset.kind = text_or(*view, "displayType", asset.kind);
  if (const auto updated = count_of(*view, "rowsUpdatedAt")) asset.data_updated_at = utc_time(*updated);
  read_row_count(*view, asset);
  if (const auto* columns = find_field(*view, "columns"); columns != nullptr && columns->is_array()) {
    for (const auto& column : columns->get_array()) {
      if (!column.is_object()) continue;
      if (auto read = column_of(column.get_object())) asset.columns.push_back(std::move(*read));
    }
  }
  return asset;
}

}  // namespace adit::socrata
