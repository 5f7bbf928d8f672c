#include "adit/io/event_loop.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace adit::io {
namespace asio = boost::asio;

void EventLoop::run() {
  auto keep_running = asio::make_work_guard(context_);
  context_.restart();
  context_.run();
}

void EventLoop::stop() { context_.stop(); }

void EventLoop::post(std::function<void()> callback) { asio::post(context_, std::move(callback)); }

struct TaskGroup::State {
  explicit State(EventLoop& loop) : all_done(std::make_shared<asio::steady_timer>(loop.context())) {
    all_done->expires_at(asio::steady_timer::time_point::max());
  }
  std::size_t running = 0;
  std::shared_ptr<asio::steady_timer> all_done;
};

TaskGroup::TaskGroup(EventLoop& loop) : loop_(loop), state_(std::make_shared<State>(loop)) {}

void TaskGroup::spawn(asio::awaitable<void> task) {
  ++state_->running;
  asio::co_spawn(loop_.context(), std::move(task), [state = state_](const std::exception_ptr& exception) {
    if (--state->running == 0) state->all_done->cancel();
    // Errors travel in Results; what arrives here is a bug and must not pass over in silence.
    if (exception) std::rethrow_exception(exception);
  });
}

std::size_t TaskGroup::running() const { return state_->running; }

asio::awaitable<void> TaskGroup::join() {
  auto state = state_;
  while (state->running > 0) co_await detail::wait_for_wake(state->all_done);
}

void Timer::start(EventLoop::Clock::time_point at, std::function<void()> callback) {
  stop();
  armed_ = std::make_shared<bool>(true);
  timer_->expires_at(at);
  timer_->async_wait([armed = armed_, callback = std::move(callback)](boost::system::error_code) {
    // The flag decides, not the error code: an expiry already queued is not undone by cancel().
    if (*armed) callback();
  });
}

void Timer::stop() {
  if (armed_) *armed_ = false;
  timer_->cancel();
}

asio::awaitable<void> sleep_until(EventLoop& loop, EventLoop::Clock::time_point at) {
  asio::steady_timer timer(loop.context(), at);
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

void run_to_end(EventLoop& loop, asio::awaitable<void> task) {
  asio::co_spawn(loop.context(), std::move(task), [&loop](const std::exception_ptr& exception) {
    loop.stop();
    if (exception) std::rethrow_exception(exception);
  });
  loop.run();
}

namespace detail {

asio::awaitable<void> wait_for_wake(std::shared_ptr<asio::steady_timer> timer) {
  co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace detail
}  // namespace adit::io
