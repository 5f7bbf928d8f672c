// posix_spawn, a pidfd to wait and to signal (a reused pid is never hit), and the child's stderr as log lines.
#include "adit/io/child_process.h"

#include "adit/base/log.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace adit::io {
namespace asio = boost::asio;
namespace {

constexpr int kChannelDescriptor = 3;
constexpr std::size_t kLongestLogLine = 1000;
constexpr int kMostLogLines = 200;  // of one child: a loop of messages must not fill the user's log

// A copy above the descriptors that the child gets, so that no dup2 below overwrites the source of a later one.
FileDescriptor copied_high(const FileDescriptor& fd) { return FileDescriptor(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 16)); }

std::vector<char*> c_strings(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (const auto& text : strings) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Reads a child's stderr to its end and logs it line by line.
class StderrLog : public std::enable_shared_from_this<StderrLog> {
 public:
  StderrLog(EventLoop& loop, FileDescriptor fd, std::string name)
      : stream_(loop.context(), fd.release()), name_(std::move(name)) {}

  void read() {
    stream_.async_read_some(asio::buffer(chunk_), [self = shared_from_this()](auto error, std::size_t size) {
      for (const char c : std::string_view(self->chunk_.data(), size)) self->take(c);
      if (!error) self->read();
      else if (!self->line_.empty()) self->flush();
    });
  }

 private:
  void take(char c) {
    if (c == '\n') flush();
    else if (line_.size() < kLongestLogLine) line_ += c;
  }
  void flush() {
    if (lines_ < kMostLogLines) log::warning("{}: {}", name_, line_);
    if (lines_ == kMostLogLines) log::warning("{}: further lines are left out", name_);
    ++lines_;
    line_.clear();
  }

  asio::posix::stream_descriptor stream_;
  std::string name_;
  std::array<char, 4096> chunk_{};
  std::string line_;
  int lines_ = 0;
};

}  // namespace

struct ChildProcess::State {
  State(EventLoop& loop, pid_t child, int pidfd) : pid(child), handle(loop.context(), pidfd), exit(loop) {}

  pid_t pid;
  asio::posix::stream_descriptor handle;  // the pidfd: readable when the child has ended
  OneShot<ExitStatus> exit;

  // Readiness is a hint, the wait status the fact: the reactor may pass on a late event of a descriptor that is closed
  // by now and whose slot this one took (Linux tells EPOLLHUP on a pidfd when its process is reaped).
  static void wait(std::shared_ptr<State> state) {
    auto& descriptor = state->handle;
    descriptor.async_wait(asio::posix::stream_descriptor::wait_read, [state = std::move(state)](auto error) mutable {
      if (error) return;
      siginfo_t info{};
      if (::waitid(P_PID, static_cast<id_t>(state->pid), &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) {
        wait(std::move(state));
        return;
      }
      const bool by_signal = info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED;
      state->exit.set(ExitStatus{.code = by_signal ? 0 : info.si_status, .signal = by_signal ? info.si_status : 0});
    });
  }
};

Result<std::unique_ptr<ChildProcess>> ChildProcess::spawn(EventLoop& loop, SpawnRequest request) {
  FileDescriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  FileDescriptor log_read, log_write;
  if (!request.log_name.empty()) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return internal_error(fmt::format("pipe: {}", std::strerror(errno)));
    log_read = FileDescriptor(ends[0]);
    log_write = FileDescriptor(ends[1]);
  }
  const auto in = copied_high(request.standard_input.valid() ? request.standard_input : null);
  const auto out = copied_high(request.standard_output.valid() ? request.standard_output : null);
  const auto err = log_write.valid() ? copied_high(log_write) : FileDescriptor(::fcntl(2, F_DUPFD_CLOEXEC, 16));
  const auto channel = request.channel.valid() ? copied_high(request.channel) : FileDescriptor();

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, out.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.get(), 2);
  if (channel.valid()) posix_spawn_file_actions_adddup2(&actions, channel.get(), kChannelDescriptor);
  // Libraries open descriptors without CLOEXEC (libcurl its sockets): nothing above the listed ones may get through.
  posix_spawn_file_actions_addclosefrom_np(&actions, channel.valid() ? kChannelDescriptor + 1 : 3);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  sigemptyset(&none);
  sigemptyset(&defaults);
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGCHLD}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> arguments{request.program};
  arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, request.program.c_str(), &actions, &attributes, c_strings(arguments).data(),
                                   c_strings(request.environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    return internal_error(fmt::format("cannot start {}: {}", request.program, std::strerror(failed)));
  }

  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) {
    const int reason = errno;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return internal_error(fmt::format("pidfd_open: {}", std::strerror(reason)));
  }
  ::fcntl(pidfd, F_SETFD, FD_CLOEXEC);
  auto state = std::make_shared<State>(loop, pid, pidfd);
  State::wait(state);
  if (log_read.valid()) {
    log_write.reset();
    std::make_shared<StderrLog>(loop, std::move(log_read), request.log_name)->read();
  }
  return std::unique_ptr<ChildProcess>(new ChildProcess(std::move(state)));
}

ChildProcess::~ChildProcess() { kill(SIGKILL); }

pid_t ChildProcess::pid() const { return state_->pid; }

void ChildProcess::kill(int signal) {
  if (!has_exited()) ::syscall(SYS_pidfd_send_signal, state_->handle.native_handle(), signal, nullptr, 0);
}

bool ChildProcess::has_exited() const { return state_->exit.is_set(); }

asio::awaitable<ExitStatus> ChildProcess::exited() { return state_->exit.wait(); }

}  // namespace adit::io
