#include "worker_handle.h"

#include "adit/base/log.h"
#include "adit/io/byte_stream.h"
#include "adit/io/child_process.h"
#include "call_error.h"

#include <fmt/format.h>

#include <signal.h>

#include <deque>

namespace adit::workspace {
namespace asio = boost::asio;
using namespace worker_protocol;

namespace {

constexpr auto kStartLimit = std::chrono::seconds(20);  // a machine under heavy load needs seconds to load the library

enum class StopCause { none, cancelled, deadline };

// The request at work.
struct Running {
  Running(io::EventLoop& loop, std::uint32_t request_number, const RequestContext& call)
      : number(request_number), context(call), ended(loop) {}

  std::uint32_t number;
  RequestContext context;
  std::function<bool(MessageType, std::string_view)> on_result;
  bool begun = false;
  StopCause stop = StopCause::none;
  io::OneShot<Result<std::string>> ended;
};

}  // namespace

struct WorkerHandle::State : std::enable_shared_from_this<State> {
  State(io::EventLoop& the_loop, io::TaskGroup& the_tasks, std::unique_ptr<io::ChildProcess> child,
        std::unique_ptr<io::ByteStream> stream)
      : loop(the_loop), tasks(the_tasks), process(std::move(child)), channel(std::move(stream)), gone(the_loop) {}

  io::EventLoop& loop;
  io::TaskGroup& tasks;
  std::unique_ptr<io::ChildProcess> process;
  std::unique_ptr<io::ByteStream> channel;
  io::OneShot<io::ExitStatus> gone;
  std::uint32_t last_number = 0;
  std::shared_ptr<Running> running;
  std::deque<std::string> outgoing;
  bool writing = false;
  std::vector<std::string> sandbox_missing;

  void send(MessageType type, std::uint32_t number, std::string_view payload) {
    outgoing.push_back(encode_frame(type, number, payload));
    if (!writing) tasks.spawn(write_outgoing(shared_from_this()));
  }

  // Coroutines of the connection hold the state, not the handle: they may outlive it for a moment.
  static asio::awaitable<void> write_outgoing(std::shared_ptr<State> self) {
    self->writing = true;
    while (!self->outgoing.empty()) {
      auto bytes = std::move(self->outgoing.front());
      self->outgoing.pop_front();
      auto written = co_await self->channel->write(std::move(bytes));
      if (!written.ok()) break;  // the reader sees the end, too, and tells it
    }
    self->writing = false;
  }

  static asio::awaitable<void> read_frames(std::shared_ptr<State> self) {
    FrameDecoder decoder;
    std::string chunk(256 << 10, '\0');
    for (;;) {
      auto size = co_await self->channel->read_some(chunk);
      if (!size.ok() || *size == 0) break;
      decoder.feed(std::string_view(chunk).substr(0, *size));
      if (!self->take_frames(decoder)) {
        log::error("a worker misbehaved and is ended");
        break;
      }
    }
    self->process->kill(SIGKILL);
    auto status = co_await self->process->exited();
    self->gone.set(status);
    if (self->running) self->running->ended.set(self->explain_death(status));
  }

  bool take_frames(FrameDecoder& decoder) {
    for (;;) {
      auto next = decoder.next();
      if (!next.ok()) return false;
      if (!next->has_value()) return true;
      if (!take(**next)) return false;
    }
  }

  bool take(Frame& frame) {
    if (!running || frame.request != running->number) return false;
    switch (frame.type) {
      case MessageType::started: running->begun = true; return true;
      case MessageType::statement:
      case MessageType::diagnostic:
      case MessageType::definition: return running->on_result && running->on_result(frame.type, frame.payload);
      case MessageType::done: running->ended.set(std::move(frame.payload)); return true;
      case MessageType::progress: {
        auto progress = decode<WorkProgress>(frame.payload);
        if (!progress.ok()) return false;
        running->context.report({.elapsed_seconds = progress->elapsed_seconds,
                                 .fraction = progress->fraction,
                                 .message = std::move(progress->message)});
        return true;
      }
      case MessageType::error: {
        auto failure = decode<Failure>(frame.payload);
        if (!failure.ok()) return false;
        running->ended.set(Result<std::string>(to_error(*failure)));
        return true;
      }
      case MessageType::open:
      case MessageType::import_files:
      case MessageType::query:
      case MessageType::describe:
      case MessageType::export_rows:
      case MessageType::cancel: return false;
    }
    return false;
  }

  Error explain_death(const io::ExitStatus& status) const {
    switch (running->stop) {
      case StopCause::cancelled: return cancelled_error();
      case StopCause::deadline:  // run() names the limit
      case StopCause::none: break;
    }
    return worker_died_error(status);
  }
};

Task<std::unique_ptr<WorkerHandle>> WorkerHandle::start(io::EventLoop& loop, io::TaskGroup& tasks, std::string program,
                                                        OpenWorkspace workspace) {
  ADIT_CO_TRY(auto pair, io::ByteStream::socket_pair(loop));
  io::SpawnRequest spawn{
      .program = std::move(program),
      .arguments = {},
      // Nothing of the front's environment: tokens are in it.
      .environment = {"DUCKDB_JE_MALLOC_CONF=retain:false", "TZ=UTC", "LC_ALL=C.UTF-8", "HOME=" + workspace.directory},
      .standard_input = {},
      .standard_output = {},
      .channel = std::move(pair.theirs),
      .log_name = "worker"};
  ADIT_CO_TRY(auto process, io::ChildProcess::spawn(loop, std::move(spawn)));
  auto state = std::make_shared<State>(loop, tasks, std::move(process), std::move(pair.ours));
  tasks.spawn(State::read_frames(state));
  std::unique_ptr<WorkerHandle> handle(new WorkerHandle(state));

  WorkerRequest open{.type = MessageType::open,
                     .payload = encode(workspace),
                     .limit = kStartLimit,
                     .deadline = io::EventLoop::Clock::now() + kStartLimit,
                     .grace = std::chrono::milliseconds(0),
                     .on_result = {}};
  RequestContext uncancelled;
  auto answer = co_await handle->run(uncancelled, std::move(open));
  if (!answer.payload.ok()) co_return std::move(answer.payload).error();
  ADIT_CO_TRY(auto opened, decode<Opened>(*answer.payload));
  state->sandbox_missing = std::move(opened.sandbox_missing);
  co_return std::move(handle);
}

WorkerHandle::~WorkerHandle() {
  state_->channel->close();
  state_->process->kill(SIGKILL);
}

bool WorkerHandle::alive() const { return !state_->gone.is_set() && !state_->process->has_exited(); }

io::OneShot<io::ExitStatus> WorkerHandle::gone() const { return state_->gone; }

const std::vector<std::string>& WorkerHandle::sandbox_missing() const { return state_->sandbox_missing; }

pid_t WorkerHandle::pid() const { return state_->process->pid(); }

asio::awaitable<WorkerAnswer> WorkerHandle::run(RequestContext context, WorkerRequest request) {
  auto state = state_;
  auto running = std::make_shared<Running>(state->loop, ++state->last_number, context);
  running->on_result = std::move(request.on_result);
  state->running = running;
  if (state->gone.is_set()) running->ended.set(Result<std::string>(worker_died_error(co_await state->gone.wait())));

  io::Timer kill_timer(state->loop);
  io::Timer deadline_timer(state->loop);
  const auto stop = [&kill_timer, state = state.get(), running = running.get(),
                     grace = request.grace](StopCause cause) {
    if (running->stop != StopCause::none) return;
    running->stop = cause;
    state->send(MessageType::cancel, running->number, "");
    kill_timer.start(io::EventLoop::Clock::now() + grace, [state] { state->process->kill(SIGKILL); });
  };
  deadline_timer.start(request.deadline, [&stop] { stop(StopCause::deadline); });
  const auto guard = context.on_cancel([&stop] { stop(StopCause::cancelled); });
  state->send(request.type, running->number, request.payload);

  auto payload = co_await running->ended.wait();
  state->running.reset();
  // Asked of the state: whoever held the handle may have let it go meanwhile.
  const bool died = state->gone.is_set() || state->process->has_exited();
  // Whether the engine gave way or had to be killed: what ended the call is the limit.
  if (!payload.ok() && running->stop == StopCause::deadline) payload = timeout_error(request.limit);
  if (!payload.ok() && running->stop == StopCause::cancelled) payload = cancelled_error();
  co_return WorkerAnswer{.payload = std::move(payload),
                         .begun = running->begun,
                         .died = died,
                         .deadline_passed = running->stop == StopCause::deadline};
}

asio::awaitable<void> WorkerHandle::end(std::chrono::milliseconds grace) {
  auto state = state_;
  state->channel->close();
  io::Timer kill_timer(state->loop);
  kill_timer.start(io::EventLoop::Clock::now() + grace, [state = state.get()] { state->process->kill(SIGKILL); });
  co_await state->process->exited();
}

}  // namespace adit::workspace
