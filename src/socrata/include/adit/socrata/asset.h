// An asset of a portal as /api/views/{id}.json describes it.
// https://dev.socrata.com/docs/other/metadata
#pragma once

#include "adit/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adit::socrata {

struct AssetColumn {
  std::string field_name;  // what SoQL takes
  std::string label;       // what people read
  std::string soql_type;   // as SoQL calls it: "number", "floating_timestamp", …
  std::string data_type;   // in the catalog's words: "Number", "Calendar date", … (data_type_words.h)
  std::string description;
  std::optional<std::int64_t> non_null_count;
};

enum class RowCountSource { top_level_cached_contents, column_cached_contents };

struct Asset {
  std::string id, name, description, category, license;
  std::vector<std::string> tags;
  std::vector<AssetColumn> columns;  // without computed regions
  std::optional<std::int64_t> row_count;
  RowCountSource row_count_source = RowCountSource::top_level_cached_contents;
  std::string data_updated_at;  // ISO 8601, UTC; "" when unknown
  std::string kind;             // viewType or displayType, for what is not tabular
  std::vector<std::string> child_ids;
};

// Error: "invalid_json" when the text is no such object.
Result<Asset> parse_asset(std::string_view body);

}  // namespace adit::socrata
