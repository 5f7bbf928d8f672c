#include "adit/socrata/client.h"

#include "adit/base/json_fields.h"
#include "adit/base/nearest_name.h"
#include "adit/socrata/portals.h"
#include "failure.h"
#include "percent_encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace adit::socrata {
namespace asio = boost::asio;
namespace {

using Clock = io::EventLoop::Clock;

constexpr auto kAssetKept = std::chrono::minutes(10);
constexpr std::size_t kAssetsKept = 256, kTopicsKept = 1'000;
constexpr auto kCountsKept = std::chrono::hours(24);
constexpr auto kFailureKept = std::chrono::minutes(5);
constexpr std::size_t kCountsAtOnce = 8;
constexpr auto kCountsLimit = std::chrono::seconds(20);
constexpr auto kLookUpLimit = std::chrono::milliseconds(2500);
constexpr std::string_view kUsCatalog = "api.us.socrata.com", kEuCatalog = "api.eu.socrata.com";

bool is_success(const UpstreamAnswer& answer) {
  return answer.status >= 200 && answer.status < 300 && answer.status != 202;
}

bool looks_like_json(std::string_view body) {
  const auto first = body.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && parse_json(body).ok();
}

// Two JSON arrays of the same length, paired by place.
std::vector<FieldType> field_types(const UpstreamAnswer& answer) {
  const auto names = parse_json(answer.fields), types = parse_json(answer.types);
  if (!names.ok() || !types.ok() || !names->is_array() || !types->is_array()) return {};
  const auto& name_list = names->get_array();
  const auto& type_list = types->get_array();
  std::vector<FieldType> fields;
  if (name_list.size() != type_list.size()) return fields;
  for (std::size_t i = 0; i < name_list.size(); ++i) {
    if (!name_list[i].is_string() || !type_list[i].is_string()) return {};
    fields.push_back({std::string(name_list[i].get_string()), std::string(type_list[i].get_string())});
  }
  return fields;
}

std::string key_of(std::string_view host, std::string_view id) { return fmt::format("{}/{}", host, id); }

}  // namespace

// One request that several calls wait for. It is cancelled when none of them does any more.
template <class T>
struct Client::Shared {
  RequestContext context;
  std::vector<io::OneShot<Result<T>>> waiting;
  std::size_t interested = 0;

  void finish(const Result<T>& result) {
    for (const auto& waiter : waiting) waiter.set(result);
  }
};

struct Client::State {
  State(io::EventLoop& the_loop, Upstream& the_upstream) : loop(the_loop), tasks(the_loop), upstream(the_upstream) {}

  struct KeptAsset {
    AssetAnswer answer;
    Clock::time_point until;
  };
  using Counts = std::map<std::string, std::int64_t>;

  template <class T>
  Task<T> wait_for(RequestContext context, std::shared_ptr<Shared<T>> shared) {
    io::OneShot<Result<T>> mine(loop);
    shared->waiting.push_back(mine);
    ++shared->interested;
    const auto guard = context.on_cancel([mine, shared] {
      mine.set(
          Error{.code = ErrorCode::timeout, .reason = "cancelled", .message = "The request was cancelled", .hint = ""});
      if (--shared->interested == 0) shared->context.cancel();
    });
    co_return co_await mine.wait();
  }

  // ---- The catalog

  Task<CatalogPage> search_at(RequestContext context, std::string catalog, CatalogSearch search, int attempts) {
    CatalogPage page;
    UpstreamRequest request{.host = catalog, .target = catalog_target(search), .attempts = attempts};
    request.read = [&page](UpstreamAnswer& answer) {
      auto read = parse_catalog(answer.body);
      if (read.ok()) page = std::move(*read);
      return read.ok();
    };
    const Asked asked{
        .kind = AskedFor::catalog, .host = search.domain.empty() ? catalog : search.domain, .dataset_id = ""};
    auto answer = co_await upstream.get(context, std::move(request));
    if (!answer.ok()) co_return failure_of_transfer(asked, std::move(answer).error());
    if (!is_success(*answer)) co_return failure_of_status(asked, *answer);
    if (!answer->understood) co_return failure_of_body(asked, *answer, looks_like_json(answer->body));
    for (const auto& entry : page.entries) {
      remember(entry.domain, entry.dataset_id);
      remember_topics(entry);
    }
    co_return std::move(page);
  }

  // Where the catalog places an id, within a short limit of its own; "" when that cannot be found out.
  asio::awaitable<std::string> domain_of(std::string id) {
    CatalogSearch search;
    search.id = id;
    search.limit = 1;
    RequestContext context;
    context.limit_to(Clock::now() + kLookUpLimit);
    auto page = co_await search_at(context, std::string(kUsCatalog), std::move(search), 1);
    if (!page.ok() || page->entries.empty() || page->entries.front().dataset_id != id) co_return std::string();
    co_return page->entries.front().domain;
  }

  // A not_found says where the id lives. What a gateway refuses although the catalog lists it here is no such thing.
  asio::awaitable<Error> with_place(Error error, std::string host, std::string id) {
    if (error.reason != "not_found") co_return error;
    const auto domain = co_await domain_of(id);
    if (domain.empty()) co_return error;
    if (domain == host) {
      if (error.data.contains("status")) {
        error.reason = "unknown_domain";
        error.message = fmt::format("A gateway of {} refuses {}, which the catalog lists there", host, id);
        error.hint = "The portal does not serve its API to this server; try another time or another portal.";
      }
      co_return error;
    }
    error.data["found_on_domain"] = domain;
    error.hint = fmt::format("The catalog places {} on {}: ask again with domain={}.", id, domain, domain);
    co_return error;
  }

  // ---- Metadata

  Task<AssetAnswer> fetch_asset(RequestContext context, std::string host, std::string id) {
    Asset asset;
    UpstreamRequest request{.host = host, .target = fmt::format("/api/views/{}.json", id)};
    request.read = [&asset, &id](UpstreamAnswer& answer) {
      auto read = parse_asset(answer.body);
      if (read.ok()) asset = std::move(*read);
      return read.ok() && asset.id == id;
    };
    const Asked asked{.kind = AskedFor::metadata, .host = host, .dataset_id = id};
    auto answer = co_await upstream.get(context, std::move(request));
    if (!answer.ok()) co_return failure_of_transfer(asked, std::move(answer).error());
    if (answer->understood) co_return AssetAnswer{std::move(asset), answer->host, answer->mapped};
    auto error = is_success(*answer) ? failure_of_body(asked, *answer, looks_like_json(answer->body))
                                     : failure_of_status(asked, *answer);
    co_return co_await with_place(std::move(error), host, id);
  }

  Task<AssetAnswer> asset(RequestContext context, std::string host, std::string id) {
    const auto key = key_of(host, id);
    if (const auto kept = assets.find(key); kept != assets.end() && kept->second.until > Clock::now()) {
      co_return kept->second.answer;
    }
    auto shared = assets_asked[key];
    if (!shared) {
      shared = std::make_shared<Shared<AssetAnswer>>();
      assets_asked[key] = shared;
      if (context.deadline()) shared->context.limit_to(*context.deadline());
      tasks.spawn(fetch_and_keep(shared, host, id));
    }
    co_return co_await wait_for(context, shared);
  }

  asio::awaitable<void> fetch_and_keep(std::shared_ptr<Shared<AssetAnswer>> shared, std::string host, std::string id) {
    auto answer = co_await fetch_asset(shared->context, host, id);
    const auto key = key_of(host, id);
    if (answer.ok()) {
      remember(host, id);
      if (assets.size() >= kAssetsKept) assets.clear();
      assets.insert_or_assign(key, KeptAsset{*answer, Clock::now() + kAssetKept});
    }
    assets_asked.erase(key);
    shared->finish(answer);
  }

  // For advice beside an error: not at the price of a long wait.
  asio::awaitable<std::optional<Asset>> asset_soon(RequestContext context, std::string host, std::string id) {
    RequestContext soon;
    soon.limit_to(Clock::now() + kLookUpLimit);
    const auto guard = context.on_cancel([soon]() mutable { soon.cancel(); });
    auto answer = co_await asset(soon, host, id);
    if (!answer.ok()) co_return std::nullopt;
    co_return std::move(answer->asset);
  }

  // ---- Rows

  Task<RowsAnswer> fetch_rows(RequestContext context, std::string host, std::string id, SoqlQuery query) {
    RowsAnswer result;
    UpstreamRequest request{.host = host,
                            .target = fmt::format("/resource/{}.json", id) + query_string(parameters_of(query))};
    request.read = [&result](UpstreamAnswer& answer) {
      auto read = parse_rows(answer.body);
      if (read.ok()) result.page = std::move(*read);
      return read.ok();
    };
    const Asked asked{.kind = AskedFor::rows, .host = host, .dataset_id = id};
    auto answer = co_await upstream.get(context, std::move(request));
    if (!answer.ok()) co_return failure_of_transfer(asked, std::move(answer).error());
    if (!answer->understood) {
      auto error = is_success(*answer) ? failure_of_body(asked, *answer, looks_like_json(answer->body))
                                       : failure_of_status(asked, *answer);
      co_return co_await with_place(std::move(error), host, id);
    }
    result.host = answer->host;
    result.mapped = answer->mapped;
    result.fields = field_types(*answer);
    if (answer->out_of_date != "false" && answer->out_of_date != "[]") result.out_of_date = answer->out_of_date;
    co_return std::move(result);
  }

  Task<RowsAnswer> rows(RequestContext context, std::string host, std::string id, SoqlQuery query) {
    auto sent = query;
    sent.order = total_order(query);
    sent.limit = query.limit + 1;
    auto answer = co_await fetch_rows(context, host, id, sent);
    bool total = true;
    if (!answer.ok() && refuses_id(answer.error()) && sent.order != query.order) {
      total = false;
      sent.order = query.order;
      answer = co_await fetch_rows(context, host, id, sent);
    }
    if (!answer.ok()) co_return co_await with_advice(context, std::move(answer).error(), host, id);
    if (answer->page.size() == 0 && query.offset == 0 && query.where.empty() && query.search.empty()) {
      // An asset that is no table answers [] as an empty one does.
      const auto asset = co_await asset_soon(context, host, id);
      if (asset && asset->columns.empty()) co_return not_queryable(*asset, host);
    }
    const auto limit = static_cast<std::size_t>(query.limit);
    answer->more = answer->page.size() + answer->page.rejected.size() > limit;
    answer->page.keep(limit);
    sent.limit = query.limit;
    answer->sent = std::move(sent);
    answer->kind = kind_of_rows(query);
    answer->total_order = total;
    co_return std::move(answer);
  }

  static Error not_queryable(const Asset& asset, const std::string& host) {
    Error error{.code = ErrorCode::validation,
                .reason = "not_queryable",
                .message = fmt::format("{} on {} is not a table ({}): it has no rows that can be queried", asset.id,
                                       host, asset.kind.empty() ? "no columns" : asset.kind),
                .hint = "Search with only=\"datasets\" for a table of the same subject."};
    error.data["domain"] = host;
    error.data["dataset_id"] = asset.id;
    if (!asset.child_ids.empty()) {
      error.hint = fmt::format("Its rows are in {}: query that id.", fmt::join(asset.child_ids, ", "));
      error.nearest = asset.child_ids;
    }
    return error;
  }

  // What only the metadata can tell about a query that the portal refused.
  asio::awaitable<Error> with_advice(RequestContext context, Error error, std::string host, std::string id) {
    const auto column = text_or(error.data, "column", "");
    const bool unknown_column =
        !column.empty() && text_or(error.data, "socrataCode", "").find("no-such-column") != std::string::npos;
    if (!unknown_column && error.reason != "not_queryable") co_return error;
    assets.erase(key_of(host, id));  // columns may have been renamed since
    const auto asset = co_await asset_soon(context, host, id);
    if (!asset) co_return error;
    if (error.reason == "not_queryable") co_return not_queryable(*asset, host);
    std::vector<std::string> names;
    for (const auto& one : asset->columns) {
      // A display label used as a name is the commonest mistake of all.
      if (same_name(one.label, column)) {
        error.nearest = {one.field_name};
        error.hint = fmt::format("{} is the label of a column; its API field name is {}.", one.label, one.field_name);
        co_return error;
      }
      names.push_back(one.field_name);
    }
    error.nearest = nearest_names(column, names);
    if (!error.nearest.empty())
      error.hint += fmt::format(" Columns of a like name: {}.", fmt::join(error.nearest, ", "));
    co_return error;
  }

  // ---- Portals

  std::vector<std::string> mapped_portals() const {
    std::vector<std::string> domains;
    for (const auto& [domain, url] : upstream.portal_map()) {
      if (domain != kUsCatalog && domain != kEuCatalog) domains.push_back(domain);
    }
    return domains;
  }

  Task<Counts> count_portals(RequestContext context, std::vector<std::string> domains) {
    Counts found;
    io::TaskGroup group(loop);
    std::size_t next = 0;
    for (std::size_t lane = 0; lane < kCountsAtOnce; ++lane) {
      group.spawn(count_in_turn(context, domains, &next, &found));
    }
    co_await group.join();
    co_return found;
  }

  // `next` and `found` outlive it: count_portals joins.
  asio::awaitable<void> count_in_turn(RequestContext context, std::vector<std::string> domains, std::size_t* next,
                                      Counts* found) {
    while (*next < domains.size() && !context.cancelled()) {
      const auto domain = domains[(*next)++];
      CatalogSearch search;
      search.domain = domain;
      search.only = "dataset";
      search.limit = 0;
      auto page = co_await search_at(context, std::string(kUsCatalog), std::move(search), 2);
      if (page.ok()) found->insert_or_assign(domain, page->total);
      // A catalog that cannot be reached is not asked 38 times more.
      else if (page.error().retryable && found->empty()) *next = domains.size();
    }
  }

  asio::awaitable<void> refresh_counts(std::shared_ptr<Shared<Counts>> shared) {
    std::vector<std::string> domains;
    for (const auto& domain : mapped_portals()) domains.push_back(domain);
    for (const auto& portal : known_portals()) domains.emplace_back(portal.domain);
    auto fresh = co_await count_portals(shared->context, std::move(domains));
    const bool failed = !fresh.ok() || fresh->empty();
    if (!failed) {
      for (const auto& [domain, count] : *fresh) counts.insert_or_assign(domain, count);  // the last good ones stay
    }
    counts_until = Clock::now() + (failed ? Clock::duration(kFailureKept) : Clock::duration(kCountsKept));
    counting.reset();
    shared->finish(counts);
  }

  void remember(const std::string& host, const std::string& id) {
    auto& ids = seen[host];
    if (ids.size() < kAssetsKept) ids.insert(id);
  }

  void remember_topics(const CatalogEntry& entry) {
    if (topics.size() >= kTopicsKept) return;
    if (!entry.category.empty()) topics.insert(entry.category);
    topics.insert(entry.tags.begin(), entry.tags.end());
  }

  io::EventLoop& loop;
  io::TaskGroup tasks;
  Upstream& upstream;
  std::map<std::string, KeptAsset> assets;
  std::map<std::string, std::shared_ptr<Shared<AssetAnswer>>> assets_asked;
  std::map<std::string, std::set<std::string>> seen;  // ids by host
  std::set<std::string> topics;
  Counts counts;
  Clock::time_point counts_until = Clock::time_point::min();
  std::shared_ptr<Shared<Counts>> counting;
};

Client::Client(io::EventLoop& loop, Upstream& upstream) : state_(std::make_unique<State>(loop, upstream)) {}

Client::~Client() = default;

asio::awaitable<void> Client::shut_down() {
  auto& state = *state_;
  for (const auto& [key, shared] : state.assets_asked) shared->context.cancel();
  if (state.counting) state.counting->context.cancel();
  co_await state.tasks.join();
}

Task<std::vector<PortalEntry>> Client::portals(RequestContext context) {
  auto& state = *state_;
  if (state.counts_until < Clock::now()) {
    auto shared = state.counting;
    if (!shared) {
      shared = std::make_shared<Shared<State::Counts>>();
      state.counting = shared;
      shared->context.limit_to(Clock::now() + kCountsLimit);
      state.tasks.spawn(state.refresh_counts(shared));
    }
    auto counted = co_await state.wait_for(context, shared);
    if (!counted.ok()) co_return std::move(counted).error();
  }
  std::vector<PortalEntry> entries;
  const auto add = [&](std::string_view domain, std::string_view organization) {
    const auto known =
        std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.domain == domain; });
    if (known != entries.end()) {
      known->organization = organization;
      return;
    }
    const auto count = state.counts.find(std::string(domain));
    entries.push_back({.domain = std::string(domain),
                       .organization = std::string(organization),
                       .dataset_count = count == state.counts.end() ? std::nullopt : std::optional(count->second),
                       .mapped = state.upstream.is_mapped(domain)});
  };
  for (const auto& domain : state.mapped_portals()) add(domain, "");
  for (const auto& portal : known_portals()) add(portal.domain, portal.organization);
  co_return entries;
}

Task<CatalogAnswer> Client::find(RequestContext context, CatalogSearch search) {
  auto& state = *state_;
  if (search.offset + search.limit > kCatalogWindow) {
    co_return Error{.code = ErrorCode::validation,
                    .reason = "page_out_of_range",
                    .message = fmt::format("offset + limit is {}; the catalog shows its first {} results only",
                                           search.offset + search.limit, kCatalogWindow),
                    .hint = "Narrow the search: a query, a domain, a category or a tag."};
  }
  auto page = co_await state.search_at(context, std::string(kUsCatalog), search, 0);
  if (page.ok()) co_return CatalogAnswer{std::move(*page), false};
  auto error = std::move(page).error();
  if (search.domain.empty() || error.reason != "unknown_domain") co_return error;
  auto eu = co_await state.search_at(context, std::string(kEuCatalog), search, 0);
  if (eu.ok()) co_return CatalogAnswer{std::move(*eu), true};
  co_return error;
}

Task<AssetAnswer> Client::asset(RequestContext context, std::string host, DatasetId id) {
  co_return co_await state_->asset(context, std::move(host), id.text());
}

Task<RowsAnswer> Client::rows(RequestContext context, std::string host, DatasetId id, SoqlQuery query) {
  co_return co_await state_->rows(context, std::move(host), id.text(), std::move(query));
}

Task<RowsAnswer> Client::page(RequestContext context, std::string host, DatasetId id, SoqlQuery query) {
  ADIT_CO_TRY(auto answer, co_await state_->fetch_rows(context, std::move(host), id.text(), query));
  answer.kind = kind_of_rows(query);
  answer.sent = std::move(query);
  co_return answer;
}

Task<AssetAnswer> Client::fresh_asset(RequestContext context, std::string host, DatasetId id) {
  state_->assets.erase(key_of(host, id.text()));
  co_return co_await state_->asset(context, std::move(host), id.text());
}

Task<std::int64_t> Client::count(RequestContext context, std::string host, DatasetId id, SoqlQuery query) {
  SoqlQuery counted;
  counted.select = "count(*) as n";
  counted.where = std::move(query.where);
  counted.search = std::move(query.search);
  ADIT_CO_TRY(auto answer, co_await state_->fetch_rows(context, std::move(host), id.text(), std::move(counted)));
  if (answer.page.size() == 1) {
    const auto row = parse_json(answer.page.row(0));
    const auto text = row.ok() && row->is_object() ? text_or(row->get_object(), "n", "") : "";
    std::int64_t count = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (!text.empty() && failed == std::errc() && end == text.data() + text.size()) co_return count;
  }
  co_return internal_error("the portal's count is no number");
}

std::vector<std::string> Client::seen_ids(std::string_view host) const {
  const auto at = state_->seen.find(std::string(host));
  if (at == state_->seen.end()) return {};
  return {at->second.begin(), at->second.end()};
}

std::vector<std::string> Client::mapped_portals() const { return state_->mapped_portals(); }

std::vector<std::string> Client::seen_topics() const { return {state_->topics.begin(), state_->topics.end()}; }

}  // namespace adit::socrata
