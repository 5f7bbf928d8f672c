// Signals as callbacks on the loop.
#pragma once

#include "adit/io/event_loop.h"

#include <functional>
#include <initializer_list>
#include <memory>

namespace adit::io {

class SignalWatch {
 public:
  SignalWatch(EventLoop& loop, std::initializer_list<int> signals, std::function<void(int signal)> callback);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace adit::io
