// How late the loop is: a timer each few milliseconds, and the time from when it was due until the loop ran it. This is
// how long anything that is ready waits for the loop, the system's own scheduling included.
#pragma once

#include "adit/io/event_loop.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace adit::io {

// Counts of delays; what it tells is at most a twentieth of a millisecond too much, up to 100 ms.
class LagCounts {
 public:
  using Microseconds = std::chrono::microseconds;

  void add(Microseconds lag);
  std::uint64_t total() const { return total_; }
  Microseconds most() const { return most_; }
  Microseconds at_share(double share) const;  // 0.999: all but one of a thousand are not later

 private:
  static constexpr Microseconds kStep{50};
  std::array<std::uint64_t, 2'001> counts_{};  // the last: all beyond
  std::uint64_t total_ = 0;
  Microseconds most_{0};
};

class LoopLag {
 public:
  explicit LoopLag(EventLoop& loop) : timer_(loop) { wait(); }
  const LagCounts& counts() const { return counts_; }

 private:
  void wait();

  LagCounts counts_;
  Timer timer_;
};

}  // namespace adit::io
