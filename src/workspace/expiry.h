// When a workspace ends by itself, and how many one owner may have. Where a server lives only as long as its one
// client (stdio), neither applies.
#pragma once

#include "adit/base/result.h"
#include "adit/workspace/limits.h"

#include <chrono>
#include <optional>

namespace adit::workspace {

using WallTime = std::chrono::system_clock::time_point;

// The earlier of: unused for too long, open for too long. Nothing where workspaces do not expire.
std::optional<WallTime> expires_at(const Limits& limits, WallTime opened, WallTime last_used);

// How often to look for expired ones.
std::chrono::milliseconds look_interval(const Limits& limits);

Error owner_limit_error(std::size_t open);

}  // namespace adit::workspace
