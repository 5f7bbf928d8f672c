// What binds this process before it does anything else (design: "Order in the worker", step 1).
#pragma once

#include "adit/base/result.h"

#include <cstdint>

namespace adit::worker {

// Core dumps off, few descriptors, killed when the front's thread ends. Done first, before the first message.
Result<void> limit_process();

// Memory and file size from the workspace's limits. Sanitizers map terabytes and are left without the memory limit.
Result<void> limit_resources(std::int64_t memory_bytes, std::int64_t disk_bytes);

}  // namespace adit::worker
