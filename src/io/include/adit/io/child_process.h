// Child processes: one function starts them, with closed descriptors and an environment that is listed, not inherited.
#pragma once

#include "adit/base/file_descriptor.h"
#include "adit/io/event_loop.h"

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace adit::io {

struct SpawnRequest {
  std::string program;                   // path, no search
  std::vector<std::string> arguments;    // without the program's own name
  std::vector<std::string> environment;  // NAME=value, exactly these
  // The child's descriptors; one that is not valid becomes /dev/null (and 3 stays closed). Nothing else is inherited.
  FileDescriptor standard_input;
  FileDescriptor standard_output;
  FileDescriptor channel;  // becomes descriptor 3
  // Lines of the child's stderr go to our log under this name, bounded; empty: the child shares our stderr.
  std::string log_name;
};

struct ExitStatus {
  int code = 0;    // when signal is 0
  int signal = 0;  // the signal that ended it, or 0
};

// A running child; destroying the object kills it. Loop thread only: PR_SET_PDEATHSIG counts the spawning thread.
class ChildProcess {
 public:
  static Result<std::unique_ptr<ChildProcess>> spawn(EventLoop& loop, SpawnRequest request);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  pid_t pid() const;
  void kill(int signal);  // nothing happens when it has ended
  bool has_exited() const;
  boost::asio::awaitable<ExitStatus> exited();  // any number of waiters

 private:
  struct State;
  explicit ChildProcess(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace adit::io
