#include "server_program.h"

#include "process_memory.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <vector>

namespace adit::bench {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kListening = "listening on http://127.0.0.1:";

std::string make_directory() {
  std::string name = (fs::temp_directory_path() / "adit-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory");
  return name;
}

// Reads to the end; tells the port as soon as it is named.
void read_log(int fd, std::string& said, std::promise<std::uint16_t>& port) {
  char chunk[4096];
  bool told = false;
  for (auto size = ::read(fd, chunk, sizeof chunk); size > 0; size = ::read(fd, chunk, sizeof chunk)) {
    said.append(chunk, static_cast<std::size_t>(size));
    const auto at = said.find(kListening);
    if (told || at == std::string::npos || said.find('\n', at) == std::string::npos) continue;
    told = true;
    port.set_value(static_cast<std::uint16_t>(std::stoi(said.substr(at + kListening.size()))));
  }
  ::close(fd);
  if (!told) port.set_value(0);
}

}  // namespace

std::string ServerState::text() const {
  return fmt::format("RSS {:.1f} MB, PSS of all {:.1f} MB, {} processes, {} descriptors, {} directories", front_rss_mb,
                     pss_mb, processes, descriptors, directories);
}

ServerProgram::ServerProgram(const std::string& root) : state_dir_(make_directory()) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  std::vector<std::string> words{ADIT_BIN_DIR "/adit", "serve",    "--http",      "127.0.0.1:0", "--root", root,
                                 "--state-dir",        state_dir_, "--log-level", "debug"};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  const int failed = ::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (failed != 0) throw std::runtime_error("cannot start adit");
  std::promise<std::uint16_t> port;
  auto told = port.get_future();
  reader_ = std::thread([this, fd = ends[0], promise = std::move(port)]() mutable { read_log(fd, said_, promise); });
  port_ = told.get();
  if (port_ == 0) throw std::runtime_error("the server does not listen: " + stop());
}

ServerProgram::~ServerProgram() {
  stop();
  std::error_code ignored;
  fs::remove_all(state_dir_, ignored);
}

std::string ServerProgram::stop() {
  if (pid_ > 0) {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  if (reader_.joinable()) reader_.join();
  return said_;
}

ServerState ServerProgram::state() const {
  auto processes = children_of(pid_);
  processes.insert(processes.begin(), pid_);
  ServerState state{.front_rss_mb = rss_mb(pid_), .pss_mb = pss_mb(processes), .processes = processes.size()};
  state.descriptors = std::distance(fs::directory_iterator(fmt::format("/proc/{}/fd", pid_)), {});
  for (const auto& entry : fs::recursive_directory_iterator(state_dir_)) state.directories += entry.is_directory();
  // The server hides its memory from other processes of its user.
  if (state.pss_mb == 0) throw std::runtime_error("the server's memory cannot be read; run this as root");
  return state;
}

}  // namespace adit::bench
