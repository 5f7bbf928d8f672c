// The front's side of one worker: starts the process, speaks the protocol, ends it when it does not stop in time.
//
//   starting ──opened──▶ idle ──request──▶ running ──done/error──▶ idle
//      └───────────── process ends, or misbehaves ──────────────▶ dead
#pragma once

#include "adit/base/request_context.h"
#include "adit/io/child_process.h"
#include "adit/io/event_loop.h"
#include "adit/worker_protocol/frame.h"
#include "adit/worker_protocol/messages.h"

#include <functional>
#include <memory>
#include <string>

namespace adit::workspace {

struct WorkerRequest {
  worker_protocol::MessageType type{};
  std::string payload;
  std::chrono::milliseconds limit{};  // told when the deadline was what ended it
  io::EventLoop::Clock::time_point deadline;
  std::chrono::milliseconds grace{};  // from cancel or deadline to kill
  // A `statement`, `diagnostic` or `definition` frame; false: it is not what it should be, the worker is ended.
  std::function<bool(worker_protocol::MessageType type, std::string_view payload)> on_result;
};

struct WorkerAnswer {
  Result<std::string> payload;   // of `done`
  bool begun = false;            // work on the request had begun: its failure may be its own doing
  bool died = false;             // the process ended before it answered
  bool deadline_passed = false;  // the deadline is what stopped it
};

class WorkerHandle {
 public:
  // `tasks` runs what belongs to the connection and is joined at shutdown.
  static Task<std::unique_ptr<WorkerHandle>> start(io::EventLoop& loop, io::TaskGroup& tasks, std::string program,
                                                   worker_protocol::OpenWorkspace workspace);
  WorkerHandle(const WorkerHandle&) = delete;
  WorkerHandle& operator=(const WorkerHandle&) = delete;
  ~WorkerHandle();  // ends the process

  bool alive() const;
  // Set when the process has ended, also after the handle has gone.
  io::OneShot<io::ExitStatus> gone() const;
  pid_t pid() const;
  const std::vector<std::string>& sandbox_missing() const;  // what binds it not, in words; empty: all of it holds

  // One at a time. Never longer than deadline + grace.
  boost::asio::awaitable<WorkerAnswer> run(RequestContext context, WorkerRequest request);

  // Asks the process to end (closes its channel), kills it after `grace`; returns when it has ended.
  boost::asio::awaitable<void> end(std::chrono::milliseconds grace);

 private:
  struct State;
  explicit WorkerHandle(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace adit::workspace
