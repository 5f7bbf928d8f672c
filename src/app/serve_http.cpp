// adit serve --http: MCP over HTTP, for many clients at once.
#include "adit/base/log.h"
#include "adit/io/loop_lag.h"
#include "adit/mcp/http_transport.h"
#include "commands.h"
#include "http_options.h"
#include "wiring.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <optional>

namespace adit::app {
namespace {

constexpr rlim_t kWantedDescriptors = 16'384;
constexpr rlim_t kOwnDescriptors = 256;  // files, workers and their channels

// A connection is a descriptor, and the usual limit is made for programs that count them by select(). Gives how many
// connections there is room for.
std::size_t make_room_for_connections(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kWantedDescriptors));
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t room = limit.rlim_cur > 2 * kOwnDescriptors ? limit.rlim_cur - kOwnDescriptors : limit.rlim_cur / 2;
  return std::min<std::size_t>(wanted, room);
}

Task<void> check_sandbox(workspace::Workspaces& workspaces, bool may_lack_it) {
  ADIT_CO_TRY(const auto missing, co_await workspaces.probe_sandbox());
  if (missing.empty()) co_return Result<void>();
  const auto what = fmt::format("This machine's kernel lacks {}", fmt::join(missing, ", "));
  if (may_lack_it) {
    log::warning("{}: SQL of HTTP clients runs without that", what);
    co_return Result<void>();
  }
  co_return Error{.code = ErrorCode::unavailable,
                  .reason = "no_sandbox",
                  .message = what,
                  .hint =
                      "Without it a client's SQL is confined by its process alone. If all clients are trusted, "
                      "start with --unsafe-no-sandbox."};
}

// One line at the end for whoever looks into delays. The timers cost too little to be seen, but they wake a server that
// could sleep, so they run at --log-level debug only.
void tell(const io::LagCounts& lag) {
  const auto ms = [](io::LagCounts::Microseconds time) { return static_cast<double>(time.count()) / 1000; };
  log::debug("event loop: {} timers, late by p50 {:.2f} ms, p99 {:.2f} ms, p99.9 {:.2f} ms, at most {:.2f} ms",
             lag.total(), ms(lag.at_share(0.5)), ms(lag.at_share(0.99)), ms(lag.at_share(0.999)), ms(lag.most()));
}

Task<void> serve_until_end(io::EventLoop& loop, Service& service, const HttpServeOptions& options, log::Level level) {
  ADIT_CO_TRY(auto transport_settings, transport_options(options));
  transport_settings.connections = make_room_for_connections(transport_settings.connections);
  auto checked = co_await check_sandbox(*service.workspaces, options.without_sandbox);
  if (!checked.ok()) {
    co_await service.shut_down();
    co_return std::move(checked).error();
  }
  transport_settings.on_owner_gone = [&service](const std::string& owner) { service.workspaces->close_all_of(owner); };
  auto transport = mcp::HttpTransport::start(loop, *service.server, std::move(transport_settings));
  if (!transport.ok()) {
    co_await service.shut_down();
    co_return std::move(transport).error();
  }
  fmt::print(stderr, "adit {}: listening on {}\n", ADIT_VERSION, (*transport)->url());
  loop.post([&service] { service.workspaces->sweep(); });
  std::optional<io::LoopLag> lag;
  if (level == log::Level::debug) lag.emplace(loop);
  co_await mcp::serve_http(loop, **transport);
  if (lag) tell(lag->counts());
  lag.reset();
  co_await service.shut_down();
  co_return Result<void>();
}

boost::asio::awaitable<void> run_to_result(io::EventLoop& loop, Service& service, const ServerOptions& options,
                                           Result<void>& result) {
  result = co_await serve_until_end(loop, service, options.http, options.log_level);
}

}  // namespace

int serve_http(const ServerOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  // Other processes of the same user may not read our memory or environment: tokens are in them.
  ::prctl(PR_SET_DUMPABLE, 0);
  io::EventLoop loop;
  Result<void> result;
  if (auto service = make_service(loop, options); service.ok()) {
    io::run_to_end(loop, run_to_result(loop, *service, options, result));
  } else {
    result = std::move(service).error();
  }
  if (result.ok()) return 0;
  fmt::print(stderr, "adit: {}. {}\n", result.error().message, result.error().hint);
  return 1;
}

}  // namespace adit::app
