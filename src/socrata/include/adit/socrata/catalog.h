// The discovery catalog: what all portals publish. https://dev.socrata.com/docs/other/discovery
#pragma once

#include "adit/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adit::socrata {

struct CatalogSearch {
  std::string query;
  std::string domain;  // "" for all portals
  std::vector<std::string> categories, tags;
  std::string only;   // the catalog's word for a kind of asset, "" for all
  std::string order;  // of the tool: relevance, page_views_total, created_at, updated_at
  std::int64_t limit = 10, offset = 0;
  std::string id;  // one asset, by its id
};

struct CatalogEntry {
  std::string dataset_id, domain, name;  // the domain is the host to query
  std::string description, category, license, data_updated_at;
  std::vector<std::string> tags, field_names;
  std::optional<std::int64_t> view_count;
};

struct CatalogPage {
  std::vector<CatalogEntry> entries;
  std::int64_t total = 0;
};

inline constexpr std::int64_t kCatalogWindow = 10'000;  // offset + limit, and the largest total it counts to

std::string catalog_target(const CatalogSearch& search);  // path and query

// Leaves out what another portal published: a catalog that ignores the filter must not answer for this one.
void keep_of_domain(CatalogPage& page, std::string_view domain);

// Error: "invalid_json" when the text is no answer of the catalog.
Result<CatalogPage> parse_catalog(std::string_view body);

}  // namespace adit::socrata
