// The policy page: what happens in which order, and why, from the first instruction to the first request.
#include "adit/worker/worker.h"

#include "adit/worker_protocol/messages.h"
#include "process_limits.h"
#include "sandbox_linux.h"
#include "session.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace adit::worker {
namespace {

using worker_protocol::MessageType;

Result<void> make_spill_directory(const std::string& directory) {
  if (::mkdir((directory + "/spill").c_str(), 0700) == 0 || errno == EEXIST) return {};
  return internal_error(fmt::format("the workspace's directory cannot be used: {}", std::strerror(errno)));
}

struct OpenedWorkspace {
  std::unique_ptr<Engine> engine;
  SandboxState sandbox;
};

Result<OpenedWorkspace> open_workspace(const worker_protocol::Frame& frame) {
  ADIT_TRY(auto workspace, worker_protocol::decode<worker_protocol::OpenWorkspace>(frame.payload));
  ADIT_CHECK(limit_resources(workspace.memory_bytes, workspace.disk_bytes));
  ADIT_CHECK(make_spill_directory(workspace.directory));
  OpenedWorkspace opened;
  ADIT_TRY(opened.engine, Engine::open(workspace, [&]() -> Result<void> {
             ADIT_TRY(opened.sandbox, confine_process(workspace.directory, workspace.files));
             return {};
           }));
  return opened;
}

}  // namespace

int run_worker(int channel_fd) {
  // 1. Limits that need no message: whatever follows is already bound by them.
  if (auto limited = limit_process(); !limited.ok()) {
    std::fprintf(stderr, "adit-worker: %s\n", limited.error().message.c_str());
    return 1;
  }
  // 2. The first message names the directory and the files. No thread runs yet but this one.
  Channel channel(channel_fd);
  worker_protocol::Frame frame;
  if (channel.receive(frame) != Channel::Event::frame || frame.type != MessageType::open) {
    std::fprintf(stderr, "adit-worker: started without a front; it is the query engine of adit, not a command\n");
    return 1;
  }
  // 3. Resource limits, engine with one thread, confinement, then all threads and the locks (Engine::open).
  auto workspace = open_workspace(frame);
  if (!workspace.ok()) {
    channel.send(MessageType::error, frame.request, encode(worker_protocol::to_failure(workspace.error())));
    return 1;
  }
  const worker_protocol::Opened opened{.engine_version = duckdb_library_version(),
                                       .sandbox_missing = std::move(workspace->sandbox.missing)};
  channel.send(MessageType::done, frame.request, encode(opened));
  // 4. Requests, until the front closes the channel.
  Session(channel, std::move(workspace->engine)).run();
}

}  // namespace adit::worker
