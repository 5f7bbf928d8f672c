#include "adit/io/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <thread>
#include <vector>

namespace adit::io {
namespace {

using namespace std::chrono_literals;

void run_for(EventLoop& loop, std::chrono::milliseconds time) {
  run_to_end(loop, sleep_until(loop, EventLoop::Clock::now() + time));
}

TEST(SignalWatch, EachOfItsSignalsIsACallbackOnTheLoop) {
  EventLoop loop;
  std::vector<int> seen;
  const SignalWatch watch(loop, {SIGUSR1, SIGUSR2}, [&](int signal) { seen.push_back(signal); });
  for (const int signal : {SIGUSR1, SIGUSR2, SIGUSR1}) {
    ::kill(::getpid(), signal);
    run_for(loop, 20ms);
  }
  EXPECT_EQ(seen, (std::vector<int>{SIGUSR1, SIGUSR2, SIGUSR1}));
}

TEST(SignalWatch, ASignalThatWaitsIsNotToldAfterTheWatchIsDestroyed) {
  EventLoop loop;
  int told = 0;
  {
    const SignalWatch watch(loop, {SIGUSR1}, [&](int) { ++told; });
    ::kill(::getpid(), SIGUSR1);
  }
  run_for(loop, 20ms);
  EXPECT_EQ(told, 0);
}

TEST(SignalWatch, ItsCallbackMayDestroyIt) {
  // Another one keeps the signals from ending the process.
  EventLoop loop;
  int others = 0;
  const SignalWatch other(loop, {SIGUSR1}, [&](int) { ++others; });
  std::unique_ptr<SignalWatch> watch;
  const auto owned = std::make_shared<std::vector<int>>();
  std::vector<int> seen;
  watch = std::make_unique<SignalWatch>(loop, std::initializer_list<int>{SIGUSR1}, [&, owned](int signal) {
    watch.reset();
    owned->push_back(signal);
    seen = *owned;
  });
  for (int i = 0; i < 2; ++i) {
    ::kill(::getpid(), SIGUSR1);
    run_for(loop, 20ms);
  }
  EXPECT_EQ(seen, (std::vector<int>{SIGUSR1}));
  EXPECT_EQ(others, 2);
}

}  // namespace
}  // namespace adit::io
