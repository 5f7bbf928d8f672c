// A connected stream of bytes on the loop: our end of a socket pair.
#pragma once

#include "adit/base/file_descriptor.h"
#include "adit/io/event_loop.h"

#include <memory>
#include <span>
#include <string>

namespace adit::io {

class ByteStream {
 public:
  // One end for the loop, the other for a child process (CLOEXEC, blocking).
  struct Pair;
  static Result<Pair> socket_pair(EventLoop& loop);

  ~ByteStream();

  // At least one byte; 0 at the peer's end, as often as it is asked. After close() both are errors of reason "closed".
  // One reader and one writer at a time.
  Task<std::size_t> read_some(std::span<char> buffer);
  Task<void> write(std::string bytes);  // all of them
  void close();                         // wakes both with that error

 private:
  struct State;
  explicit ByteStream(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct ByteStream::Pair {
  std::unique_ptr<ByteStream> ours;
  FileDescriptor theirs;
};

}  // namespace adit::io
