#include "adit/socrata/upstream.h"

#include "adit/base/log.h"
#include "adit/net/host_name.h"
#include "adit/net/http_client.h"
#include "adit/socrata/portals.h"
#include "retry.h"

#include <boost/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>

namespace adit::socrata {
namespace {

using Clock = io::EventLoop::Clock;

constexpr int kMostRedirects = 3;  // portals move once; a chain is a loop
constexpr auto kProgressEvery = std::chrono::seconds(2);

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Error cancelled_error() {
  return {.code = ErrorCode::timeout, .reason = "cancelled", .message = "The request was cancelled", .hint = ""};
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

Result<Place> place_of(const std::string& location, const Place& from) {
  if (location.starts_with("/") && !location.starts_with("//")) return Place{from.host, location};
  constexpr std::string_view kHttps = "https://";
  if (!location.starts_with(kHttps)) return bad_redirect(from.host, "to an address that is not https");
  const auto rest = std::string_view(location).substr(kHttps.size());
  const auto path = rest.find_first_of("/?#");
  auto authority = rest.substr(0, path);
  if (authority.ends_with(":443")) authority.remove_suffix(4);
  auto host = net::HostName::parse(authority);
  if (!host.ok() || authority.find(':') != std::string_view::npos) {
    return bad_redirect(from.host, "to a host that no portal may have");
  }
  auto target = path == std::string_view::npos ? std::string("/") : std::string(rest.substr(path));
  if (const auto fragment = target.find('#'); fragment != std::string::npos) target.resize(fragment);
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
                 .message = fmt::format("--portal-map {}: {}", text, why),
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
      : loop(the_loop), http(the_http), options(std::move(the_options)) {}

  bool may_carry_token(const std::string& host) const {
    if (options.app_token.empty() || token_refused) return false;
    if (options.token_hosts.contains(host)) return true;
    if (options.portal_map.contains(host)) return false;
    return is_known_portal(host) || host == "api.us.socrata.com" || host == "api.eu.socrata.com";
  }

  net::FetchRequest request_for(const Place& place, bool with_token) const {
    const auto mapped = options.portal_map.find(place.host);
    net::FetchRequest request{
        .method = "GET",
        .url = (mapped == options.portal_map.end() ? "https://" + place.host : mapped->second) + place.target,
        .headers = {{"Accept", "application/json"}},
        .body = {},
        .addresses = mapped == options.portal_map.end() ? net::AddressRule::public_only : net::AddressRule::any,
        .max_body_bytes = options.max_body_bytes};
    if (mapped != options.portal_map.end()) request.headers.emplace_back("Host", place.host);
    if (with_token) request.headers.emplace_back("X-App-Token", options.app_token);
    return request;
  }

  // One attempt: the answer behind the redirects.
  Task<UpstreamAnswer> attempt(RequestContext context, UpstreamRequest asked) {
    Place place{asked.host, asked.target};
    for (int redirects = 0;; ++redirects) {
      const bool with_token = may_carry_token(place.host);
      auto request = request_for(place, with_token);
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
        ADIT_CO_TRY(place, place_of(std::string(response.header("Location")), place));
        continue;
      }
      co_return UpstreamAnswer{.status = response.status,
                               .body = std::move(response.body),
                               .content_type = std::string(response.header("Content-Type")),
                               .host = place.host,
                               .redirected = place.host != asked.host,
                               .mapped = options.portal_map.contains(place.host),
                               .token_sent = with_token,
                               .retry_after = std::string(response.header("Retry-After")),
                               .out_of_date = std::string(response.header("X-SODA2-Data-Out-Of-Date")),
                               .fields = std::string(response.header("X-SODA2-Fields")),
                               .types = std::string(response.header("X-SODA2-Types"))};
    }
  }

  // Leaves a host alone that asked for it. False: the wait is longer than any call's, or it was cancelled.
  Task<void> wait(RequestContext context, Clock::time_point until) {
    if (until <= Clock::now()) co_return Result<void>();
    if (context.deadline() && *context.deadline() <= until) {
      co_return Error{.code = ErrorCode::timeout,
                      .reason = "timed_out",
                      .message = "The portal did not answer in time",
                      .hint = "",
                      .retryable = true};
    }
    io::OneShot<bool> over(loop);
    io::Timer timer(loop);
    timer.start(until, [over] { over.set(true); });
    const auto guard = context.on_cancel([over] { over.set(false); });
    if (!co_await over.wait()) co_return cancelled_error();
    co_return Result<void>();
  }

  double random() { return std::uniform_real_distribution<double>(0, 1)(engine); }

  io::EventLoop& loop;
  net::HttpClient& http;
  UpstreamOptions options;
  bool token_refused = false;
  std::map<std::string, Clock::time_point> not_before;  // hosts that answered 429
  std::minstd_rand engine{std::random_device{}()};
};

Upstream::Upstream(io::EventLoop& loop, net::HttpClient& http, UpstreamOptions options)
    : state_(std::make_unique<State>(loop, http, std::move(options))) {}

Upstream::~Upstream() = default;

bool Upstream::is_mapped(std::string_view host) const { return state_->options.portal_map.contains(std::string(host)); }

const PortalMap& Upstream::portal_map() const { return state_->options.portal_map; }

Task<UpstreamAnswer> Upstream::get(RequestContext context, UpstreamRequest request) {
  auto& state = *state_;
  const int attempts = request.attempts > 0 ? request.attempts : state.options.attempts;
  const auto start = Clock::now();

  // People who wait are told so, for as long as it takes.
  io::Timer ticker(state.loop);
  std::function<void()> tick = [&] {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    context.report({.elapsed_seconds = elapsed, .fraction = {}, .message = "waiting for " + request.host});
    ticker.start(Clock::now() + kProgressEvery, tick);
  };
  if (context.wants_progress()) ticker.start(start + kProgressEvery, tick);

  for (int number = 1;; ++number) {
    if (const auto held = state.not_before.find(request.host); held != state.not_before.end()) {
      ADIT_CO_CHECK(co_await state.wait(context, held->second));
    }
    auto answer = co_await state.attempt(context, request);
    bool again = !answer.ok() && answer.error().retryable;
    if (answer.ok()) {
      answer->attempts = number;
      const bool success = answer->status >= 200 && answer->status < 300 && answer->status != 202;
      if (success && request.read) answer->understood = request.read(*answer);
      const bool broken = success && request.read && !answer->understood && !answer->redirected;
      again = broken || is_worth_another_attempt(answer->status);
    }
    if (!again || number == attempts) co_return std::move(answer);

    auto pause = retry_delay(number + 1, state.options.retry_delay, state.options.longest_wait, state.random());
    if (answer.ok()) {
      const auto named = parse_retry_after(answer->retry_after, std::chrono::system_clock::now());
      if (named && *named > state.options.longest_wait) co_return std::move(answer);
      if (named) pause = *named;
      if (answer->status == 429) state.not_before[request.host] = Clock::now() + pause;
    }
    auto waited = co_await state.wait(context, Clock::now() + pause);
    // With no time left, what came is the answer.
    if (!waited.ok() && waited.error().reason == "cancelled") co_return std::move(waited).error();
    if (!waited.ok()) co_return std::move(answer);
  }
}

}  // namespace adit::socrata
