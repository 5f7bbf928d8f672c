// MCP over Streamable HTTP, both eras at one endpoint, /mcp (rules H1 to H20 of docs/protocol.md).
#pragma once

#include "adit/io/event_loop.h"
#include "adit/mcp/server.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adit::mcp {

struct HttpOptions {
  std::string address = {};                       // "127.0.0.1:8080", "[::1]:0", "unix:/path"
  std::vector<std::string> allowed_hosts = {};    // beside localhost, 127.0.0.1 and [::1]
  std::vector<std::string> allowed_origins = {};  // their pages may use the server from a browser
  std::string token = {};                         // static bearer token; "" asks for none
  bool without_token_anywhere = false;            // listens beyond this machine although there is no token

  std::size_t largest_message = 8u << 20;
  std::size_t connections = 4'000;
  std::size_t sessions = 1'000;
  std::size_t listening_streams = 64;                      // of one session, or of one modern caller
  std::size_t running_calls = 64;                          // of one session, whose calls outlive their connections
  std::size_t replay_bytes = 64u << 20;                    // kept to be replayed, all sessions together
  std::chrono::milliseconds session_idle{24 * 3'600'000};  // as long as an unused dataset of it lives
  // A session that was an owner has ended: what it opened can go.
  std::function<void(const std::string& owner)> on_owner_gone = {};
  std::chrono::milliseconds keep_alive{15'000};
};

class HttpTransport {
 public:
  // Listens at once. Refuses an address that others can reach without a token, unless it is told otherwise.
  static Result<std::unique_ptr<HttpTransport>> start(io::EventLoop& loop, const Server& server, HttpOptions options);
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;
  ~HttpTransport();  // REQUIRES: shut_down() has ended, or the loop has stopped for good

  std::string url() const;  // for people: "http://127.0.0.1:8080/mcp"

  // Takes nothing further, lets running calls go on for a moment, cancels the others; within a second.
  boost::asio::awaitable<void> shut_down();

 private:
  class State;
  explicit HttpTransport(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// Until SIGTERM or SIGINT; then shut_down().
boost::asio::awaitable<void> serve_http(io::EventLoop& loop, HttpTransport& transport);

}  // namespace adit::mcp
