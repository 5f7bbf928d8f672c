#include "request_lanes.h"

#include <fmt/format.h>

namespace adit::socrata {
namespace {

using Clock = io::EventLoop::Clock;

constexpr std::size_t kLanesKept = 1'000;

Error cancelled() {
  return {.code = ErrorCode::timeout, .reason = "cancelled", .message = "The request was cancelled", .hint = ""};
}

Error timed_out() {
  return {.code = ErrorCode::timeout,
          .reason = "timed_out",
          .message = "The portal did not answer in time",
          .hint = "",
          .retryable = true};
}

Error rate_limited(const std::string& host, Clock::duration left) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(left).count();
  Error error{.code = ErrorCode::rate_limited,
              .reason = "rate_limited",
              .message = fmt::format("{} limits how often it is asked; it wants {} more seconds", host, seconds),
              .hint = "Wait that long and try again. An app token (SOCRATA_APP_TOKEN) has a limit of its own.",
              .retryable = true};
  error.data["domain"] = host;
  error.data["status"] = 429;
  error.data["retryAfter"] = std::to_string(seconds);
  return error;
}

}  // namespace

Task<RequestLanes::Pass> RequestLanes::enter(RequestContext context, std::string host,
                                             std::chrono::milliseconds longest) {
  if (lanes_.size() >= kLanesKept) {
    std::erase_if(lanes_, [](const auto& entry) { return entry.second.running == 0 && entry.second.waiting.empty(); });
  }
  auto& lane = lanes_[host];
  if (lane.running >= at_once_) {
    io::OneShot<Result<void>> turn(loop_);
    lane.waiting.push_back(turn);
    io::Timer deadline(loop_);
    if (context.deadline()) deadline.start(*context.deadline(), [turn] { turn.set(timed_out()); });
    const auto guard = context.on_cancel([turn] { turn.set(cancelled()); });
    auto entered = co_await turn.wait();  // leave() has counted us in when it is ours
    if (!entered.ok()) co_return std::move(entered).error();
  } else {
    ++lane.running;
  }
  Pass pass(*this, host);
  const auto until = lanes_[host].not_before;
  if (until > Clock::now()) {
    const auto left = until - Clock::now();
    if (left > longest || (context.deadline() && *context.deadline() <= until)) co_return rate_limited(host, left);
    ADIT_CO_CHECK(co_await pause(loop_, context, until));
  }
  co_return std::move(pass);
}

void RequestLanes::leave(const std::string& host) {
  auto& lane = lanes_[host];
  while (!lane.waiting.empty()) {
    auto next = lane.waiting.front();
    lane.waiting.pop_front();
    if (next.is_set()) continue;  // gave up
    next.set(Result<void>());
    return;  // the place is the next one's
  }
  --lane.running;
}

void RequestLanes::hold(const std::string& host, std::chrono::milliseconds time) {
  auto& not_before = lanes_[host].not_before;
  not_before = std::max(not_before, Clock::now() + time);
}

Task<void> pause(io::EventLoop& loop, RequestContext context, Clock::time_point until) {
  if (context.cancelled()) co_return cancelled();
  if (until <= Clock::now()) co_return Result<void>();
  if (context.deadline() && *context.deadline() <= until) co_return timed_out();
  io::OneShot<bool> over(loop);
  io::Timer timer(loop);
  timer.start(until, [over] { over.set(true); });
  const auto guard = context.on_cancel([over] { over.set(false); });
  if (!co_await over.wait()) co_return cancelled();
  co_return Result<void>();
}

}  // namespace adit::socrata
