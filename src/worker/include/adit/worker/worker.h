// The worker process: opens one workspace's directory and serves its front over descriptor 3.
#pragma once

namespace adit::worker {

// The whole life of the process; gives its exit code when it cannot begin.
int run_worker(int channel_fd);

}  // namespace adit::worker
