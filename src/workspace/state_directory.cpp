#include "state_directory.h"

#include "adit/base/log.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace adit::workspace {
namespace fs = std::filesystem;
namespace {

// A run's directory exists for a moment before its lock is held; younger ones are left alone.
constexpr auto kUnlockedGrace = std::chrono::seconds(10);

std::string default_base() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') {
    return std::string(cache) + "/adit";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') {
    return std::string(home) + "/.cache/adit";
  }
  return fmt::format("/tmp/adit-{}", ::getuid());
}

std::string random_name() {
  std::uint64_t value = 0;
  if (::getrandom(&value, sizeof value, 0) != sizeof value) value = static_cast<std::uint64_t>(::getpid());
  return fmt::format("{}-{:016x}", ::getpid(), value);
}

// Names that make_run_directory gives: nothing else below a --state-dir is ours to remove.
bool is_run_name(std::string_view name) {
  const auto dash = name.find('-');
  return dash != std::string_view::npos && dash > 0 && name.size() == dash + 17 &&
         name.substr(0, dash).find_first_not_of("0123456789") == std::string_view::npos &&
         name.substr(dash + 1).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Error disk_error(std::string_view what, const std::string& path) {
  return Error{.code = ErrorCode::internal,
               .reason = "internal_error",
               .message = fmt::format("{} {}: {}", what, path, std::strerror(errno)),
               .hint = "Name a writable directory with --state-dir.",
               .stage = "dataset"};
}

bool is_abandoned(const fs::path& run) {
  const FileDescriptor lock(::open((run / "lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (lock.valid()) return ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
  std::error_code error;
  const auto changed = fs::last_write_time(run, error);
  return !error && fs::file_time_type::clock::now() - changed > kUnlockedGrace;
}

}  // namespace

StateDirectory::StateDirectory(std::string base) : base_(base.empty() ? default_base() : std::move(base)) {}

StateDirectory::~StateDirectory() {
  if (!run_.empty()) remove(run_);
}

void StateDirectory::sweep(const std::string& base, const std::function<bool()>& go_on) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(base, error)) {
    std::error_code ignored;
    if (!entry.is_directory(ignored) || entry.is_symlink(ignored)) continue;
    if (!is_run_name(entry.path().filename().string()) || !is_abandoned(entry.path())) continue;
    log::info("removing the directory of a run that was killed: {}", entry.path().string());
    remove(entry.path().string());
    if (!go_on()) return;
  }
}

Result<std::string> StateDirectory::create(const std::string& workspace) {
  if (run_.empty()) ADIT_CHECK(make_run_directory());
  auto directory = run_ + "/" + workspace;
  if (::mkdir(directory.c_str(), 0700) != 0) return disk_error("cannot make the directory", directory);
  return directory;
}

void StateDirectory::remove(const std::string& directory) {
  std::error_code error;
  fs::remove_all(directory, error);
  if (error) log::warning("cannot remove {}: {}", directory, error.message());
}

std::uintmax_t StateDirectory::bytes_in(const std::string& directory) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) bytes += entry->file_size(ignored);
  }
  return bytes;
}

Result<void> StateDirectory::make_run_directory() {
  std::error_code error;
  fs::create_directories(base_, error);
  base_ = fs::canonical(base_, error).string();
  if (error) {
    errno = error.value();
    return disk_error("cannot use the directory", base_);
  }
  const auto run = base_ + "/" + random_name();
  if (::mkdir(run.c_str(), 0700) != 0) return disk_error("cannot make the directory", run);
  lock_ = FileDescriptor(::open((run + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock_.valid() || ::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) return disk_error("cannot lock", run);
  run_ = run;
  return {};
}

}  // namespace adit::workspace
