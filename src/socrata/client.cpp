#include "adit/socrata/client.h"

#include "adit/base/json_fields.h"
#include "adit/base/nearest_name.h"
#include "adit/socrata/portals.h"
#include "catalog_requests.h"
#include "failure.h"
#include "percent_encode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace adit::socrata {
namespace asio = boost::asio;
namespace {

using Clock = io::EventLoop::Clock;

constexpr auto kAssetKept = std::chrono::minutes(10);
constexpr std::size_t kAssetsKept = 256;
constexpr std::size_t kLargestMetadata = 16u << 20;  // of 300 columns with their commonest values: about 1 MB
constexpr auto kAdviceLimit = std::chrono::milliseconds(2500);  // what only makes an error better may not cost more
constexpr auto kCountLimit = std::chrono::seconds(10);

std::string key_of(std::string_view host, std::string_view id) { return fmt::format("{}/{}", host, id); }

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

// The context of a part of the call that may take less time than the call.
RequestContext part_of(const RequestContext& context, Clock::duration limit) {
  RequestContext part;
  part.limit_to(std::min(context.deadline().value_or(Clock::time_point::max()), Clock::now() + limit));
  return part;
}

Error not_queryable(const Asset& asset, const std::string& host) {
  Error error{.code = ErrorCode::validation,
              .reason = "not_queryable",
              .message = fmt::format("{} on {} is not a table ({}): it has no rows that can be queried", asset.id, host,
                                     asset.kind.empty() ? "no columns" : asset.kind),
              .hint = "Search with only=\"datasets\" for a table of the same subject."};
  error.data["domain"] = host;
  error.data["dataset_id"] = asset.id;
  if (!asset.child_ids.empty()) {
    error.hint = fmt::format("Its rows are in {}: query that id.", fmt::join(asset.child_ids, ", "));
    error.nearest = asset.child_ids;
  }
  return error;
}

// A name that the portal did not find: a display label used as a name is the commonest mistake of all.
Error with_near_names(Error error, const Asset& asset, const std::string& wanted) {
  std::vector<std::string> names;
  for (const auto& column : asset.columns) {
    if (same_name(column.label, wanted)) {
      error.nearest = {column.field_name};
      error.hint =
          fmt::format("{} is the label of a column; its API field name is {}.", column.label, column.field_name);
      return error;
    }
    names.push_back(column.field_name);
  }
  error.nearest = nearest_names(wanted, names);
  if (!error.nearest.empty()) {
    error.hint += fmt::format(" Columns of a like name: {}.", fmt::join(error.nearest, ", "));
  }
  return error;
}

// Whether the order that we added may be why the portal refuses the query.
bool may_be_the_order(const Error& error, RowsKind kind) {
  if (refuses_id(error)) return true;
  return error.reason == "soql_error" && (kind != RowsKind::plain || error.message.find(":id") != std::string::npos ||
                                          text_or(error.data, "socrataCode", "").find("group") != std::string::npos);
}

}  // namespace

struct Client::State {
  State(io::EventLoop& the_loop, Upstream& the_upstream)
      : loop(the_loop), tasks(the_loop), upstream(the_upstream), catalog(the_loop, tasks, the_upstream) {}

  struct KeptAsset {
    AssetAnswer answer;
    Clock::time_point until;
  };
  using SharedAsset = std::shared_ptr<SharedRequest<AssetAnswer>>;

  // A not_found says where the id lives. What a gateway refuses although the catalog lists it here is no such thing.
  asio::awaitable<Error> with_place(RequestContext context, Error error, std::string host, std::string id) {
    if (error.reason != "not_found") co_return error;
    const auto domain = co_await catalog.domain_of(context, id);
    if (domain.empty()) co_return error;
    if (same_portal(domain, host)) {
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
    UpstreamRequest request{
        .host = host, .target = fmt::format("/api/views/{}.json", id), .max_body_bytes = kLargestMetadata};
    request.read = [&asset, &id](UpstreamAnswer& answer) {
      auto read = parse_asset(answer.body);
      if (!read.ok() || read->id != id) return kind_of_other_body(answer.body);
      asset = std::move(*read);
      return BodyIs::what_was_asked;
    };
    const Asked asked{.kind = AskedFor::metadata, .host = host, .dataset_id = id};
    auto answer = co_await upstream.get(context, std::move(request));
    if (!answer.ok()) co_return failure_of_transfer(asked, std::move(answer).error());
    if (answer->body_is == BodyIs::what_was_asked) {
      co_return AssetAnswer{std::move(asset), answer->host, answer->mapped};
    }
    auto error = answer->is_success() ? failure_of_body(asked, *answer) : failure_of_status(asked, *answer);
    co_return co_await with_place(context, std::move(error), host, id);
  }

  asio::awaitable<void> fetch_and_keep(SharedAsset shared, std::string host, std::string id) {
    auto answer = co_await fetch_asset(shared->context(), host, id);
    const auto key = key_of(host, id);
    if (answer.ok()) {
      catalog.remember(host, id);
      if (assets.size() >= kAssetsKept) assets.clear();
      assets.insert_or_assign(key, KeptAsset{*answer, Clock::now() + kAssetKept});
    }
    if (const auto asked = assets_asked.find(key); asked != assets_asked.end() && asked->second == shared) {
      assets_asked.erase(asked);
    }
    shared->finish(std::move(answer));
  }

  Task<AssetAnswer> asset(RequestContext context, std::string host, std::string id) {
    const auto key = key_of(host, id);
    if (const auto kept = assets.find(key); kept != assets.end() && kept->second.until > Clock::now()) {
      co_return kept->second.answer;
    }
    auto shared = assets_asked[key];
    if (!shared || shared->cancelled()) {
      shared = std::make_shared<SharedRequest<AssetAnswer>>(upstream.call_limit());
      assets_asked[key] = shared;
      tasks.spawn(fetch_and_keep(shared, host, id));
    }
    co_return co_await shared->wait(loop, context);
  }

  asio::awaitable<std::optional<Asset>> asset_for_advice(RequestContext context, std::string host, std::string id) {
    auto soon = part_of(context, kAdviceLimit);
    const auto guard = context.on_cancel([soon]() mutable { soon.cancel(); });
    auto answer = co_await asset(soon, host, id);
    if (!answer.ok()) co_return std::nullopt;
    co_return std::move(answer->asset);
  }

  // ---- Rows

  Task<RowsAnswer> fetch_rows(RequestContext context, std::string host, std::string id, SoqlQuery query, int attempts) {
    RowsAnswer result;
    UpstreamRequest request{.host = host,
                            .target = fmt::format("/resource/{}.json", id) + query_string(parameters_of(query)),
                            .attempts = attempts};
    request.read = [&result](UpstreamAnswer& answer) {
      auto read = parse_rows(answer.body);
      if (!read.ok()) return kind_of_other_body(answer.body);
      result.page = std::move(*read);
      return BodyIs::what_was_asked;
    };
    const Asked asked{.kind = AskedFor::rows, .host = host, .dataset_id = id};
    auto answer = co_await upstream.get(context, std::move(request));
    if (!answer.ok()) co_return failure_of_transfer(asked, std::move(answer).error());
    if (answer->body_is != BodyIs::what_was_asked) {
      auto error = answer->is_success() ? failure_of_body(asked, *answer) : failure_of_status(asked, *answer);
      co_return co_await with_place(context, std::move(error), host, id);
    }
    result.host = answer->host;
    result.mapped = answer->mapped;
    result.fields = field_types(*answer);
    if (answer->out_of_date != "false" && answer->out_of_date != "[]") result.out_of_date = answer->out_of_date;
    co_return std::move(result);
  }

  Task<RowsAnswer> rows(RequestContext context, std::string host, std::string id, SoqlQuery query) {
    const auto kind = kind_of_rows(query);
    auto sent = query;
    sent.order = total_order(query);
    sent.limit = query.limit + 1;
    bool total = true;
    auto answer = co_await fetch_rows(context, host, id, sent, 0);
    if (!answer.ok() && sent.order != query.order && may_be_the_order(answer.error(), kind)) {
      total = false;
      sent.order = query.order;
      answer = co_await fetch_rows(context, host, id, sent, 0);
    }
    if (!answer.ok()) co_return co_await with_advice(context, std::move(answer).error(), host, id);
    if (answer->page.received == 0 && query.offset == 0 && query.where.empty() && query.search.empty()) {
      // An asset that is no table answers [] as an empty one does.
      const auto asset = co_await asset_for_advice(context, host, id);
      if (asset && asset->columns.empty()) co_return not_queryable(*asset, host);
    }
    const auto limit = static_cast<std::size_t>(query.limit);
    answer->more = answer->page.received > limit;
    answer->page.keep(limit);
    sent.limit = query.limit;
    answer->sent = std::move(sent);
    answer->kind = kind;
    answer->total_order = total;
    co_return std::move(answer);
  }

  // What only the metadata can tell about a query that the portal refused.
  asio::awaitable<Error> with_advice(RequestContext context, Error error, std::string host, std::string id) {
    const auto column = text_or(error.data, "column", "");
    const bool unknown_column =
        !column.empty() && text_or(error.data, "socrataCode", "").find("no-such-column") != std::string::npos;
    if (!unknown_column && error.reason != "not_queryable") co_return error;
    assets.erase(key_of(host, id));  // columns may have been renamed since
    const auto asset = co_await asset_for_advice(context, host, id);
    if (!asset) co_return error;
    if (error.reason == "not_queryable") co_return not_queryable(*asset, host);
    co_return with_near_names(std::move(error), *asset, column);
  }

  RequestContext within_limit(RequestContext context) const {
    context.limit_to(Clock::now() + upstream.call_limit());
    return context;
  }

  io::EventLoop& loop;
  io::TaskGroup tasks;
  Upstream& upstream;
  CatalogRequests catalog;
  std::map<std::string, KeptAsset> assets;
  std::map<std::string, SharedAsset> assets_asked;
};

Client::Client(io::EventLoop& loop, Upstream& upstream) : state_(std::make_unique<State>(loop, upstream)) {}

Client::~Client() = default;

asio::awaitable<void> Client::shut_down() {
  auto& state = *state_;
  const auto asked = state.assets_asked;
  for (const auto& [key, shared] : asked) shared->cancel();
  state.catalog.cancel_shared();
  co_await state.tasks.join();
}

Task<std::vector<PortalEntry>> Client::portals(RequestContext context) {
  co_return co_await state_->catalog.portals(state_->within_limit(context));
}

Task<CatalogAnswer> Client::find(RequestContext context, CatalogSearch search) {
  if (search.offset > kCatalogWindow - search.limit) {
    co_return Error{.code = ErrorCode::validation,
                    .reason = "page_out_of_range",
                    .message = fmt::format("offset {} and limit {} reach behind the first {} results, which is all "
                                           "that the catalog shows",
                                           search.offset, search.limit, kCatalogWindow),
                    .hint = "Narrow the search: a query, a domain, a category or a tag."};
  }
  co_return co_await state_->catalog.search(state_->within_limit(context), std::move(search));
}

Task<AssetAnswer> Client::asset(RequestContext context, std::string host, DatasetId id) {
  co_return co_await state_->asset(state_->within_limit(context), std::move(host), id.text());
}

Task<AssetAnswer> Client::fresh_asset(RequestContext context, std::string host, DatasetId id) {
  state_->assets.erase(key_of(host, id.text()));
  co_return co_await state_->asset(state_->within_limit(context), std::move(host), id.text());
}

Task<RowsAnswer> Client::rows(RequestContext context, std::string host, DatasetId id, SoqlQuery query) {
  co_return co_await state_->rows(state_->within_limit(context), std::move(host), id.text(), std::move(query));
}

Task<RowsAnswer> Client::page(RequestContext context, std::string host, DatasetId id, SoqlQuery query) {
  ADIT_CO_TRY(auto answer, co_await state_->fetch_rows(context, std::move(host), id.text(), query, 0));
  answer.kind = kind_of_rows(query);
  answer.sent = std::move(query);
  co_return answer;
}

Task<std::int64_t> Client::count(RequestContext context, std::string host, DatasetId id, SoqlQuery query) {
  SoqlQuery counted;
  counted.select = "count(*) as n";
  counted.where = std::move(query.where);
  counted.search = std::move(query.search);
  auto soon = part_of(context, kCountLimit);
  const auto guard = context.on_cancel([soon]() mutable { soon.cancel(); });
  ADIT_CO_TRY(auto answer, co_await state_->fetch_rows(soon, std::move(host), id.text(), std::move(counted), 1));
  if (answer.page.size() == 1) {
    const auto row = parse_json(answer.page.row(0));
    const auto text = row.ok() && row->is_object() ? text_or(row->get_object(), "n", "") : "";
    std::int64_t count = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (!text.empty() && failed == std::errc() && end == text.data() + text.size()) co_return count;
  }
  co_return internal_error("the portal's count is no number");
}

std::vector<std::string> Client::mapped_portals() const { return state_->catalog.mapped_portals(); }

std::vector<std::string> Client::seen_ids(std::string_view host) const { return state_->catalog.seen_ids(host); }

std::vector<std::string> Client::seen_topics() const { return state_->catalog.seen_topics(); }

}  // namespace adit::socrata
