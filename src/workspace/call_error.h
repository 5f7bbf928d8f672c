// Failures of a call that are the front's to tell: it waited, was cancelled, ran out of time, or lost its worker.
#pragma once

#include "adit/base/error.h"
#include "adit/io/child_process.h"

#include <chrono>
#include <string>

namespace adit::workspace {

Error cancelled_error();
Error timeout_error(std::chrono::milliseconds limit);
Error queue_timeout_error();
Error all_workers_busy_error();
Error unknown_dataset_error(const std::string& id);
Error worker_died_error(const io::ExitStatus& status);

}  // namespace adit::workspace
