#include "adit/workspace/limits.h"

#include <gtest/gtest.h>

namespace adit::workspace {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;
constexpr std::int64_t kGibibyte = 1 << 30;

// "The sum over live workers never exceeds half of the machine" (reference: design 1).
TEST(Limits, LiveWorkersTogetherGetHalfOfTheMachineAtMost) {
  struct Case {
    std::int64_t memory, engine;
    std::size_t workers;
    std::int64_t fitted_engine;
    std::size_t fitted_workers;
  };
  constexpr Case cases[] = {
      {24 * kGibibyte, 512 * kMebibyte, 4, 512 * kMebibyte, 4},
      {4 * kGibibyte, 512 * kMebibyte, 4, 512 * kMebibyte, 4},
      {4 * kGibibyte, 512 * kMebibyte, 5, 512 * kMebibyte, 4},
      {3 * kGibibyte, 512 * kMebibyte, 4, 512 * kMebibyte, 3},
      {kGibibyte, 512 * kMebibyte, 4, 512 * kMebibyte, 1},
      {512 * kMebibyte, 512 * kMebibyte, 4, 256 * kMebibyte, 1},
      {24 * kGibibyte, 16 * kGibibyte, 4, 12 * kGibibyte, 1},
  };
  for (const auto& [memory, engine, workers, fitted_engine, fitted_workers] : cases) {
    Limits limits;
    limits.engine_memory_bytes = engine;
    limits.live_workers = workers;
    const auto fitted = fitted_to(limits, memory);
    EXPECT_EQ(fitted.engine_memory_bytes, fitted_engine) << memory;
    EXPECT_EQ(fitted.live_workers, fitted_workers) << memory;
    EXPECT_LE(fitted.engine_memory_bytes * static_cast<std::int64_t>(fitted.live_workers), memory / 2);
  }
}

TEST(Limits, TheMachineHasMemory) {
  EXPECT_GT(machine_memory(), 64 * kMebibyte);
  EXPECT_LT(machine_memory(), std::int64_t{1} << 50);
}

}  // namespace
}  // namespace adit::workspace
