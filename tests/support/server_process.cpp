#include "support/server_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace adit::test {
namespace json = boost::json;
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const auto& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

json::object modern_meta() {
  return {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
          {"io.modelcontextprotocol/clientCapabilities", json::object()}};
}

}  // namespace

ServerProcess::ServerProcess(ServerOptions options) : modern_(options.speak_modern) {
  state_dir_ = options.state_dir.empty() ? home_.path() + "/state" : options.state_dir;
  ::signal(SIGPIPE, SIG_IGN);
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  error_file_ = ::open((home_.path() + "/stderr").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const auto program = options.program.empty() ? std::string(ADIT_BIN_DIR) + "/adit" : options.program;
  std::vector<std::string> arguments{program, "serve", "--state-dir", state_dir_};
  const bool named =
      std::find(options.arguments.begin(), options.arguments.end(), "--worker") != options.arguments.end();
  if (constexpr std::string_view worker = ADIT_TEST_WORKER; !worker.empty() && !named) {
    arguments.insert(arguments.end(), {"--worker", std::string(worker)});
  }
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment{"PATH=/usr/bin:/bin", "HOME=" + home_.path(),
                                       "XDG_CACHE_HOME=" + home_.path() + "/cache"};
  environment.insert(environment.end(), options.environment.begin(), options.environment.end());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, error_file_, 2);
  const int failed = ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, pointers(arguments).data(),
                                   pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  to_server_ = in[1];
  from_server_ = out[0];
  if (failed != 0) throw std::runtime_error("cannot start " + program);
}

ServerProcess::~ServerProcess() {
  close_input();
  if (!wait_for_exit(std::chrono::seconds(3))) {
    kill(SIGKILL);
    wait_for_exit(std::chrono::seconds(5));
  }
  ::close(from_server_);
  ::close(error_file_);
}

void ServerProcess::send_bytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(to_server_, bytes.data(), bytes.size());
    if (size < 0) return;  // the server is gone; the test sees that by what it waits for
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

void ServerProcess::send(std::string_view line) { send_bytes(std::string(line) + "\n"); }

std::optional<std::string> ServerProcess::read_line(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::size_t searched = 0;
  for (;;) {
    if (const auto at = buffer_.find('\n', searched); at != std::string::npos) {
      auto line = buffer_.substr(0, at);
      buffer_.erase(0, at + 1);
      return line;
    }
    searched = buffer_.size();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd poll_fd{.fd = from_server_, .events = POLLIN, .revents = 0};
    if (left.count() < 0 || ::poll(&poll_fd, 1, static_cast<int>(left.count())) <= 0) return std::nullopt;
    char chunk[65536];
    const ssize_t size = ::read(from_server_, chunk, sizeof chunk);
    if (size <= 0) return std::nullopt;
    buffer_.append(chunk, static_cast<std::size_t>(size));
  }
}

bool ServerProcess::stays_silent(std::chrono::milliseconds time) { return !read_line(time).has_value(); }

std::int64_t ServerProcess::start_request(std::string_view method, json::object params) {
  const auto id = ++last_id_;
  if (modern_) {
    auto meta = modern_meta();
    if (const auto* given = params.if_contains("_meta")) {
      for (const auto& member : given->as_object()) meta[member.key()] = member.value();
    }
    params["_meta"] = std::move(meta);
  }
  send(json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}));
  return id;
}

json::object ServerProcess::wait_for(std::int64_t id, std::chrono::milliseconds timeout) {
  for (auto answer = early_answers_.begin(); answer != early_answers_.end(); ++answer) {
    if (answer->at("id") == id) {
      auto found = std::move(*answer);
      early_answers_.erase(answer);
      return found;
    }
  }
  const auto end = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    const auto line = read_line(left);
    if (!line) {
      ADD_FAILURE() << "no answer to request " << id << "; stderr: " << standard_error();
      return {};
    }
    auto message = json::parse(*line).as_object();
    keep_answer(message);
    if (!message.contains("id")) notifications_.push_back(std::move(message));
    else if (message.at("id") == id) return message;
    else early_answers_.push_back(std::move(message));
  }
}

void ServerProcess::keep_answer(const json::object& message) const {
  const auto* id = message.if_contains("id");
  const auto* result = message.if_contains("result");
  if (id == nullptr || !id->is_int64() || result == nullptr || !result->is_object()) return;
  const auto tool = called_.find(id->as_int64());
  const auto* content = result->as_object().if_contains("structuredContent");
  if (tool == called_.end() || content == nullptr) return;
  const auto directory = std::string(ADIT_BIN_DIR) + "/../answers";
  std::filesystem::create_directories(directory);
  std::ofstream(fmt::format("{}/{}.jsonl", directory, ::getpid()), std::ios::app)
      << json::serialize(json::object{{"tool", tool->second}, {"content", *content}}) << '\n';
}

json::object ServerProcess::request(std::string_view method, json::object params) {
  return wait_for(start_request(method, std::move(params)));
}

std::int64_t ServerProcess::start_call(std::string_view tool, json::object arguments, json::object meta) {
  json::object params{{"name", tool}, {"arguments", std::move(arguments)}};
  if (!meta.empty()) params["_meta"] = std::move(meta);
  const auto id = start_request("tools/call", std::move(params));
  called_[id] = tool;
  return id;
}

json::object ServerProcess::call(std::string_view tool, json::object arguments) {
  auto answer = wait_for(start_call(tool, std::move(arguments)));
  auto* result = answer.if_contains("result");
  auto* content = result != nullptr ? result->as_object().if_contains("structuredContent") : nullptr;
  if (content == nullptr) {
    ADD_FAILURE() << "no structured content: " << json::serialize(answer);
    return {};
  }
  return std::move(content->as_object());
}

void ServerProcess::close_input() {
  if (to_server_ >= 0) ::close(to_server_);
  to_server_ = -1;
}

std::optional<int> ServerProcess::wait_for_exit(std::chrono::milliseconds timeout) {
  eventually(timeout, [&] {
    if (!exited_) exited_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    return exited_;
  });
  if (!exited_) return std::nullopt;
  return WIFSIGNALED(status_) ? -WTERMSIG(status_) : WEXITSTATUS(status_);
}

void ServerProcess::kill(int signal) {
  if (!exited_) ::kill(pid_, signal);
}

std::vector<pid_t> ServerProcess::workers() const { return children_of(pid_); }

std::string ServerProcess::standard_error() {
  std::ifstream file(home_.path() + "/stderr");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  std::ifstream list(fmt::format("/proc/{}/task/{}/children", pid, pid));
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

}  // namespace adit::test
