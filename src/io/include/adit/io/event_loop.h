// The event loop: one thread on which every coroutine, timer and callback of the front runs. Nothing here blocks.
#pragma once

#include "adit/base/task.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace adit::io {

class EventLoop {
 public:
  using Clock = std::chrono::steady_clock;

  EventLoop() = default;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  void run();   // until stop(); a second run() continues
  void stop();  // any thread

  void post(std::function<void()> callback);  // any thread; runs later, on the loop

  boost::asio::io_context& context() { return context_; }

 private:
  boost::asio::io_context context_{1};
};

// Coroutines that run beside their starter. The group outlives them: destroy it only after join() or after the loop
// has stopped for good.
class TaskGroup {
 public:
  explicit TaskGroup(EventLoop& loop);
  void spawn(boost::asio::awaitable<void> task);
  std::size_t running() const;
  boost::asio::awaitable<void> join();  // until none runs; further ones may be spawned meanwhile

 private:
  struct State;
  EventLoop& loop_;
  std::shared_ptr<State> state_;
};

// A callback at a point in time; destroying or restarting the timer takes the pending one back.
class Timer {
 public:
  explicit Timer(EventLoop& loop) : timer_(std::make_shared<boost::asio::steady_timer>(loop.context())) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { stop(); }

  void start(EventLoop::Clock::time_point at, std::function<void()> callback);
  void stop();

 private:
  std::shared_ptr<boost::asio::steady_timer> timer_;
  std::shared_ptr<bool> armed_;
};

boost::asio::awaitable<void> sleep_until(EventLoop& loop, EventLoop::Clock::time_point at);

// Runs a coroutine to its end on a loop of its own turn: for the command line, where nothing else runs yet.
void run_to_end(EventLoop& loop, boost::asio::awaitable<void> task);

namespace detail {
boost::asio::awaitable<void> wait_for_wake(std::shared_ptr<boost::asio::steady_timer> timer);
}

// A value that one side sets once and coroutines wait for. Copies name the same value. Loop thread only.
template <class T>
class OneShot {
 public:
  explicit OneShot(EventLoop& loop) : state_(std::make_shared<State>(loop)) {}

  // The first value stays; later ones are ignored.
  void set(T value) const {
    if (state_->value) return;
    state_->value = std::move(value);
    state_->timer->cancel();
  }
  bool is_set() const { return state_->value.has_value(); }

  boost::asio::awaitable<T> wait() {
    auto state = state_;
    while (!state->value) co_await detail::wait_for_wake(state->timer);
    co_return *state->value;
  }

 private:
  struct State {
    explicit State(EventLoop& loop) : timer(std::make_shared<boost::asio::steady_timer>(loop.context())) {
      timer->expires_at(boost::asio::steady_timer::time_point::max());
    }
    std::shared_ptr<boost::asio::steady_timer> timer;
    std::optional<T> value;
  };
  std::shared_ptr<State> state_;
};

}  // namespace adit::io
