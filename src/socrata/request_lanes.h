// How fast one host is asked: a few requests at once, and none before the moment it named with a 429.
#pragma once

#include "adit/base/request_context.h"
#include "adit/base/task.h"
#include "adit/io/event_loop.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>

namespace adit::socrata {

// Loop thread only. Outlives its passes.
class RequestLanes {
 public:
  RequestLanes(io::EventLoop& loop, std::size_t at_once) : loop_(loop), at_once_(at_once) {}

  // Held for one request; gives its place to the next that waits.
  class [[nodiscard]] Pass {
   public:
    Pass(RequestLanes& lanes, std::string host) : lanes_(&lanes), host_(std::move(host)) {}
    Pass(Pass&& other) noexcept : lanes_(std::exchange(other.lanes_, nullptr)), host_(std::move(other.host_)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (lanes_ != nullptr) lanes_->leave(host_);
    }

   private:
    RequestLanes* lanes_;
    std::string host_;
  };

  // Waits for its turn, and for the host's moment. Error reasons: rate_limited, with the seconds to wait in
  // data.retryAfter, when that moment is behind the caller's deadline or `longest` away; timed_out; cancelled.
  Task<Pass> enter(RequestContext context, std::string host, std::chrono::milliseconds longest);

  // The host is not asked for so long.
  void hold(const std::string& host, std::chrono::milliseconds time);

 private:
  friend class Pass;
  struct Lane {
    std::size_t running = 0;
    std::deque<io::OneShot<Result<void>>> waiting;
    io::EventLoop::Clock::time_point not_before = io::EventLoop::Clock::time_point::min();
  };

  void leave(const std::string& host);

  io::EventLoop& loop_;
  std::size_t at_once_;
  std::map<std::string, Lane> lanes_;
};

// Sleeps until `until`. Error: cancelled, timed_out (the deadline comes first).
Task<void> pause(io::EventLoop& loop, RequestContext context, io::EventLoop::Clock::time_point until);

}  // namespace adit::socrata
