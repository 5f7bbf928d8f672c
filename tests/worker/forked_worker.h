// A worker as its front sees it: run_worker in a forked child, driven over the socket pair frame by frame.
#pragma once

#include "adit/worker/worker.h"
#include "adit/worker_protocol/frame.h"
#include "adit/worker_protocol/messages.h"
#include "duckdb_handle.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adit::worker {

class ForkedWorker {
 public:
  // `in_child` runs in the child before its worker begins.
  explicit ForkedWorker(const std::function<void()>& in_child = [] {}) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) throw std::runtime_error("socketpair failed");
    pid_ = ::fork();
    if (pid_ == 0) {
      // An exception ends the process as it ends the program: nothing of the test is unwound in the child.
      [&]() noexcept {
        ::close(pair[0]);
        ::alarm(110);  // whatever happens, no child outlives its test
        in_child();
        ::_exit(run_worker(pair[1]));
      }();
    }
    ::close(pair[1]);
    fd_ = pair[0];
  }
  ForkedWorker(const ForkedWorker&) = delete;
  ForkedWorker& operator=(const ForkedWorker&) = delete;
  ~ForkedWorker() {
    close_channel();
    if (status_) return;
    ::kill(pid_, SIGKILL);
    wait();
  }

  pid_t pid() const { return pid_; }

  void send_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto size = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size <= 0) return;  // it has ended; receive() tells
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
  }

  void send(worker_protocol::MessageType type, std::uint32_t request, std::string_view payload) {
    send_bytes(worker_protocol::encode_frame(type, request, payload));
  }

  void close_channel() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

  // The next frame; nothing when the worker has closed its end.
  std::optional<worker_protocol::Frame> receive() {
    for (;;) {
      auto next = decoder_.next();
      if (!next.ok()) {
        ADD_FAILURE() << "the worker sent a damaged frame";
        return std::nullopt;
      }
      if (next->has_value()) return std::move(**next);
      if (while_waiting) while_waiting();
      pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 10) <= 0) continue;
      char bytes[64 << 10];
      const auto size = ::read(fd_, bytes, sizeof bytes);
      if (size <= 0) return std::nullopt;
      decoder_.feed({bytes, static_cast<std::size_t>(size)});
    }
  }
  std::function<void()> while_waiting;  // called again and again while a frame is awaited

  struct Answer {
    std::vector<std::string> statements;
    std::string payload;  // of `done`
    std::optional<worker_protocol::Failure> failure;
    bool ended = false;  // instead of an answer, the worker died
  };

  Answer request(worker_protocol::MessageType type, std::string_view payload) {
    send(type, ++last_request_, payload);
    Answer answer;
    for (;;) {
      auto frame = receive();
      if (!frame) {
        answer.ended = true;
        return answer;
      }
      EXPECT_EQ(frame->request, last_request_);
      if (frame->type == worker_protocol::MessageType::statement) answer.statements.push_back(frame->payload);
      if (frame->type == worker_protocol::MessageType::error) {
        answer.failure = *worker_protocol::decode<worker_protocol::Failure>(frame->payload);
        return answer;
      }
      if (frame->type != worker_protocol::MessageType::done) continue;
      answer.payload = frame->payload;
      if (type == worker_protocol::MessageType::query) {
        answer.failure = worker_protocol::decode<worker_protocol::QueryDone>(frame->payload)->failure;
      }
      return answer;
    }
  }

  // What the sandbox lacks, once the workspace is open.
  std::vector<std::string> open(const worker_protocol::OpenWorkspace& workspace) {
    const auto answer = request(worker_protocol::MessageType::open, encode(workspace));
    EXPECT_FALSE(answer.ended) << "the worker ended while opening";
    EXPECT_FALSE(answer.failure.has_value()) << answer.failure->message;
    const auto opened = worker_protocol::decode<worker_protocol::Opened>(answer.payload);
    EXPECT_TRUE(opened.ok());
    return opened.ok() ? opened->sandbox_missing : std::vector<std::string>{"everything"};
  }

  Answer query(const std::string& sql) {
    worker_protocol::RunQuery query;
    query.sql = {sql};
    return request(worker_protocol::MessageType::query, encode(query));
  }

  Answer import(const std::string& path, const std::string& format, const std::string& name) {
    worker_protocol::ImportFiles files;
    files.sources = {{.path = path, .display = name + "." + format, .name = name, .format = format}};
    return request(worker_protocol::MessageType::import_files, encode(files));
  }

  // The first cell of the only row, or what happened instead.
  std::string value(const std::string& sql) {
    const auto answer = query(sql);
    if (answer.ended) return "the worker ended";
    if (answer.failure) return answer.failure->reason + ": " + answer.failure->message;
    const auto statement = boost::json::parse(answer.statements.at(0));
    const auto& cell = statement.at("rows").at(0).at(0).at("value");
    return cell.is_string() ? std::string(cell.get_string()) : boost::json::serialize(cell);
  }

  // Waits for the end: the exit code, or -signal.
  int wait() {
    if (!status_) {
      int status = 0;
      while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
      }
      status_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }
    return *status_;
  }

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  std::uint32_t last_request_ = 0;
  worker_protocol::FrameDecoder decoder_;
  std::optional<int> status_;
};

// What a dying process says is not shown. Not closed: the next file opened would get the number.
inline void silence_standard_error() {
  const int null = ::open("/dev/null", O_WRONLY);
  ::dup2(null, STDERR_FILENO);
  ::close(null);
}

// Value of a line `NAME:  value` of a file in /proc; "" when it is not there.
inline std::string proc_field(const std::filesystem::path& file, std::string_view name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name)) continue;
    const auto begin = line.find_first_not_of(" \t:", name.size());
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

}  // namespace adit::worker
