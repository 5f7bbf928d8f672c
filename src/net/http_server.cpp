// Beast parses, Asio moves bytes; neither is seen outside. Reading order: HttpServer::listen, State::accept_all,
// HttpConnection::rest → serve → read_request → answer.
//
// A connection is at rest (a socket that waits to be readable, nothing else), reading, answering, or draining what a
// refused client still sends. Each of these has a deadline; one timer looks at all of them.
#include "adit/net/http_server.h"

#include "adit/base/file_descriptor.h"
#include "adit/base/log.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <deque>
#include <list>

namespace adit::net {
namespace asio = boost::asio;
namespace http = boost::beast::http;
using Clock = io::EventLoop::Clock;
using Socket = asio::generic::stream_protocol::socket;

namespace {

constexpr auto kLooks = std::chrono::milliseconds(250);        // how often deadlines are looked at
constexpr auto kAcceptPause = std::chrono::milliseconds(100);  // when the process has no descriptor left
constexpr auto kDrainTime = std::chrono::milliseconds(2'000);
constexpr std::size_t kMostDrained = 64u << 20;
constexpr std::size_t kJoinedBody = 16u << 10;  // a body up to this size goes out in one piece with its head
constexpr int kBacklog = 512;

const auto kTuple = asio::as_tuple(asio::use_awaitable);

bool equal_without_case(std::string_view a, std::string_view b) {
  return boost::beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
}

std::string_view reason_phrase(int status) {
  const auto text = http::obsolete_reason(static_cast<http::status>(status));
  return {text.data(), text.size()};
}

// Bytes of bodies that are being read count for all connections together.
struct BodyShare {
  explicit BodyShare(std::size_t& the_total) : total(the_total) {}
  BodyShare(const BodyShare&) = delete;
  BodyShare& operator=(const BodyShare&) = delete;
  ~BodyShare() { total -= own; }
  void grow_to(std::size_t bytes) {
    total += bytes - own;
    own = bytes;
  }
  std::size_t& total;
  std::size_t own = 0;
};

HttpResponse plain_response(int status, std::string text) {
  return {.status = status, .headers = {{"Content-Type", "text/plain; charset=utf-8"}}, .body = std::move(text) + "\n"};
}

Error cannot_listen(const HttpAddress& address, std::string_view why) {
  return Error{.code = ErrorCode::unavailable,
               .reason = "cannot_listen",
               .message = fmt::format("The server cannot listen on {}: {}", address.text(), why),
               .hint = "Choose another address; port 0 takes a free one."};
}

// A socket that nobody listens on any more is removed; anything else at this path is not ours to touch.
Result<void> make_room_for_socket(const HttpAddress& address) {
  struct stat status{};
  if (::lstat(address.unix_path.c_str(), &status) != 0) return {};
  if (!S_ISSOCK(status.st_mode)) return cannot_listen(address, "there is a file of this name that is not a socket");
  const FileDescriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, address.unix_path.data(), address.unix_path.size());
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 || errno != ECONNREFUSED) {
    return cannot_listen(address, "another server listens there");
  }
  ::unlink(address.unix_path.c_str());
  return {};
}

}  // namespace

std::optional<std::string> HttpRequest::header(std::string_view name) const {
  std::optional<std::string> joined;
  for (const auto& header : headers) {
    if (!equal_without_case(header.name, name)) continue;
    if (joined) joined->append(", ").append(header.value);
    else joined = header.value;
  }
  return joined;
}

// ---- The answer, from the handler's side

struct HttpExchange::State {
  explicit State(io::EventLoop& loop, std::size_t the_most_unsent)
      : wake(loop.context()), most_unsent(the_most_unsent) {
    wake.expires_at(asio::steady_timer::time_point::max());
  }

  std::optional<HttpResponse> response;  // until the connection has taken it
  bool answered = false;                 // respond() or open_stream() was called
  bool streaming = false;
  bool finished = false;
  bool closed = false;
  std::deque<std::string> pieces;
  std::size_t unsent = 0;
  asio::steady_timer wake;
  std::size_t most_unsent;
  std::function<void()> on_closed;

  void close() {
    if (closed || (finished && pieces.empty())) return;
    closed = true;
    pieces.clear();
    wake.cancel();
    if (auto callback = std::exchange(on_closed, nullptr)) callback();
  }
};

void HttpExchange::respond(HttpResponse response) const {
  if (state_->answered || state_->closed) return;
  state_->answered = state_->finished = true;
  state_->response = std::move(response);
  state_->wake.cancel();
}

void HttpExchange::open_stream(HttpResponse head) const {
  if (state_->answered || state_->closed) return;
  state_->answered = state_->streaming = true;
  auto first = std::exchange(head.body, "");
  state_->response = std::move(head);
  state_->wake.cancel();
  write(std::move(first));
}

void HttpExchange::write(std::string bytes) const {
  auto state = state_;  // closing may end the holder of this
  if (!state->streaming || state->finished || state->closed || bytes.empty()) return;
  state->unsent += bytes.size();
  state->pieces.push_back(std::move(bytes));
  if (state->unsent > state->most_unsent && state->pieces.size() > 1) state->close();
  else state->wake.cancel();
}

void HttpExchange::finish() const {
  if (!state_->streaming || state_->closed) return;
  state_->finished = true;
  state_->wake.cancel();
}

bool HttpExchange::closed() const { return state_->closed; }

void HttpExchange::on_closed(std::function<void()> callback) const {
  if (state_->closed) callback();
  else state_->on_closed = std::move(callback);
}

class HttpConnection;

// ---- The server

struct HttpServer::State : std::enable_shared_from_this<State> {
  State(io::EventLoop& the_loop, HttpAddress the_address, HttpLimits the_limits, HttpHandler the_handler)
      : loop(the_loop),
        address(std::move(the_address)),
        limits(the_limits),
        handler(std::move(the_handler)),
        tasks(the_loop),
        looks(the_loop) {}

  io::EventLoop& loop;
  HttpAddress address;
  HttpLimits limits;
  HttpHandler handler;
  io::TaskGroup tasks;
  io::Timer looks;
  bool looking = false;
  bool stopping = false;
  std::optional<asio::ip::tcp::acceptor> tcp;
  std::optional<asio::local::stream_protocol::acceptor> local;
  std::list<std::shared_ptr<HttpConnection>> connections;
  std::list<HttpConnection*> resting;  // the longest first
  std::size_t body_bytes = 0;          // of the requests that are being read
  std::string date;
  std::time_t date_second = 0;

  Result<void> listen_tcp();
  Result<void> listen_unix();
  template <class Acceptor>
  static asio::awaitable<void> accept_all(std::shared_ptr<State> self, Acceptor& acceptor);
  void take(Socket socket);
  void look();
  const std::string& date_now();
};

// ---- One connection

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(std::shared_ptr<HttpServer::State> server, Socket socket)
      : server_(std::move(server)), socket_(std::move(socket)) {}

  std::list<std::shared_ptr<HttpConnection>>::iterator place;  // among the server's connections

  void rest();
  void close();
  void refuse();  // one answer for a client that finds the server full
  bool is_late(Clock::time_point now) const { return now >= deadline_; }
  void give_up();  // its deadline has passed

 private:
  using ExchangePtr = std::shared_ptr<HttpExchange::State>;
  using Parser = http::request_parser<http::string_body>;
  enum class Phase { resting, reading, answering, draining, closed };
  enum class AfterAnswer { keep, close };

  struct Read {
    std::optional<HttpRequest> request;
    std::optional<HttpResponse> refusal;  // neither: the peer is gone
    bool body_unread = false;             // of a refused request
    AfterAnswer after = AfterAnswer::close;
    unsigned version = 11;
    bool head_only = false;
  };

  static asio::awaitable<void> serve(std::shared_ptr<HttpConnection> self);
  asio::awaitable<Read> read_request(boost::beast::flat_buffer& buffer);
  asio::awaitable<std::optional<HttpResponse>> read_body(boost::beast::flat_buffer& buffer, Parser& parser);
  asio::awaitable<bool> answer(ExchangePtr exchange, const Read& read);
  asio::awaitable<bool> write_response(HttpResponse response, const Read& read);
  asio::awaitable<bool> write_stream(ExchangePtr exchange, const Read& read);
  asio::awaitable<bool> write(std::string bytes);
  asio::awaitable<void> drain();
  std::string head_of(const HttpResponse& response, const Read& read, std::string_view framing) const;
  std::optional<HttpResponse> refusal_of(const boost::system::error_code& error) const;

  void enter(Phase phase, std::chrono::milliseconds time);
  void watch();
  void on_readable();

  std::shared_ptr<HttpServer::State> server_;
  Socket socket_;
  Phase phase_ = Phase::reading;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool timed_out_ = false;
  bool watching_ = false;
  ExchangePtr exchange_;  // while answering
  std::list<HttpConnection*>::iterator resting_place_;
};

// Nothing leads out of Phase::closed: a coroutine may learn of it only after its last bytes were written.
void HttpConnection::enter(Phase phase, std::chrono::milliseconds time) {
  if (phase_ == Phase::closed) return;
  if (phase_ == Phase::resting) server_->resting.erase(resting_place_);
  phase_ = phase;
  deadline_ = time == std::chrono::milliseconds::max() ? Clock::time_point::max() : Clock::now() + time;
  if (phase == Phase::resting) resting_place_ = server_->resting.insert(server_->resting.end(), this);
}

void HttpConnection::rest() {
  if (server_->stopping) {
    close();
    return;
  }
  enter(Phase::resting, server_->limits.idle_time);
  watch();
}

// Waits until there is something to read, or the peer is gone. While a request is answered this is how a closed
// connection is noticed.
void HttpConnection::watch() {
  if (watching_ || phase_ == Phase::closed) return;
  watching_ = true;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](boost::system::error_code error) {
    self->watching_ = false;
    if (!error) self->on_readable();
  });
}

void HttpConnection::on_readable() {
  if (phase_ != Phase::resting && phase_ != Phase::answering) return;
  char byte;
  const auto size = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  // Readiness is a hint: the reactor may pass on a late event of another descriptor (io/child_process.cpp).
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
    watch();
    return;
  }
  if (size <= 0) {
    close();
    return;
  }
  // While answering: the next request, sent early. It waits in the kernel, and the watch ends.
  if (phase_ != Phase::resting) return;
  enter(Phase::reading, server_->limits.header_time);
  server_->tasks.spawn(serve(shared_from_this()));
}

void HttpConnection::close() {
  if (phase_ == Phase::closed) return;
  auto self = shared_from_this();
  enter(Phase::closed, std::chrono::milliseconds::max());
  server_->connections.erase(place);
  boost::system::error_code ignored;
  socket_.close(ignored);
  if (auto exchange = std::exchange(exchange_, nullptr)) exchange->close();
}

void HttpConnection::give_up() {
  switch (phase_) {
    case Phase::reading: {
      // The reading coroutine answers 408.
      // A read whose bytes have just come is not hit: the next look tries again.
      timed_out_ = true;
      boost::system::error_code ignored;
      socket_.cancel(ignored);
      return;
    }
    case Phase::resting:
    case Phase::answering:
    case Phase::draining: close(); return;
    case Phase::closed: return;
  }
}

asio::awaitable<void> HttpConnection::serve(std::shared_ptr<HttpConnection> self) {
  boost::beast::flat_buffer buffer;
  while (self->phase_ != Phase::closed) {
    auto read = co_await self->read_request(buffer);
    if (self->phase_ == Phase::closed) co_return;
    if (read.refusal) {
      self->enter(Phase::answering, self->server_->limits.write_time);
      const bool written = co_await self->write_response(std::move(*read.refusal), read);
      if (written && read.body_unread) co_await self->drain();
      else if (written && read.after == AfterAnswer::keep && buffer.size() == 0) self->rest();
      else if (written && read.after == AfterAnswer::keep) continue;
      if (self->phase_ != Phase::resting) self->close();
      co_return;
    }
    if (!read.request) {
      self->close();
      co_return;
    }
    auto exchange = std::make_shared<HttpExchange::State>(self->server_->loop, self->server_->limits.unsent_bytes);
    self->exchange_ = exchange;
    self->enter(Phase::answering, std::chrono::milliseconds::max());
    self->watch();
    self->server_->handler.handle(std::move(*read.request), HttpExchange(exchange));
    const bool keep = co_await self->answer(exchange, read);
    if (self->phase_ == Phase::closed) co_return;
    if (!keep) {
      self->close();
      co_return;
    }
    self->exchange_ = nullptr;
    if (buffer.size() == 0) {
      self->rest();
      co_return;
    }
    self->enter(Phase::reading, self->server_->limits.header_time);
  }
}

asio::awaitable<HttpConnection::Read> HttpConnection::read_request(boost::beast::flat_buffer& buffer) {
  Read read;
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(server_->limits.header_bytes));
  parser.body_limit(server_->limits.body_bytes);
  auto [error, size] = co_await http::async_read_header(socket_, buffer, parser, kTuple);
  if (error) {
    // The body's length may be what was wrong with the head: then the rest is a body that nobody reads.
    read.refusal = refusal_of(error);
    read.body_unread = read.refusal.has_value();
    co_return read;
  }
  const auto& head = parser.get();
  HttpRequest request;
  request.method = std::string(head.method_string());
  request.target = std::string(head.target());
  for (const auto& field : head)
    request.headers.push_back({std::string(field.name_string()), std::string(field.value())});
  read.version = head.version();
  read.head_only = head.method() == http::verb::head;

  // RFC 9112 3.2: exactly one Host, so that nobody between us and the client sees another one than we do.
  const auto hosts = head.count(http::field::host);
  const bool expects = equal_without_case(request.header("Expect").value_or(""), "100-continue");
  if (head.version() > 11 || hosts > 1 || (hosts == 0 && head.version() == 11)) {
    read.refusal = plain_response(400, "A request of HTTP/1.1 needs exactly one Host header.");
  } else if (head.count(http::field::transfer_encoding) > 0 && !parser.chunked()) {
    // RFC 9112 6.3: where such a body ends is not known, and what follows must not be taken for a request.
    read.refusal = plain_response(400, "Transfer-Encoding is chunked, or absent.");
    read.after = AfterAnswer::close;
  } else {
    read.refusal = server_->handler.check(request);
  }
  read.body_unread = !parser.is_done();
  if (!read.refusal && read.body_unread) {
    enter(Phase::reading, server_->limits.body_time);
    if (expects) {
      auto told = co_await write("HTTP/1.1 100 Continue\r\n\r\n");
      if (!told) co_return Read();
    }
    read.refusal = co_await read_body(buffer, parser);
    read.body_unread = !parser.is_done();
    if (!read.refusal && read.body_unread) co_return Read();
  }
  const bool keep = parser.get().keep_alive() && !read.body_unread && !server_->stopping;
  read.after = keep ? AfterAnswer::keep : AfterAnswer::close;
  if (read.refusal) co_return read;
  request.body = std::move(parser.get().body());
  read.request = std::move(request);
  co_return read;
}

// Until the parser is done, or a refusal, or (neither of both) the peer's end.
asio::awaitable<std::optional<HttpResponse>> HttpConnection::read_body(boost::beast::flat_buffer& buffer,
                                                                       Parser& parser) {
  BodyShare share(server_->body_bytes);
  while (!parser.is_done()) {
    auto [error, size] = co_await http::async_read_some(socket_, buffer, parser, kTuple);
    if (error) co_return refusal_of(error);
    share.grow_to(parser.get().body().size());
    if (server_->body_bytes > server_->limits.all_body_bytes) {
      auto response = plain_response(503, "Too many large requests at once. Try again soon.");
      response.headers.push_back({"Retry-After", "1"});
      co_return response;
    }
  }
  co_return std::nullopt;
}

std::optional<HttpResponse> HttpConnection::refusal_of(const boost::system::error_code& error) const {
  if (error == asio::error::operation_aborted && timed_out_) {
    return plain_response(408, "The request did not come in time.");
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return plain_response(
        431, fmt::format("The request line and headers have at most {} bytes.", server_->limits.header_bytes));
  }
  if (error == http::error::body_limit) {
    return plain_response(413, fmt::format("A request's body has at most {} bytes.", server_->limits.body_bytes));
  }
  if (error == http::error::end_of_stream || error == http::error::partial_message) return std::nullopt;
  if (error.category() == http::make_error_code(http::error::bad_method).category()) {
    return plain_response(400, fmt::format("Not a request of HTTP/1.1: {}.", error.message()));
  }
  return std::nullopt;
}

asio::awaitable<bool> HttpConnection::answer(ExchangePtr exchange, const Read& read) {
  while (!exchange->answered && !exchange->closed) co_await exchange->wake.async_wait(kTuple);
  if (exchange->closed) co_return false;
  bool usable = false;
  if (exchange->streaming) usable = co_await write_stream(exchange, read);
  else usable = co_await write_response(std::move(*exchange->response), read);
  co_return usable&& read.after == AfterAnswer::keep;
}

// False: the connection is of no further use.
asio::awaitable<bool> HttpConnection::write_response(HttpResponse response, const Read& read) {
  const bool bodyless = response.status == 204 || response.status == 304;
  auto out = head_of(response, read, bodyless ? "" : fmt::format("Content-Length: {}\r\n", response.body.size()));
  if (bodyless || read.head_only) response.body.clear();
  const bool joined = response.body.size() <= kJoinedBody;
  if (joined) out += response.body;
  bool written = co_await write(std::move(out));
  if (written && !joined) written = co_await write(std::move(response.body));
  co_return written;
}

asio::awaitable<bool> HttpConnection::write_stream(ExchangePtr exchange, const Read& read) {
  const bool chunked = read.version >= 11;
  auto out = head_of(*exchange->response, read, chunked ? "Transfer-Encoding: chunked\r\n" : "");
  for (;;) {
    const bool last = exchange->finished;
    std::string piece;
    for (const auto& part : std::exchange(exchange->pieces, {})) piece += part;
    if (!piece.empty() && chunked) out += fmt::format("{:x}\r\n", piece.size());
    out += piece;
    if (!piece.empty() && chunked) out += "\r\n";
    if (last && chunked) out += "0\r\n\r\n";
    const bool written = co_await write(std::exchange(out, {}));
    exchange->unsent -= piece.size();
    if (!written || exchange->closed) co_return false;
    if (last) co_return chunked;  // HTTP/1.0: the end of the connection is the end of the answer
    while (exchange->pieces.empty() && !exchange->finished && !exchange->closed) {
      co_await exchange->wake.async_wait(kTuple);
    }
    if (exchange->closed) co_return false;
  }
}

std::string HttpConnection::head_of(const HttpResponse& response, const Read& read, std::string_view framing) const {
  auto head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status, reason_phrase(response.status),
                          server_->date_now());
  for (const auto& header : response.headers) head += fmt::format("{}: {}\r\n", header.name, header.value);
  head += framing;
  if (read.after == AfterAnswer::close) head += "Connection: close\r\n";
  else if (read.version < 11 && !framing.empty()) head += "Connection: keep-alive\r\n";
  return head + "\r\n";
}

// All bytes; each time the peer takes some it gets new time for the next.
asio::awaitable<bool> HttpConnection::write(std::string bytes) {
  const auto deadline_before = deadline_;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    deadline_ = Clock::now() + server_->limits.write_time;
    auto [error, size] = co_await socket_.async_write_some(asio::buffer(rest.data(), rest.size()), kTuple);
    if (error || (exchange_ && exchange_->closed)) co_return false;
    rest.remove_prefix(size);
  }
  deadline_ = deadline_before;
  co_return true;
}

// A client that is still sending what was refused would lose our answer to a reset; it may finish for a moment.
asio::awaitable<void> HttpConnection::drain() {
  enter(Phase::draining, kDrainTime);
  boost::system::error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  std::string chunk(64u << 10, '\0');
  for (std::size_t drained = 0; drained < kMostDrained;) {
    auto [error, size] = co_await socket_.async_read_some(asio::buffer(chunk.data(), chunk.size()), kTuple);
    if (error) co_return;
    drained += size;
  }
}

void HttpConnection::refuse() {
  constexpr std::string_view kFull =
      "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  [[maybe_unused]] const auto size =
      ::send(socket_.native_handle(), kFull.data(), kFull.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  close();
}

// ---- Listening

Result<void> HttpServer::State::listen_tcp() {
  const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(address.ip), address.port);
  tcp.emplace(loop.context());
  boost::system::error_code error;
  tcp->open(endpoint.protocol(), error);
  if (!error) tcp->set_option(asio::ip::tcp::acceptor::reuse_address(true), error);
  if (!error) tcp->bind(endpoint, error);
  if (!error) tcp->listen(kBacklog, error);
  if (error) return cannot_listen(address, error.message());
  address.port = tcp->local_endpoint(error).port();
  tasks.spawn(accept_all(shared_from_this(), *tcp));
  return {};
}

Result<void> HttpServer::State::listen_unix() {
  ADIT_CHECK(make_room_for_socket(address));
  local.emplace(loop.context());
  boost::system::error_code error;
  local->open(asio::local::stream_protocol(), error);
  // With a mode that is set after bind, anybody could connect in between.
  const auto mask = ::umask(0177);
  if (!error) local->bind(asio::local::stream_protocol::endpoint(address.unix_path), error);
  ::umask(mask);
  if (!error) local->listen(kBacklog, error);
  if (error) return cannot_listen(address, error.message());
  tasks.spawn(accept_all(shared_from_this(), *local));
  return {};
}

template <class Acceptor>
asio::awaitable<void> HttpServer::State::accept_all(std::shared_ptr<State> self, Acceptor& acceptor) {
  while (!self->stopping) {
    auto [error, socket] = co_await acceptor.async_accept(kTuple);
    if (self->stopping || error == asio::error::operation_aborted) co_return;
    if (!error) {
      self->take(Socket(std::move(socket)));
    } else if (!self->resting.empty()) {
      self->resting.front()->close();  // no descriptor is left, and a connection at rest has one to give
    } else {
      log::warning("cannot take a connection: {}", error.message());
      co_await io::sleep_until(self->loop, Clock::now() + kAcceptPause);
    }
  }
}

void HttpServer::State::take(Socket socket) {
  if (!address.is_unix()) {
    const int on = 1;
    ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  const bool full = connections.size() >= limits.connections;
  auto connection = std::make_shared<HttpConnection>(shared_from_this(), std::move(socket));
  connection->place = connections.insert(connections.end(), connection);
  if (full && resting.empty()) {
    connection->refuse();
    return;
  }
  if (full) resting.front()->close();
  connection->rest();
  if (!std::exchange(looking, true)) looks.start(Clock::now() + kLooks, [this] { look(); });
}

void HttpServer::State::look() {
  // Closing one may run a handler's callback, so the list is not walked meanwhile.
  const auto now = Clock::now();
  std::vector<std::shared_ptr<HttpConnection>> late;
  for (const auto& connection : connections) {
    if (connection->is_late(now)) late.push_back(connection);
  }
  for (const auto& connection : late) connection->give_up();
  looking = !connections.empty();
  if (looking) looks.start(now + kLooks, [this] { look(); });
}

const std::string& HttpServer::State::date_now() {
  const auto now = std::time(nullptr);
  if (now != date_second) {
    date_second = now;
    date = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(now));
  }
  return date;
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen(io::EventLoop& loop, HttpAddress address, HttpLimits limits,
                                                       HttpHandler handler) {
  auto state = std::make_shared<State>(loop, std::move(address), limits, std::move(handler));
  ADIT_CHECK(state->address.is_unix() ? state->listen_unix() : state->listen_tcp());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

HttpServer::~HttpServer() {
  stop_accepting();
  close_all();
}

const HttpAddress& HttpServer::address() const { return state_->address; }
std::size_t HttpServer::connections() const { return state_->connections.size(); }

void HttpServer::stop_accepting() {
  if (std::exchange(state_->stopping, true)) return;
  boost::system::error_code ignored;
  if (state_->tcp) state_->tcp->close(ignored);
  if (state_->local) {
    state_->local->close(ignored);
    ::unlink(state_->address.unix_path.c_str());
  }
  while (!state_->resting.empty()) state_->resting.front()->close();
}

void HttpServer::close_all() {
  while (!state_->connections.empty()) state_->connections.front()->close();
}

asio::awaitable<void> HttpServer::join() { return state_->tasks.join(); }

}  // namespace adit::net
