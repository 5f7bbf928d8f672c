#include "adit/io/loop_lag.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace adit::io {
namespace {

using namespace std::chrono_literals;

TEST(LagCounts, TellsADelayAtMostOneStepTooLong) {
  struct Case {
    std::string_view what;
    std::vector<std::pair<int, std::chrono::microseconds>> lags;  // how many of each
    double share;
    std::chrono::microseconds told;
  };
  const Case cases[] = {
      {"nothing", {}, 0.5, 0us},
      {"one", {{1, 120us}}, 0.999, 120us},
      {"a step's end", {{2, 120us}, {1, 900us}}, 0.5, 150us},
      {"half", {{50, 10us}, {50, 5ms}}, 0.5, 50us},
      {"more than half", {{50, 10us}, {50, 5ms}}, 0.51, 5ms},
      {"one of a thousand may be later", {{999, 10us}, {1, 30ms}}, 0.999, 50us},
      {"two of a thousand may not", {{998, 10us}, {2, 30ms}}, 0.999, 30ms},
      {"beyond what is counted", {{1, 3s}}, 0.999, 3s},
      {"early counts as not late", {{3, -200us}}, 0.999, 0us},
  };
  for (const auto& [what, lags, share, told] : cases) {
    SCOPED_TRACE(what);
    LagCounts counts;
    for (const auto& [count, lag] : lags) {
      for (int i = 0; i < count; ++i) counts.add(lag);
    }
    EXPECT_EQ(counts.at_share(share), told);
  }
}

TEST(LoopLag, ALoopThatIsHeldIsLate) {
  EventLoop loop;
  const LoopLag lag(loop);
  run_to_end(loop, sleep_until(loop, EventLoop::Clock::now() + 50ms));
  const auto before = EventLoop::Clock::now();
  while (EventLoop::Clock::now() < before + 60ms) {
  }
  run_to_end(loop, sleep_until(loop, EventLoop::Clock::now() + 50ms));
  EXPECT_GT(lag.counts().total(), 1u);
  EXPECT_GE(lag.counts().most(), 50ms);
}

}  // namespace
}  // namespace adit::io
