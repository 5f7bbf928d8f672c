#include "adit/io/signals.h"

#include <boost/asio/signal_set.hpp>

namespace adit::io {

struct SignalWatch::State : std::enable_shared_from_this<State> {
  explicit State(EventLoop& loop) : set(loop.context()) {}
  boost::asio::signal_set set;
  std::shared_ptr<const std::function<void(int)>> callback;  // none once the watch is gone

  void wait() {
    set.async_wait([self = shared_from_this()](boost::system::error_code error, int signal) {
      const auto held = self->callback;  // it may end the watch and with it itself
      if (error || !held) return;
      (*held)(signal);
      if (self->callback) self->wait();
    });
  }
};

SignalWatch::SignalWatch(EventLoop& loop, std::initializer_list<int> signals, std::function<void(int)> callback)
    : state_(std::make_shared<State>(loop)) {
  state_->callback = std::make_shared<const std::function<void(int)>>(std::move(callback));
  for (const int signal : signals) state_->set.add(signal);
  state_->wait();
}

SignalWatch::~SignalWatch() {
  state_->callback = nullptr;
  state_->set.cancel();
}

}  // namespace adit::io
