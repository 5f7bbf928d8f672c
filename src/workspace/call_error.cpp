#include "call_error.h"

#include "adit/base/json_text.h"

#include <fmt/format.h>

#include <string.h>

namespace adit::workspace {

Error cancelled_error() {
  return Error{.code = ErrorCode::unavailable,
               .reason = "cancelled",
               .message = "The call was cancelled",
               .hint = "",
               .retryable = true,
               .stage = "execute"};
}

Error timeout_error(std::chrono::milliseconds limit) {
  return Error{
      .code = ErrorCode::timeout,
      .reason = "timeout",
      .message = fmt::format("The statements did not end within {:g} s", std::chrono::duration<double>(limit).count()),
      .hint = "Filter or aggregate earlier, or ask for progress (a progressToken), which allows more time.",
      .retryable = false,
      .stage = "execute"};
}

Error queue_timeout_error() {
  return Error{.code = ErrorCode::timeout,
               .reason = "timeout",
               .message = "Earlier calls on this dataset did not end in time",
               .hint = "Repeat the call when they have ended, or open the files in a dataset of their own.",
               .retryable = true,
               .stage = "dataset"};
}

Error all_workers_busy_error() {
  return Error{.code = ErrorCode::timeout,
               .reason = "limit_reached",
               .message = "As many datasets are at work as this server runs at once, and none ended in time",
               .hint = "Repeat the call when others have ended.",
               .retryable = true,
               .stage = "dataset"};
}

Error unknown_dataset_error(const std::string& id) {
  return Error{.code = ErrorCode::not_found,
               .reason = "unknown_dataset",
               .message = fmt::format("There is no open dataset {}", json_string(utf8_prefix(id, 100))),
               .hint = "Open one with open_dataset and use the dataset_id it answers.",
               .retryable = false,
               .stage = "dataset"};
}

Error worker_died_error(const io::ExitStatus& status) {
  const auto how = status.signal != 0 ? fmt::format("by signal {} ({})", status.signal, ::strsignal(status.signal))
                                      : fmt::format("with exit code {}", status.code);
  return Error{.code = ErrorCode::unavailable,
               .reason = "internal_error",
               .message = fmt::format("The process that ran this call ended {}", how),
               .hint =
                   "Nothing of the dataset is lost and the next call works. If it happens again, the statement "
                   "needs more memory than one dataset may use: filter or aggregate earlier.",
               .retryable = true,
               .stage = "execute"};
}

}  // namespace adit::workspace
