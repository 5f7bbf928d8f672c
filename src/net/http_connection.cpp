// Reading order: rest → on_readable → serve → answer.
#include "http_connection.h"

#include "http_exchange_state.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/status.hpp>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace adit::net {
namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace {

constexpr auto kDrainTime = std::chrono::milliseconds(2'000);
constexpr std::size_t kMostDrained = 64u << 20;
constexpr std::size_t kJoinedBody = 16u << 10;  // a body up to this size goes out in one piece with its head

const auto kTuple = asio::as_tuple(asio::use_awaitable);

std::string_view reason_phrase(int status) {
  const auto text = http::obsolete_reason(static_cast<http::status>(status));
  return {text.data(), text.size()};
}

}  // namespace

// Nothing leads out of Phase::closed: a coroutine may learn of it only after its last bytes were written.
void HttpConnection::enter(Phase phase, std::chrono::milliseconds time) {
  if (phase_ == Phase::closed) return;
  if (phase_ == Phase::resting) all_->resting.erase(resting_place_);
  phase_ = phase;
  has_early_bytes_ = false;
  deadline_ = time == std::chrono::milliseconds::max() ? Clock::time_point::max() : Clock::now() + time;
  if (phase == Phase::resting) resting_place_ = all_->resting.insert(all_->resting.end(), this);
}

void HttpConnection::rest() {
  if (all_->stopping) {
    close();
    return;
  }
  enter(Phase::resting, all_->limits.idle_time);
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
  if (phase_ == Phase::answering) {
    // The next request, sent early. It waits in the kernel, where it would hide the peer's end from this watch.
    has_early_bytes_ = true;
    return;
  }
  enter(Phase::reading, all_->limits.header_time);
  all_->tasks.spawn(serve(shared_from_this()));
}

bool HttpConnection::has_lost_its_peer() {
  if (phase_ != Phase::answering || !has_early_bytes_) return false;
  pollfd state{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
  return ::poll(&state, 1, 0) > 0;
}

void HttpConnection::close() {
  if (phase_ == Phase::closed) return;
  auto self = shared_from_this();
  enter(Phase::closed, std::chrono::milliseconds::max());
  all_->open.erase(place);
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
    auto read = co_await read_request(*self, *self->all_, buffer);
    if (self->phase_ == Phase::closed) co_return;
    if (read.refusal) {
      self->enter(Phase::answering, self->all_->limits.write_time);
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
    auto exchange = std::make_shared<HttpExchange::State>(self->all_->loop, self->all_->limits.unsent_bytes);
    self->exchange_ = exchange;
    self->enter(Phase::answering, std::chrono::milliseconds::max());
    self->watch();
    self->all_->handler.handle(std::move(*read.request), HttpExchange(exchange));
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
    self->enter(Phase::reading, self->all_->limits.header_time);
  }
}

void HttpConnection::begin_body() { enter(Phase::reading, all_->limits.body_time); }

asio::awaitable<bool> HttpConnection::answer(ExchangePtr exchange, const ReadRequest& read) {
  while (!exchange->answered && !exchange->closed) co_await exchange->wake.async_wait(kTuple);
  if (exchange->closed) co_return false;
  bool usable = false;
  if (exchange->streaming) usable = co_await write_stream(exchange, read);
  else usable = co_await write_response(std::move(*exchange->response), read);
  co_return usable&& read.after == AfterAnswer::keep;
}

// False: the connection is of no further use.
asio::awaitable<bool> HttpConnection::write_response(HttpResponse response, const ReadRequest& read) {
  const bool bodyless = response.status == 204 || response.status == 304;
  auto out = head_of(response, read, bodyless ? "" : fmt::format("Content-Length: {}\r\n", response.body.size()));
  if (bodyless || read.head_only) response.body.clear();
  const bool joined = response.body.size() <= kJoinedBody;
  if (joined) out += response.body;
  bool written = co_await write(std::move(out));
  if (written && !joined) written = co_await write(std::move(response.body));
  co_return written;
}

asio::awaitable<bool> HttpConnection::write_stream(ExchangePtr exchange, const ReadRequest& read) {
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

std::string HttpConnection::head_of(const HttpResponse& response, const ReadRequest& read,
                                    std::string_view framing) const {
  auto head =
      fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", response.status, reason_phrase(response.status), all_->date());
  for (const auto& header : response.headers) head += fmt::format("{}: {}\r\n", header.name, header.value);
  head += framing;
  if (read.after == AfterAnswer::close) head += "Connection: close\r\n";
  else if (read.version < 11 && !framing.empty()) head += "Connection: keep-alive\r\n";
  return head + "\r\n";
}

// All bytes. Each time the peer takes some it gets new time for the next, but all of them together have an end, too:
// one byte now and then would hold the connection and the answer for ever. An event stream is judged by what is written
// at a time, not by its age.
asio::awaitable<bool> HttpConnection::write(std::string bytes) {
  const auto deadline_before = deadline_;
  const auto& limits = all_->limits;
  const auto last =
      Clock::now() + limits.write_time + std::chrono::milliseconds(bytes.size() * 1'000 / limits.write_rate);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    deadline_ = std::min(last, Clock::now() + limits.write_time);
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

}  // namespace adit::net
