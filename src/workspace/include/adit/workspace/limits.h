// The limits of workspaces, with their defaults (docs/limits.md). Set once at start.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace adit::workspace {

// Workspaces of a server that outlives its clients end by themselves.
struct Lifetime {
  std::chrono::milliseconds unused{24 * 3'600'000};     // since the last call
  std::chrono::milliseconds whole{7 * 24 * 3'600'000};  // since it was opened, in use or not
};

struct Limits {
  std::chrono::milliseconds sql_deadline{30'000};                 // for one call's statements together
  std::chrono::milliseconds sql_deadline_with_progress{300'000};  // when the caller asked for progress
  std::chrono::milliseconds open_deadline{300'000};
  std::chrono::milliseconds export_deadline{3'600'000};  // adit query to a file: its user watches it
  std::chrono::milliseconds queue_wait{30'000};          // for earlier calls on the same workspace
  std::chrono::milliseconds cancel_grace{500};           // from cancel or deadline to kill
  std::chrono::milliseconds worker_idle{60'000};
  std::int64_t engine_memory_bytes = 512 << 20;
  std::int64_t disk_bytes = std::int64_t{4} << 30;  // of one workspace
  std::int64_t total_disk_bytes = std::int64_t{20} << 30;
  std::int64_t engine_threads = 2;
  std::size_t open_workspaces = 64;
  std::size_t open_workspaces_of_owner = std::numeric_limits<std::size_t>::max();
  std::optional<Lifetime> lifetime;  // absent: as long as the process
  std::size_t live_workers = 4;
};

// The machine's memory, or less where the process's control group has a limit of its own. Bytes.
std::int64_t machine_memory();

// Live workers together get half of the memory at most: fewer live at once, and one gets half if it wants more.
Limits fitted_to(Limits limits, std::int64_t memory_bytes);

}  // namespace adit::workspace
