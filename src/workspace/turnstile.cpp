#include "turnstile.h"

#include "call_error.h"

namespace adit::workspace {

Task<Turnstile::Pass> Turnstile::enter(RequestContext context, io::EventLoop::Clock::time_point by) {
  auto state = state_;
  if (state->busy) {
    io::OneShot<Result<void>> turn(state->loop);
    state->waiting.push_back(turn);
    io::Timer timer(state->loop);
    timer.start(by, [turn] { turn.set(queue_timeout_error()); });
    const auto guard = context.on_cancel([turn] { turn.set(cancelled_error()); });
    auto outcome = co_await turn.wait();
    if (!outcome.ok()) co_return std::move(outcome).error();
  }
  state->busy = true;
  co_return Pass(state);
}

Turnstile::Pass::~Pass() {
  if (!state_) return;
  auto& state = *static_cast<Turnstile::State*>(state_.get());
  // The turn passes directly: a call that comes between may not overtake the one that waits.
  while (!state.waiting.empty()) {
    auto next = std::move(state.waiting.front());
    state.waiting.pop_front();
    if (next.is_set()) continue;  // gave up
    next.set(Result<void>());
    return;
  }
  state.busy = false;
}

}  // namespace adit::workspace
