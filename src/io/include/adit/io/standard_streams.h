// Standard input and output of a protocol server. Both keep their threads: descriptors 0 and 1 may be files, pipes or
// a terminal shared with others, so their flags are left alone and a slow peer blocks a thread, never the loop.
#pragma once

#include "adit/base/file_descriptor.h"
#include "adit/io/event_loop.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace adit::io {

// Reads until end of file. Callbacks run on the loop; none runs after the object is destroyed.
class InputThread {
 public:
  InputThread(EventLoop& loop, FileDescriptor fd, std::function<void(std::string bytes)> on_bytes,
              std::function<void()> on_end);
  InputThread(const InputThread&) = delete;
  InputThread& operator=(const InputThread&) = delete;
  ~InputThread();  // does not wait: a read cannot be taken back

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Writes what it is given, in order and whole. Destroying it drops what is not written yet; flush() first.
class OutputThread {
 public:
  // `on_broken` runs on the loop, once, when the peer is gone; later bytes are dropped.
  OutputThread(EventLoop& loop, FileDescriptor fd, std::function<void()> on_broken);
  OutputThread(const OutputThread&) = delete;
  OutputThread& operator=(const OutputThread&) = delete;
  ~OutputThread();

  void write(std::string bytes);                         // any thread, never waits
  bool flush(std::chrono::steady_clock::time_point by);  // waits in the caller's thread; false: not all was written

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// MCP stdio rule "nothing but messages on stdout": takes descriptor 1 for the caller and points 1 at stderr, so that
// a library's print cannot break the stream.
Result<FileDescriptor> take_standard_output();

}  // namespace adit::io
