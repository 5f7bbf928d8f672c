#include "catalog_requests.h"

#include "adit/socrata/portals.h"
#include "failure.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::socrata {
namespace asio = boost::asio;
namespace {

using Clock = io::EventLoop::Clock;

constexpr std::size_t kHostsKept = 500, kIdsKept = 256, kTopicsKept = 1'000;
constexpr auto kCountsKept = std::chrono::hours(24);
constexpr auto kFailureKept = std::chrono::minutes(5);
constexpr std::size_t kCountsAtOnce = 8;
constexpr auto kCountsLimit = std::chrono::seconds(20);
constexpr auto kLookUpLimit = std::chrono::milliseconds(2500);
constexpr std::size_t kLargestBody = 16u << 20;  // 100 results with all their columns are a tenth of it

}  // namespace

Task<CatalogAnswer> CatalogRequests::ask(RequestContext context, std::string catalog, CatalogSearch search,
                                         int attempts) {
  CatalogAnswer result;
  UpstreamRequest request{.host = catalog,
                          .target = catalog_target(search),
                          .attempts = attempts,
                          .max_body_bytes = kLargestBody,
                          .unknown_host = UnknownHost::is_tried_again};
  request.read = [&result](UpstreamAnswer& answer) {
    auto page = parse_catalog(answer.body);
    if (page.ok()) result.page = std::move(*page);
    return page.ok() ? BodyIs::what_was_asked : kind_of_other_body(answer.body);
  };
  const Asked asked{.kind = AskedFor::catalog, .host = search.domain.empty() ? catalog : search.domain};
  auto answer = co_await upstream_.get(context, std::move(request));
  if (!answer.ok()) co_return failure_of_transfer(asked, std::move(answer).error());
  if (!answer->is_success()) co_return failure_of_status(asked, *answer);
  if (answer->body_is != BodyIs::what_was_asked) co_return failure_of_body(asked, *answer);
  if (!search.domain.empty()) keep_of_domain(result.page, search.domain);
  for (const auto& entry : result.page.entries) {
    remember(entry.domain, entry.dataset_id);
    if (topics_.size() >= kTopicsKept) continue;
    if (!entry.category.empty()) topics_.insert(entry.category);
    topics_.insert(entry.tags.begin(), entry.tags.end());
  }
  result.mapped = answer->mapped;
  co_return std::move(result);
}

Task<CatalogAnswer> CatalogRequests::search(RequestContext context, CatalogSearch search) {
  auto us = co_await ask(context, std::string(kUsCatalog), search, 0);
  if (us.ok() || search.domain.empty() || us.error().reason != "unknown_domain") co_return std::move(us);
  co_return co_await ask(context, std::string(kEuCatalog), search, 0);
}

asio::awaitable<std::string> CatalogRequests::domain_of(RequestContext context, std::string id) {
  CatalogSearch search;
  search.id = id;
  search.limit = 1;
  RequestContext soon;
  soon.limit_to(std::min(context.deadline().value_or(Clock::time_point::max()), Clock::now() + kLookUpLimit));
  const auto guard = context.on_cancel([soon]() mutable { soon.cancel(); });
  auto answer = co_await ask(soon, std::string(kUsCatalog), std::move(search), 1);
  if (!answer.ok() || answer->page.entries.empty()) co_return std::string();
  const auto& entry = answer->page.entries.front();
  co_return entry.dataset_id == id ? entry.domain : std::string();
}

// ---- Portals and their counts

// What a round of counting has found.
struct CatalogRequests::Count {
  Counts found;
  std::size_t next = 0;
  bool all_answered = true;  // each portal has a count, or the catalog does not know it
};

Task<std::vector<PortalEntry>> CatalogRequests::portals(RequestContext context) {
  if (counts_until_ < Clock::now()) {
    auto shared = counting_;
    if (!shared || shared->cancelled()) {
      shared = std::make_shared<SharedRequest<Counts>>(kCountsLimit);
      counting_ = shared;
      tasks_.spawn(count_portals(shared));
    }
    auto counted = co_await shared->wait(loop_, context);
    // Without counts the list is still the list.
    if (!counted.ok() && counted.error().reason == "cancelled") co_return std::move(counted).error();
  }
  std::vector<PortalEntry> entries;
  const auto add = [&](std::string_view domain, std::string_view organization) {
    const auto known =
        std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.domain == domain; });
    if (known != entries.end()) {
      known->organization = organization;
      return;
    }
    const auto count = counts_.find(std::string(domain));
    entries.push_back({.domain = std::string(domain),
                       .organization = std::string(organization),
                       .dataset_count = count == counts_.end() ? std::nullopt : std::optional(count->second),
                       .mapped = upstream_.is_mapped(domain)});
  };
  for (const auto& domain : mapped_portals()) add(domain, "");
  for (const auto& portal : known_portals()) add(portal.domain, portal.organization);
  co_return entries;
}

std::vector<std::string> CatalogRequests::mapped_portals() const {
  std::vector<std::string> domains;
  for (const auto& [domain, url] : upstream_.portal_map()) {
    if (domain != kUsCatalog && domain != kEuCatalog) domains.push_back(domain);
  }
  return domains;
}

asio::awaitable<void> CatalogRequests::count_portals(std::shared_ptr<SharedRequest<Counts>> shared) {
  std::vector<std::string> domains;
  // The names of a user's own hosts are nobody else's business.
  if (upstream_.is_mapped(kUsCatalog)) domains = mapped_portals();
  for (const auto& portal : known_portals()) domains.emplace_back(portal.domain);
  Count count;
  io::TaskGroup group(loop_);
  for (std::size_t lane = 0; lane < kCountsAtOnce; ++lane) {
    group.spawn(count_in_turn(shared->context(), domains, &count));
  }
  co_await group.join();
  for (const auto& [domain, number] : count.found) counts_.insert_or_assign(domain, number);  // the last good ones stay
  if (!shared->cancelled()) {
    const auto kept = count.all_answered ? Clock::duration(kCountsKept) : Clock::duration(kFailureKept);
    counts_until_ = Clock::now() + kept;
  }
  if (counting_ == shared) counting_.reset();
  shared->finish(counts_);
}

// `count` outlives it: count_portals joins.
asio::awaitable<void> CatalogRequests::count_in_turn(RequestContext context, std::vector<std::string> domains,
                                                     Count* count) {
  while (count->next < domains.size() && !context.cancelled()) {
    CatalogSearch search;
    search.domain = domains[count->next++];
    search.only = "dataset";
    search.limit = 0;
    auto answer = co_await ask(context, std::string(kUsCatalog), search, 2);
    if (answer.ok()) {
      count->found.insert_or_assign(search.domain, answer->page.total);
    } else if (answer.error().reason != "unknown_domain") {
      count->all_answered = false;
      // A catalog that cannot be reached is not asked 38 times more.
      if (answer.error().retryable && count->found.empty()) count->next = domains.size();
    }
  }
}

// ---- For completion

std::vector<std::string> CatalogRequests::seen_ids(std::string_view host) const {
  const auto at = ids_.find(std::string(host));
  if (at == ids_.end()) return {};
  return {at->second.begin(), at->second.end()};
}

void CatalogRequests::remember(const std::string& host, const std::string& id) {
  if (ids_.size() >= kHostsKept && !ids_.contains(host)) return;
  auto& ids = ids_[host];
  if (ids.size() < kIdsKept) ids.insert(id);
}

void CatalogRequests::cancel_shared() {
  if (counting_) counting_->cancel();
}

}  // namespace adit::socrata
