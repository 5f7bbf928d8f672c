#include "adit/io/loop_lag.h"

#include <algorithm>
#include <cmath>

namespace adit::io {
namespace {

constexpr auto kEvery = std::chrono::milliseconds(5);

}  // namespace

void LagCounts::add(Microseconds lag) {
  const auto step = static_cast<std::size_t>(std::max(lag, Microseconds(0)) / kStep);
  ++counts_[std::min(step, counts_.size() - 1)];
  ++total_;
  most_ = std::max(most_, lag);
}

LagCounts::Microseconds LagCounts::at_share(double share) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(total_)));
  std::uint64_t counted = 0;
  for (std::size_t step = 0; step + 1 < counts_.size(); ++step) {
    counted += counts_[step];
    if (counted >= wanted) return std::min(most_, kStep * static_cast<std::int64_t>(step + 1));
  }
  return most_;
}

void LoopLag::wait() {
  const auto due = EventLoop::Clock::now() + kEvery;
  timer_.start(due, [this, due] {
    counts_.add(std::chrono::duration_cast<LagCounts::Microseconds>(EventLoop::Clock::now() - due));
    wait();
  });
}

}  // namespace adit::io
