// The worker's end of the socket pair (descriptor 3), with blocking reads and writes.
#pragma once

#include "adit/worker_protocol/frame.h"

#include <chrono>
#include <mutex>
#include <optional>

namespace adit::worker {

class Channel {
 public:
  explicit Channel(int fd) : fd_(fd) {}

  enum class Event { frame, timeout, end };

  // Waits for the next frame. `end` also for a damaged stream: without its front a worker has nothing to do.
  Event receive(worker_protocol::Frame& frame, std::optional<std::chrono::milliseconds> timeout = {});

  // Whole frames, from any thread. A front that is gone ends the process through receive().
  void send(worker_protocol::MessageType type, std::uint32_t request, std::string_view payload);

 private:
  int fd_;
  worker_protocol::FrameDecoder decoder_;
  std::mutex write_mutex_;
};

}  // namespace adit::worker
