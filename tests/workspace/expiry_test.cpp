#include "expiry.h"

#include <gtest/gtest.h>

namespace adit::workspace {
namespace {

using namespace std::chrono_literals;

TEST(Expiry, TheEarlierOfUnusedAndWholeTimeCounts) {
  const WallTime opened{1'000h};
  const Limits forever{};
  EXPECT_EQ(expires_at(forever, opened, opened), std::nullopt);
  Limits limits;
  limits.lifetime = Lifetime{};
  EXPECT_EQ(expires_at(limits, opened, opened), opened + 24h);
  EXPECT_EQ(expires_at(limits, opened, opened + 30h), opened + 54h);
  EXPECT_EQ(expires_at(limits, opened, opened + 160h), opened + 168h);
}

TEST(Expiry, IsLookedForOftenEnoughAndNotTooOften) {
  Limits limits;
  limits.lifetime = Lifetime{};
  EXPECT_EQ(look_interval(limits), 60s);
  limits.lifetime = Lifetime{.unused = 20s, .whole = 100s};
  EXPECT_EQ(look_interval(limits), 2s);
  limits.lifetime = Lifetime{.unused = 1ms, .whole = 1ms};
  EXPECT_EQ(look_interval(limits), 50ms);
}

}  // namespace
}  // namespace adit::workspace
