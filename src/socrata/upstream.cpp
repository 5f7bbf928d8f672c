#include "adit/socrata/upstream.h"

#include "adit/base/log.h"
#include "adit/net/host_name.h"
#include "adit/net/http_client.h"
#include "adit/socrata/portals.h"
#include "request_lanes.h"
#include "retry.h"

#include "adit/base/ascii_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace adit::socrata {
namespace {

using Clock = io::EventLoop::Clock;

constexpr int kMostRedirects = 3;                     // portals move once; a chain is a loop
constexpr auto kLongestHold = std::chrono::hours(1);  // a host that names a year has made a mistake
constexpr auto kProgressEvery = std::chrono::seconds(2);

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Error bad_redirect(const std::string& host, std::string_view why) {
  Error error{.code = ErrorCode::not_found,
              .reason = "unknown_domain",
              .message = fmt::format("{} redirects the request {}", host, why),
              .hint =
                  "It is not the host of a Socrata portal (any more): check its spelling, or take a domain from "
                  "socrata_list_portals."};
  error.data["domain"] = host;
  return error;
}

// Where a redirect leads: a new host and target, or the same host.
struct Place {
  std::string host, target;
};

// RFC 3986, 5.2, for what portals send: absolute, or relative to the host or to the path.
Result<Place> place_of(std::string location, const Place& from) {
  if (const auto fragment = location.find('#'); fragment != std::string::npos) location.resize(fragment);
  for (auto space = location.find(' '); space != std::string::npos; space = location.find(' ', space)) {
    location.replace(space, 1, "%20");
  }
  if (location.starts_with("//")) location.insert(0, "https:");
  if (location.starts_with('/')) return Place{from.host, location};
  const auto path_end = from.target.find('?');
  const auto path = from.target.substr(0, path_end);
  if (location.starts_with('?')) return Place{from.host, path + location};
  constexpr std::string_view kHttps = "https://";
  const auto scheme = location.find_first_of(":/?");
  if (scheme == std::string::npos || location[scheme] != ':') {
    return Place{from.host, path.substr(0, path.rfind('/') + 1) + location};
  }
  if (ascii_lower_case(std::string_view(location).substr(0, kHttps.size())) != kHttps) {
    return bad_redirect(from.host, "to an address that is not https");
  }
  const auto rest = std::string_view(location).substr(kHttps.size());
  const auto behind = rest.find_first_of("/?");
  auto authority = rest.substr(0, behind);
  if (authority.ends_with(":443")) authority.remove_suffix(4);
  auto host = net::HostName::parse(authority);
  if (!host.ok() || authority.find(':') != std::string_view::npos) {
    return bad_redirect(from.host, "to a host that no portal may have");
  }
  auto target = behind == std::string_view::npos ? std::string("/") : std::string(rest.substr(behind));
  if (!target.starts_with('/')) target.insert(0, "/");
  return Place{host->text(), std::move(target)};
}

// The portal says that the token is none of its: "Invalid app_token specified".
bool blames_token(const net::FetchResponse& response) {
  return response.status == 403 && response.body.size() < 4096 &&
         response.body.find("app_token") != std::string::npos && response.body.starts_with('{');
}

}  // namespace

Result<std::pair<std::string, std::string>> parse_portal_map(std::string_view text) {
  const auto refused = [&](std::string_view why) {
    return Error{.code = ErrorCode::validation,
                 .reason = "invalid_option",
                 .message = fmt::format("--portal-map {}=…: {}", text.substr(0, text.find('=')), why),
                 .hint = "Write NAME=URL, for example data.example.gov=http://127.0.0.1:8080."};
  };
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return refused("there is no =");
  auto name = net::HostName::parse(text.substr(0, equals));
  if (!name.ok()) return refused("the name is not that of a host");
  auto url = text.substr(equals + 1);
  if (url.ends_with('/')) url.remove_suffix(1);
  const auto scheme = url.find("://");
  const auto kind = url.substr(0, scheme);
  if (scheme == std::string_view::npos || (kind != "http" && kind != "https")) return refused("the URL is not http(s)");
  if (url.size() == scheme + 3 || url.find_first_of("/?#@ \\", scheme + 3) != std::string_view::npos) {
    return refused("the URL is more than scheme, host and port");
  }
  return std::pair{name->text(), std::string(url)};
}

struct Upstream::State {
  State(io::EventLoop& the_loop, net::HttpClient& the_http, UpstreamOptions the_options)
      : loop(the_loop), http(the_http), options(std::move(the_options)), lanes(the_loop, options.requests_of_host) {}

  bool may_carry_token(const std::string& host) const {
    if (options.app_token.empty() || token_refused) return false;
    if (options.token_hosts.contains(host)) return true;
    if (options.portal_map.contains(host)) return false;
    return is_known_portal(host) || host == "api.us.socrata.com" || host == "api.eu.socrata.com";
  }

  net::FetchRequest request_for(const Place& place, bool with_token, std::size_t max_body_bytes) const {
    const auto mapped = options.portal_map.find(place.host);
    net::FetchRequest request{
        .method = "GET",
        .url = (mapped == options.portal_map.end() ? "https://" + place.host : mapped->second) + place.target,
        .headers = {{"Accept", "application/json"}},
        .body = {},
        .addresses = mapped == options.portal_map.end() ? net::AddressRule::public_only : net::AddressRule::any,
        .max_body_bytes = max_body_bytes};
    if (mapped != options.portal_map.end()) request.headers.emplace_back("Host", place.host);
    if (with_token) request.headers.emplace_back("X-App-Token", options.app_token);
    return request;
  }

  // One attempt: the answer behind the redirects.
  Task<UpstreamAnswer> attempt(RequestContext context, UpstreamRequest asked) {
    Place place{asked.host, asked.target};
    for (int redirects = 0;; ++redirects) {
      const bool with_token = may_carry_token(place.host);
      auto request = request_for(place, with_token, asked.max_body_bytes);
      ADIT_CO_TRY(auto response, co_await http.send(context, std::move(request)));
      if (with_token && blames_token(response)) {
        if (!std::exchange(token_refused, true)) {
          log::warning("{} refuses the app token; it is not sent any more", place.host);
        }
        --redirects;  // the same place once more, without it
        continue;
      }
      if (is_redirect(response.status) && !response.header("Location").empty()) {
        if (redirects == kMostRedirects) co_return bad_redirect(asked.host, "more than three times");
        const auto from = place.host;
        ADIT_CO_TRY(place, place_of(std::string(response.header("Location")), place));
        // What the user has set up for one name is not for somebody else's portal to reach into.
        if (options.portal_map.contains(place.host) && !options.portal_map.contains(from)) {
          co_return bad_redirect(from, "to a host of this server's own configuration");
        }
        continue;
      }
      co_return UpstreamAnswer{.status = response.status,
                               .body = std::move(response.body),
                               .content_type = std::string(response.header("Content-Type")),
                               .host = place.host,
                               .redirected = place.host != asked.host,
                               .mapped = options.portal_map.contains(place.host),
                               .retry_after = std::string(response.header("Retry-After")),
                               .out_of_date = std::string(response.header("X-SODA2-Data-Out-Of-Date")),
                               .fields = std::string(response.header("X-SODA2-Fields")),
                               .types = std::string(response.header("X-SODA2-Types"))};
    }
  }

  double random() { return std::uniform_real_distribution<double>(0, 1)(engine); }

  io::EventLoop& loop;
  net::HttpClient& http;
  UpstreamOptions options;
  bool token_refused = false;
  RequestLanes lanes;
  std::minstd_rand engine{std::random_device{}()};
};

Upstream::Upstream(io::EventLoop& loop, net::HttpClient& http, UpstreamOptions options)
    : state_(std::make_unique<State>(loop, http, std::move(options))) {}

Upstream::~Upstream() = default;

std::chrono::milliseconds Upstream::call_limit() const { return state_->options.call_limit; }

bool Upstream::is_mapped(std::string_view host) const { return state_->options.portal_map.contains(std::string(host)); }

const PortalMap& Upstream::portal_map() const { return state_->options.portal_map; }

namespace {

// Of an attempt that was no success: whether another one may be.
bool is_worth_another(const Result<UpstreamAnswer>& answer, const UpstreamRequest& request, int timeouts) {
  if (answer.ok()) {
    const bool broken = answer->is_success() && request.read && answer->body_is == BodyIs::not_json;
    return (broken && !answer->redirected) || is_worth_another_attempt(answer->status);
  }
  const auto& error = answer.error();
  if (error.reason == "host_not_found") return request.unknown_host == UnknownHost::is_tried_again;
  // A portal that thinks for a minute thinks as long the next time: once more, not three times.
  if (error.reason == "timed_out") return timeouts < 2;
  return error.retryable;
}

}  // namespace

Task<UpstreamAnswer> Upstream::get(RequestContext context, UpstreamRequest request) {
  auto& state = *state_;
  const int attempts = request.attempts > 0 ? request.attempts : state.options.attempts;
  const auto start = Clock::now();
  const auto longest = state.options.longest_wait;

  // People who wait are told so, for as long as it takes.
  io::Timer ticker(state.loop);
  std::function<void()> tick = [&] {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    context.report({.elapsed_seconds = elapsed, .fraction = {}, .message = "waiting for " + request.host});
    ticker.start(Clock::now() + kProgressEvery, tick);
  };
  if (context.wants_progress()) ticker.start(start + kProgressEvery, tick);

  int timeouts = 0;
  for (int number = 1, counted = 1;; ++number) {
    Result<UpstreamAnswer> answer = UpstreamAnswer();
    {
      ADIT_CO_TRY(const auto pass, co_await state.lanes.enter(context, request.host, longest));
      answer = co_await state.attempt(context, request);
    }
    if (answer.ok()) {
      answer->attempts = number;
      if (answer->is_success() && request.read) answer->body_is = request.read(*answer);
    } else if (answer.error().reason == "timed_out") {
      ++timeouts;
    }
    auto wait = with_jitter(retry_delay(number + 1, state.options.retry_delay, longest), state.random());
    bool too_long = false;
    if (answer.ok()) {
      const auto named = parse_retry_after(answer->retry_after, std::chrono::system_clock::now());
      too_long = named && *named > longest;
      // Those that waited for the same moment do not all come at once.
      if (named) wait = *named + wait / 8;
      if (answer->status == 429) {
        state.lanes.hold(request.host, too_long ? std::min<std::chrono::milliseconds>(*named, kLongestHold) : wait);
      }
    }
    // A query that is still at work (202) is asked about for as long as the call may take.
    const bool at_work = answer.ok() && answer->status == 202;
    if (!at_work) ++counted;
    if (too_long || counted > attempts || !is_worth_another(answer, request, timeouts)) co_return std::move(answer);
    auto waited = co_await pause(state.loop, context, Clock::now() + wait);
    // With no time left, what came is the answer.
    if (!waited.ok() && waited.error().reason == "cancelled") co_return std::move(waited).error();
    if (!waited.ok()) co_return std::move(answer);
  }
}

}  // namespace adit::socrata
