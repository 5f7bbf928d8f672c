#include "adit/workspace/limits.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace adit::workspace {
namespace {

// Version 2 and version 1 of control groups, as a container sees its own. A group without a limit says "max", or a
// number beyond every machine.
constexpr const char* kGroupLimits[] = {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"};

}  // namespace

std::int64_t machine_memory() {
  std::int64_t bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  if (bytes <= 0) bytes = std::numeric_limits<std::int64_t>::max();
  for (const char* path : kGroupLimits) {
    std::int64_t limit = 0;
    if (std::ifstream(path) >> limit && limit > 0) bytes = std::min(bytes, limit);
  }
  return bytes;
}

Limits fitted_to(Limits limits, std::int64_t memory_bytes) {
  const std::int64_t half = memory_bytes / 2;
  limits.engine_memory_bytes = std::min(limits.engine_memory_bytes, half);
  const auto fitting = static_cast<std::size_t>(std::max<std::int64_t>(1, half / limits.engine_memory_bytes));
  limits.live_workers = std::min(limits.live_workers, fitting);
  return limits;
}

}  // namespace adit::workspace
