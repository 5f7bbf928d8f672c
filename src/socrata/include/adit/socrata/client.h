// Portals and their catalog as the tools ask them. Keeps what changes slowly (metadata for ten minutes, counts of
// portals for a day) and lets calls that want the same at the same time share one request. Each call ends within
// UpstreamOptions::call_limit. Loop thread only.
#pragma once

#include "adit/base/request_context.h"
#include "adit/base/task.h"
#include "adit/io/event_loop.h"
#include "adit/socrata/asset.h"
#include "adit/socrata/catalog.h"
#include "adit/socrata/dataset_id.h"
#include "adit/socrata/row_page.h"
#include "adit/socrata/soql_query.h"
#include "adit/socrata/upstream.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace adit::socrata {

struct PortalEntry {
  std::string domain, organization;  // organization "" when unknown
  std::optional<std::int64_t> dataset_count;
  bool mapped = false;  // the user's configuration sends its requests elsewhere
};

struct AssetAnswer {
  Asset asset;
  std::string host;  // that answered
  bool mapped = false;
};

struct CatalogAnswer {
  CatalogPage page;
  bool mapped = false;  // the user's configuration sends the catalog's requests elsewhere
};

struct FieldType {
  std::string name, type;  // type in SoQL's words: "number", "text", "floating_timestamp", …
};

struct RowsAnswer {
  RowPage page;    // at most `limit` rows
  SoqlQuery sent;  // with the order that was added; its limit is the caller's
  RowsKind kind{};
  bool more = false;        // there is at least one row behind the page
  bool total_order = true;  // false: the portal refuses :id, so pages may overlap
  std::string host;
  bool mapped = false;
  std::string out_of_date;        // what X-SODA2-Data-Out-Of-Date said, "" when the rows are those of the dataset
  std::vector<FieldType> fields;  // of the headers X-SODA2-Fields and X-SODA2-Types; a portal may leave them out
};

class Client {
 public:
  // `upstream` outlives this.
  Client(io::EventLoop& loop, Upstream& upstream);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();  // REQUIRES: shut_down() has ended, or the loop has stopped for good

  // Ends the requests that calls share.
  boost::asio::awaitable<void> shut_down();

  // In a fixed order: mapped hosts, then the ones we know. Counts that cannot be had are absent.
  Task<std::vector<PortalEntry>> portals(RequestContext context);

  // A domain that the catalog of the US does not know is asked at that of Europe. Error reasons: unknown_domain,
  // rate_limited, upstream_error, timeout, page_out_of_range.
  Task<CatalogAnswer> find(RequestContext context, CatalogSearch search);

  // Error reasons: not_found (told where the catalog places the id), unknown_domain, rate_limited, access_denied, ….
  Task<AssetAnswer> asset(RequestContext context, std::string host, DatasetId id);

  // The page of `query`, and whether more rows follow: one is asked for beyond its limit. Error reasons: those of
  // asset() and soql_error, not_queryable.
  Task<RowsAnswer> rows(RequestContext context, std::string host, DatasetId id, SoqlQuery query);

  // The rows of exactly this query, nothing added: for reading many pages (complete_read.h).
  Task<RowsAnswer> page(RequestContext context, std::string host, DatasetId id, SoqlQuery query);

  // Metadata as it is now, not as it is kept.
  Task<AssetAnswer> fresh_asset(RequestContext context, std::string host, DatasetId id);

  // How many rows the query's filter matches: one attempt, within ten seconds.
  Task<std::int64_t> count(RequestContext context, std::string host, DatasetId id, SoqlQuery query);

  // For completion: nothing is asked for it.
  std::vector<std::string> mapped_portals() const;
  std::vector<std::string> seen_ids(std::string_view host) const;  // in search results and metadata
  std::vector<std::string> seen_topics() const;                    // categories and tags of search results

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adit::socrata
