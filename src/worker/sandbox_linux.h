// What the worker's threads may not do for the rest of their lives: Landlock leaves them the workspace's directory and
// the handed files, a system call filter leaves them no network, no other process and no way to more rights.
#pragma once

#include "adit/base/result.h"

#include <string>
#include <vector>

namespace adit::worker {

struct SandboxState {
  // What the kernel could not give, in words for the operator; empty: everything holds.
  std::vector<std::string> missing;
};

// Binds the calling thread, every thread it starts later and, for the filter, all threads that run. Call it while no
// other thread runs: Landlock binds the caller alone (before ABI 8).
//
// `directory` stays readable and writable, `files` readable. An error only for what must not go on: a filter that the
// kernel knows and refuses. A kernel without one of the two is told in the state.
Result<SandboxState> confine_process(const std::string& directory, const std::vector<std::string>& files);

}  // namespace adit::worker
