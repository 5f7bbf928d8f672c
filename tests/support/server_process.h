// The real `adit` as a child process, driven over its pipes line by line, as a client does it. Every answer of a tool
// is also kept in build/answers, for a validator that is not ours (tests/node/answers.test.mjs).
#pragma once

#include "support/temporary_directory.h"

#include <sys/types.h>

#include <boost/json.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adit::test {

struct ServerOptions {
  std::vector<std::string> arguments = {};    // behind `serve`
  std::string state_dir = {};                 // --state-dir; "" = one of the object's own
  std::vector<std::string> environment = {};  // NAME=value, beside PATH, HOME and XDG_CACHE_HOME
  std::string program = {};                   // "" = build/bin/adit
  bool speak_modern = true;                   // request() adds the _meta of 2026-07-28
};

class ServerProcess {
 public:
  explicit ServerProcess(ServerOptions options = {});
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess();  // kills what still runs

  // Raw lines. send adds the LF.
  void send(std::string_view line);
  void send_bytes(std::string_view bytes);
  std::optional<std::string> read_line(std::chrono::milliseconds timeout = std::chrono::seconds(20));
  bool stays_silent(std::chrono::milliseconds time);  // no line comes within it

  // A request's whole answer (the JSON-RPC message); notifications that come first are kept in notifications().
  boost::json::object request(std::string_view method, boost::json::object params = {});
  std::int64_t start_request(std::string_view method, boost::json::object params = {});  // its id
  boost::json::object wait_for(std::int64_t id, std::chrono::milliseconds timeout = std::chrono::seconds(60));
  const std::vector<boost::json::object>& notifications() const { return notifications_; }

  // tools/call, giving structuredContent. Fails the test when there is none.
  boost::json::object call(std::string_view tool, boost::json::object arguments);
  std::int64_t start_call(std::string_view tool, boost::json::object arguments, boost::json::object meta = {});

  void close_input();
  // The exit code, -signal for one ended by a signal, nothing if it still runs after the timeout.
  std::optional<int> wait_for_exit(std::chrono::milliseconds timeout);
  void kill(int signal);

  pid_t pid() const { return pid_; }
  std::vector<pid_t> workers() const;  // living child processes of the server
  const std::string& state_dir() const { return state_dir_; }
  std::string standard_error();  // what it has written there so far

 private:
  void keep_answer(const boost::json::object& message) const;

  TemporaryDirectory home_;
  std::string state_dir_;
  pid_t pid_ = -1;
  int to_server_ = -1, from_server_ = -1, error_file_ = -1;
  std::string buffer_;
  bool modern_;
  bool exited_ = false;
  int status_ = 0;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, std::string> called_;  // tools by the id of their call
  std::vector<boost::json::object> notifications_;
  std::vector<boost::json::object> early_answers_;
};

// Every process whose parent is `pid`.
std::vector<pid_t> children_of(pid_t pid);

// Polls until the condition holds; false after the time.
template <class Condition>
bool eventually(std::chrono::milliseconds time, const Condition& condition);

}  // namespace adit::test

#include <thread>

template <class Condition>
bool adit::test::eventually(std::chrono::milliseconds time, const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}
