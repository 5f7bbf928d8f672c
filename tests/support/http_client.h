// A raw HTTP/1.1 client over a socket: what is sent is what the test says, byte by byte.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adit::test {

struct HttpReply {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;

  std::string header(std::string_view name) const;  // "" when absent
};

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// A request's bytes. Host and Content-Length are added where `headers` does not name them.
std::string http_request(std::string_view method, std::string_view target, const HttpHeaders& headers,
                         std::string_view body = "");

class HttpClient {
 public:
  static constexpr std::chrono::milliseconds kPatience{20'000};

  explicit HttpClient(std::uint16_t port);  // of 127.0.0.1
  explicit HttpClient(const std::string& unix_path);
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;
  ~HttpClient();

  bool connected() const { return fd_ >= 0; }
  void send(std::string_view bytes);

  // The next answer with its whole body; nothing when the connection ends or the time does.
  std::optional<HttpReply> read_reply(std::chrono::milliseconds timeout = kPatience);
  HttpReply ask(std::string_view bytes);  // send and read_reply; fails the test when nothing comes

  // For streams: the head, and then one block of an event stream after the other, without its empty line.
  std::optional<HttpReply> read_head(std::chrono::milliseconds timeout = kPatience);
  std::string read_body(std::chrono::milliseconds timeout = kPatience);  // the rest behind read_head()
  std::optional<std::string> read_event(std::chrono::milliseconds timeout = kPatience);
  bool stream_ended() const { return ended_; }  // by its last chunk, not by a broken connection

  // For slow readers: takes up to `most` bytes off the socket and drops them; 0 at the connection's end.
  std::size_t drop(std::size_t most);

  void end_sending();                                     // closes its own half of the connection
  bool closed_within(std::chrono::milliseconds timeout);  // the server closes; what comes before is passed over
  std::string read_to_end(std::chrono::milliseconds timeout = kPatience);  // all bytes until the connection ends
  bool was_reset() const { return was_reset_; }                            // it ended by RST
  void close();

 private:
  using Time = std::chrono::steady_clock::time_point;
  bool receive(Time by);                         // more bytes into buffer_
  bool receive_body(HttpReply& reply, Time by);  // one more part of the body; false at its end
  std::optional<std::string> take_line(Time by);
  bool take(std::string& out, std::size_t size, Time by);

  int fd_ = -1;
  std::string buffer_;
  bool chunked_ = false;
  std::optional<std::size_t> left_;  // of a body of known length
  bool ended_ = false;
  bool was_reset_ = false;
  std::string events_;
};

}  // namespace adit::test
