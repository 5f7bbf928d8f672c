// Requests to the discovery catalogs, and what they tell about portals and ids.
#pragma once

#include "adit/io/event_loop.h"
#include "adit/socrata/catalog.h"
#include "adit/socrata/client.h"
#include "adit/socrata/upstream.h"
#include "shared_request.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace adit::socrata {

inline constexpr std::string_view kUsCatalog = "api.us.socrata.com", kEuCatalog = "api.eu.socrata.com";

class CatalogRequests {
 public:
  CatalogRequests(io::EventLoop& loop, io::TaskGroup& tasks, Upstream& upstream)
      : loop_(loop), tasks_(tasks), upstream_(upstream) {}

  Task<CatalogAnswer> search(RequestContext context, CatalogSearch search);

  // Where the catalog places an id, within a short limit of its own; "" when that cannot be found out.
  boost::asio::awaitable<std::string> domain_of(RequestContext context, std::string id);

  Task<std::vector<PortalEntry>> portals(RequestContext context);
  std::vector<std::string> mapped_portals() const;

  std::vector<std::string> seen_ids(std::string_view host) const;
  std::vector<std::string> seen_topics() const { return {topics_.begin(), topics_.end()}; }
  void remember(const std::string& host, const std::string& id);

  void cancel_shared();

 private:
  using Counts = std::map<std::string, std::int64_t>;
  struct Count;

  Task<CatalogAnswer> ask(RequestContext context, std::string catalog, CatalogSearch search, int attempts);
  boost::asio::awaitable<void> count_portals(std::shared_ptr<SharedRequest<Counts>> shared);
  boost::asio::awaitable<void> count_in_turn(RequestContext context, std::vector<std::string> domains, Count* count);

  io::EventLoop& loop_;
  io::TaskGroup& tasks_;
  Upstream& upstream_;
  std::map<std::string, std::set<std::string>> ids_;  // seen, by host
  std::set<std::string> topics_;                      // categories and tags seen
  Counts counts_;
  io::EventLoop::Clock::time_point counts_until_ = io::EventLoop::Clock::time_point::min();
  std::shared_ptr<SharedRequest<Counts>> counting_;
};

}  // namespace adit::socrata
