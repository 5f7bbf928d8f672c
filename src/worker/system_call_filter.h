// The seccomp filter of a worker.
#pragma once

#include "adit/base/result.h"

namespace adit::worker {

// Installs the filter on all threads of the process (TSYNC). False: the kernel has no filters. REQUIRES: no_new_privs.
Result<bool> install_system_call_filter();

}  // namespace adit::worker
