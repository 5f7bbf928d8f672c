// Points in time as answers show them.
#pragma once

#include <fmt/chrono.h>

#include <chrono>
#include <string>

namespace adit::tools {

inline std::string utc_text(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

}  // namespace adit::tools
