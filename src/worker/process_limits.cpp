#include "process_limits.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace adit::worker {
namespace {

constexpr rlim_t kDescriptors = 256;
// Measured: with less the engine fails in ordinary work (a 500 MB CSV at a limit of 1 GB).
constexpr std::int64_t kDataHeadroomBytes = 256 << 20;
constexpr bool kSanitized =
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

Result<void> set_limit(__rlimit_resource_t resource, rlim_t value, const char* name) {
  const rlimit limit{.rlim_cur = value, .rlim_max = value};
  if (::setrlimit(resource, &limit) == 0) return {};
  return internal_error(fmt::format("setrlimit({}): {}", name, std::strerror(errno)));
}

}  // namespace

Result<void> limit_process() {
  const pid_t front = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The front may have died before the line above: then init is our parent and no signal will come.
  if (::getppid() != front || front == 1) return internal_error("the front has ended");
  ::signal(SIGXFSZ, SIG_IGN);  // a full disk limit is an error of the query, not the end of the process
  ::signal(SIGPIPE, SIG_IGN);
  ADIT_CHECK(set_limit(RLIMIT_CORE, 0, "core"));
  ADIT_CHECK(set_limit(RLIMIT_NOFILE, kDescriptors, "nofile"));
  // When memory runs out, the kernel ends a worker before anything else of the user's. Not allowed: no harm.
  if (const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); fd >= 0) {
    [[maybe_unused]] const auto written = ::write(fd, "800", 3);
    ::close(fd);
  }
  return {};
}

Result<void> limit_resources(std::int64_t memory_bytes, std::int64_t disk_bytes) {
  if (!kSanitized) {
    const std::int64_t data = memory_bytes + memory_bytes / 4 * 3 + kDataHeadroomBytes;
    ADIT_CHECK(set_limit(RLIMIT_DATA, static_cast<rlim_t>(data), "data"));
  }
  return set_limit(RLIMIT_FSIZE, static_cast<rlim_t>(disk_bytes), "fsize");
}

}  // namespace adit::worker
