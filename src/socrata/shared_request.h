// One request that several calls wait for. It is cancelled when none of them does any more.
#pragma once

#include "adit/base/request_context.h"
#include "adit/base/task.h"
#include "adit/io/event_loop.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace adit::socrata {

// Loop thread only.
template <class T>
class SharedRequest : public std::enable_shared_from_this<SharedRequest<T>> {
 public:
  // The request's own context: its deadline is nobody's in particular.
  explicit SharedRequest(std::chrono::milliseconds limit) { context_.limit_to(io::EventLoop::Clock::now() + limit); }

  RequestContext context() const { return context_; }
  bool cancelled() const { return context_.cancelled(); }
  void cancel() { context_.cancel(); }

  void finish(Result<T> result) {
    result_ = std::move(result);
    for (const auto& waiter : waiting_) waiter.set(*result_);
    waiting_.clear();
  }

  // Until the request has ended, the caller's deadline passes, or he cancels. He is told that one waits.
  Task<T> wait(io::EventLoop& loop, RequestContext caller) {
    const auto self = this->shared_from_this();
    if (result_) co_return *result_;
    io::OneShot<Result<T>> mine(loop);
    waiting_.push_back(mine);
    ++interested_;
    const auto leave = [self, mine](const char* reason, const char* message) {
      if (mine.is_set()) return;
      mine.set(Error{.code = ErrorCode::timeout, .reason = reason, .message = message, .hint = "", .retryable = true});
      if (--self->interested_ == 0) self->context_.cancel();
    };
    const auto guard = caller.on_cancel([leave] { leave("cancelled", "The request was cancelled"); });
    io::Timer deadline(loop), ticker(loop);
    if (caller.deadline()) {
      deadline.start(*caller.deadline(), [leave] { leave("timed_out", "The portal did not answer in time"); });
    }
    const auto start = io::EventLoop::Clock::now();
    std::function<void()> tick = [&] {
      caller.report({.elapsed_seconds = std::chrono::duration<double>(io::EventLoop::Clock::now() - start).count(),
                     .fraction = {},
                     .message = "waiting for a portal"});
      ticker.start(io::EventLoop::Clock::now() + std::chrono::seconds(2), tick);
    };
    if (caller.wants_progress()) ticker.start(start + std::chrono::seconds(2), tick);
    co_return co_await mine.wait();
  }

 private:
  RequestContext context_;
  std::optional<Result<T>> result_;
  std::vector<io::OneShot<Result<T>>> waiting_;
  std::size_t interested_ = 0;
};

}  // namespace adit::socrata
