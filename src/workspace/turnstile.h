// Lets the calls on one workspace through one at a time, in order of arrival.
#pragma once

#include "adit/base/request_context.h"
#include "adit/io/event_loop.h"

#include <deque>
#include <memory>

namespace adit::workspace {

class Turnstile {
 public:
  explicit Turnstile(io::EventLoop& loop) : state_(std::make_shared<State>(loop)) {}

  // Whoever holds a pass is alone; destroying it lets the next one in.
  class Pass {
   public:
    Pass(Pass&&) noexcept = default;
    Pass& operator=(Pass&&) noexcept = default;
    ~Pass();

   private:
    friend class Turnstile;
    struct State;
    explicit Pass(std::shared_ptr<void> state) : state_(std::move(state)) {}
    std::shared_ptr<void> state_;
  };

  // Waits until `by` at most. Errors: cancelled, timeout.
  Task<Pass> enter(RequestContext context, io::EventLoop::Clock::time_point by);

  bool busy() const { return state_->busy; }

 private:
  friend class Pass;
  struct State {
    explicit State(io::EventLoop& the_loop) : loop(the_loop) {}
    io::EventLoop& loop;
    bool busy = false;
    std::deque<io::OneShot<Result<void>>> waiting;
  };
  std::shared_ptr<State> state_;
};

}  // namespace adit::workspace
