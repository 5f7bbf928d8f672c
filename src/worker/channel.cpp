#include "channel.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace adit::worker {

Channel::Event Channel::receive(worker_protocol::Frame& frame, std::optional<std::chrono::milliseconds> timeout) {
  for (;;) {
    auto next = decoder_.next();
    if (!next.ok()) return Event::end;
    if (next->has_value()) {
      frame = std::move(**next);
      return Event::frame;
    }
    pollfd poll_fd{.fd = fd_, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&poll_fd, 1, timeout ? static_cast<int>(timeout->count()) : -1);
    if (ready == 0) return Event::timeout;
    if (ready < 0 && errno == EINTR) continue;
    char bytes[64 << 10];
    const ssize_t size = ::read(fd_, bytes, sizeof bytes);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return Event::end;
    decoder_.feed({bytes, static_cast<std::size_t>(size)});
  }
}

void Channel::send(worker_protocol::MessageType type, std::uint32_t request, std::string_view payload) {
  const auto bytes = worker_protocol::encode_frame(type, request, payload);
  const std::lock_guard lock(write_mutex_);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t size = ::write(fd_, bytes.data() + sent, bytes.size() - sent);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return;
    sent += static_cast<std::size_t>(size);
  }
}

}  // namespace adit::worker
