#include "retry.h"

#include <gtest/gtest.h>

namespace adit::socrata {
namespace {

using namespace std::chrono_literals;

TEST(RetryAfter, IsSecondsOrADate) {
  // 2026-11-30T12:00:00Z, a Monday.
  const auto now = std::chrono::system_clock::from_time_t(1796040000);
  struct Case {
    const char* value;
    std::optional<std::chrono::seconds> wait;
  };
  const Case cases[] = {
      {"7", 7s},
      {"0", 0s},
      {"-5", 0s},
      {"99999999999999999999", 365 * 24h},
      {"Mon, 30 Nov 2026 12:00:30 GMT", 30s},
      {"Monday, 30-Nov-26 12:01:00 GMT", 60s},
      {"Mon Nov 30 12:00:05 2026", 5s},
      {"Mon, 30 Nov 2026 11:00:00 GMT", 0s},
      {"", {}},
      {"soon", {}},
      {"7 s", {}},
      {"7.5", {}},
      {"Mon, 30 Nov 2026 12:00:30 PST", {}},
  };
  for (const auto& [value, wait] : cases) EXPECT_EQ(parse_retry_after(value, now), wait) << value;
}

TEST(RetryDelay, DoublesUpToTheLongestAndIsSpread) {
  EXPECT_EQ(retry_delay(2, 500ms, 30s), 500ms);
  EXPECT_EQ(retry_delay(3, 500ms, 30s), 1s);
  EXPECT_EQ(retry_delay(4, 500ms, 30s), 2s);
  EXPECT_EQ(retry_delay(20, 500ms, 30s), 30s);
  EXPECT_EQ(retry_delay(2'000, 500ms, 30s), 30s);
  EXPECT_EQ(with_jitter(1s, 0.0), 750ms);
  EXPECT_EQ(with_jitter(1s, 0.5), 1s);
  EXPECT_LE(with_jitter(1s, 0.999), 1250ms);
}

//
TEST(RetryStatus, OnlyWhatMayPassIsTriedAgain) {
  for (const int status : {202, 408, 425, 429, 500, 502, 503, 504, 599})
    EXPECT_TRUE(is_worth_another_attempt(status)) << status;
  for (const int status : {200, 204, 301, 400, 401, 403, 404, 409, 410, 422, 451, 501}) {
    EXPECT_FALSE(is_worth_another_attempt(status)) << status;
  }
}

}  // namespace
}  // namespace adit::socrata
