// An HTTP/1.1 server on the event loop: connections, limits, whole answers and streams. What a request means is its
// handler's business; here nothing is known of paths, sessions or JSON.
//
// One loop thread, nothing blocks it. A connection at rest holds a socket and no buffer.
#pragma once

#include "adit/io/event_loop.h"
#include "adit/net/http_address.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adit::net {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string method;
  std::string target;  // as it was sent: path and query
  std::vector<HttpHeader> headers;
  std::string body;

  std::string_view path() const { return std::string_view(target).substr(0, target.find('?')); }

  // The value of a header, its name compared without case. Several of one name are joined by ", " as RFC 9110 5.3
  // has it, so that a doubled single-valued header is never taken for its first half.
  std::optional<std::string> header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::vector<HttpHeader> headers;  // without length, connection and date: these are the server's
  std::string body;
};

// The answer to one request: whole, or a stream written piece by piece. Copies name the same answer. Whoever holds it
// owes the client either respond(), or open_stream() and finish(). Loop thread only; calls after the end do nothing.
class HttpExchange {
 public:
  void respond(HttpResponse response) const;

  void open_stream(HttpResponse head) const;  // its body is the first piece
  void write(std::string bytes) const;
  void finish() const;

  // The peer went away before the answer was complete, or was too slow to take it. on_closed runs at most once, at once
  // if it is too late.
  bool closed() const;
  void on_closed(std::function<void()> callback) const;

 private:
  friend class HttpConnection;
  struct State;
  explicit HttpExchange(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

struct HttpLimits {
  std::size_t header_bytes = 16u << 10;           // request line and headers: 431
  std::size_t body_bytes = 8u << 20;              // of one request: 413
  std::size_t all_body_bytes = 128u << 20;        // of all requests that are being read: 503
  std::size_t unsent_bytes = 64u << 20;           // of one stream that its client does not take: closed
  std::size_t connections = 4'000;                // beyond, the longest idle one goes; without one: 503
  std::chrono::milliseconds header_time{10'000};  // from the first byte: 408
  std::chrono::milliseconds body_time{60'000};    // 408
  std::chrono::milliseconds write_time{30'000};   // in which a client takes no byte: closed
  std::size_t write_rate = 4u << 10;             // bytes a second, the least over one write, write_time granted: closed
  std::chrono::milliseconds idle_time{120'000};  // between requests
};

struct HttpHandler {
  // Looks at a request before its body is read; an answer refuses it, and the body never gets in.
  std::function<std::optional<HttpResponse>(const HttpRequest& head)> check;
  std::function<void(HttpRequest request, HttpExchange exchange)> handle;
};

class HttpServer {
 public:
  // Listens at once. A Unix socket gets mode 0600; one that a killed server left is replaced.
  static Result<std::unique_ptr<HttpServer>> listen(io::EventLoop& loop, HttpAddress address, HttpLimits limits,
                                                    HttpHandler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();  // REQUIRES: join() has ended, or the loop has stopped for good

  const HttpAddress& address() const;  // with the port that the system chose
  std::size_t connections() const;

  // Takes no further connection and no further request; answers that are under way go on.
  void stop_accepting();
  void close_all();                     // at once
  boost::asio::awaitable<void> join();  // REQUIRES: stop_accepting(); until no connection is left

 private:
  friend class HttpConnection;
  struct State;
  explicit HttpServer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace adit::net
