#include "adit/io/signals.h"

#include <boost/asio/signal_set.hpp>

namespace adit::io {

struct SignalWatch::State : std::enable_shared_from_this<State> {
  explicit State(EventLoop& loop) : set(loop.context()) {}
  boost::asio::signal_set set;
  std::function<void(int)> callback;

  void wait() {
    set.async_wait([self = shared_from_this()](boost::system::error_code error, int signal) {
      if (error || !self->callback) return;
      self->callback(signal);
      self->wait();
    });
  }
};

SignalWatch::SignalWatch(EventLoop& loop, std::initializer_list<int> signals, std::function<void(int)> callback)
    : state_(std::make_shared<State>(loop)) {
  state_->callback = std::move(callback);
  for (const int signal : signals) state_->set.add(signal);
  state_->wait();
}

SignalWatch::~SignalWatch() {
  state_->callback = nullptr;
  state_->set.cancel();
}

}  // namespace adit::io
