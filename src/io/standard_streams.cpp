#include "adit/io/standard_streams.h"

#include "signal_mask.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

namespace adit::io {
namespace {

constexpr std::size_t kReadChunk = 256 << 10;
// A peer that writes faster than we handle is held back by its own pipe once this much waits for the loop.
constexpr std::size_t kMostUnhandledBytes = 16u << 20;
constexpr int kPipeBytes = 1 << 20;  // large answers in few switches; refused by the kernel is fine

// A shared descriptor may have been made non-blocking by somebody else; wait then.
bool wait_ready(int fd, short events) {
  pollfd poll_fd{.fd = fd, .events = events, .revents = 0};
  return ::poll(&poll_fd, 1, -1) >= 0 || errno == EINTR;
}

}  // namespace

struct InputThread::State {
  explicit State(EventLoop& the_loop, FileDescriptor the_fd) : loop(the_loop), fd(std::move(the_fd)) {}

  EventLoop& loop;
  FileDescriptor fd;
  // Loop thread only; none once the InputThread is gone. One that runs is held while it does, since it may end the
  // InputThread and with it itself.
  std::shared_ptr<const std::function<void(std::string)>> on_bytes;
  std::function<void()> on_end;
  std::mutex mutex;
  std::condition_variable handled;
  std::size_t unhandled = 0;  // guarded by mutex
  bool stopping = false;      // guarded by mutex

  static void run(std::shared_ptr<State> self) {
    block_all_signals();
    std::string chunk(kReadChunk, '\0');
    for (;;) {
      const ssize_t size = ::read(self->fd.get(), chunk.data(), chunk.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == EAGAIN && wait_ready(self->fd.get(), POLLIN)) continue;
      std::unique_lock lock(self->mutex);
      if (self->stopping) return;
      if (size <= 0) {
        self->loop.post([self] {
          if (const auto callback = std::exchange(self->on_end, nullptr)) callback();
        });
        return;
      }
      self->unhandled += static_cast<std::size_t>(size);
      self->loop.post([self, bytes = chunk.substr(0, static_cast<std::size_t>(size))]() mutable {
        const std::size_t count = bytes.size();
        if (const auto callback = self->on_bytes) (*callback)(std::move(bytes));
        std::lock_guard done(self->mutex);
        self->unhandled -= count;
        self->handled.notify_one();
      });
      self->handled.wait(lock, [&] { return self->unhandled < kMostUnhandledBytes || self->stopping; });
    }
  }
};

InputThread::InputThread(EventLoop& loop, FileDescriptor fd, std::function<void(std::string)> on_bytes,
                         std::function<void()> on_end)
    : state_(std::make_shared<State>(loop, std::move(fd))) {
  state_->on_bytes = std::make_shared<const std::function<void(std::string)>>(std::move(on_bytes));
  state_->on_end = std::move(on_end);
  std::thread(&State::run, state_).detach();
}

InputThread::~InputThread() {
  state_->on_bytes = nullptr;
  state_->on_end = nullptr;
  std::lock_guard lock(state_->mutex);
  state_->stopping = true;
  state_->handled.notify_one();
}

struct OutputThread::State {
  State(EventLoop& the_loop, FileDescriptor the_fd) : loop(the_loop), fd(std::move(the_fd)) {}

  EventLoop& loop;
  FileDescriptor fd;
  std::function<void()> on_broken;  // loop thread only; taken out to run, since it may end the OutputThread
  std::mutex mutex;
  std::condition_variable changed;
  // All below guarded by mutex.
  std::deque<std::string> queue;
  bool writing = false;
  bool broken = false;
  bool stopping = false;

  static void run(std::shared_ptr<State> self) {
    block_all_signals();
    std::unique_lock lock(self->mutex);
    for (;;) {
      self->changed.wait(lock, [&] { return !self->queue.empty() || self->stopping; });
      if (self->stopping) return;
      auto batch = std::exchange(self->queue, {});
      self->writing = true;
      lock.unlock();
      const bool written = write_all(self->fd.get(), batch);
      lock.lock();
      self->writing = false;
      if (!written) {
        self->broken = true;
        self->queue.clear();
        self->changed.notify_all();
        if (!self->stopping) {
          self->loop.post([self] {
            if (const auto callback = std::exchange(self->on_broken, nullptr)) callback();
          });
        }
        return;
      }
      self->changed.notify_all();
    }
  }

  static bool write_all(int fd, const std::deque<std::string>& batch) {
    std::vector<iovec> parts;
    for (const auto& bytes : batch) {
      parts.push_back({.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()});
    }
    constexpr std::size_t kMostParts = 512;  // below IOV_MAX
    for (std::size_t first = 0; first < parts.size();) {
      const auto count = static_cast<int>(std::min(parts.size() - first, kMostParts));
      ssize_t size = ::writev(fd, &parts[first], count);
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && errno == EAGAIN && wait_ready(fd, POLLOUT)) continue;
      if (size < 0) return false;
      while (first < parts.size() && static_cast<std::size_t>(size) >= parts[first].iov_len) {
        size -= static_cast<ssize_t>(parts[first++].iov_len);
      }
      if (size > 0) {
        parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + size;
        parts[first].iov_len -= static_cast<std::size_t>(size);
      }
    }
    return true;
  }
};

OutputThread::OutputThread(EventLoop& loop, FileDescriptor fd, std::function<void()> on_broken)
    : state_(std::make_shared<State>(loop, std::move(fd))) {
  state_->on_broken = std::move(on_broken);
  ::fcntl(state_->fd.get(), F_SETPIPE_SZ, kPipeBytes);
  std::thread(&State::run, state_).detach();
}

OutputThread::~OutputThread() {
  state_->on_broken = nullptr;
  std::lock_guard lock(state_->mutex);
  state_->stopping = true;
  state_->changed.notify_all();
}

void OutputThread::write(std::string bytes) {
  if (bytes.empty()) return;
  std::lock_guard lock(state_->mutex);
  if (state_->broken) return;
  state_->queue.push_back(std::move(bytes));
  state_->changed.notify_all();
}

bool OutputThread::flush(std::chrono::steady_clock::time_point by) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_until(lock, by, [&] {
    return state_->broken || (state_->queue.empty() && !state_->writing);
  }) && !state_->broken;
}

Result<FileDescriptor> take_standard_output() {
  FileDescriptor taken(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!taken.valid() || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    return internal_error(fmt::format("standard output cannot be used: {}", std::strerror(errno)));
  }
  return taken;
}

}  // namespace adit::io
