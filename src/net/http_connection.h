// One connection: at rest (a socket that waits to be readable, nothing else), reading, answering, or draining what a
// refused client still sends. Each of these has a deadline; HttpConnections looks at all of them.
#pragma once

#include "adit/net/http_server.h"
#include "http_connections.h"
#include "http_request_reader.h"

#include <chrono>
#include <list>
#include <memory>
#include <string>
#include <string_view>

namespace adit::net {

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  using Clock = io::EventLoop::Clock;

  HttpConnection(std::shared_ptr<HttpConnections> all, Socket socket)
      : all_(std::move(all)), socket_(std::move(socket)) {}

  std::list<std::shared_ptr<HttpConnection>>::iterator place;  // in HttpConnections::open

  void rest();
  void close();
  void refuse();  // one answer for a client that finds the server full
  bool is_late(Clock::time_point now) const { return now >= deadline_; }
  void give_up();  // its deadline has passed
  // Of one that answers while early bytes wait: its watch cannot see the end behind them. (Where they fill the
  // kernel's window the end itself is still on its way.)
  bool has_lost_its_peer();

  // For the reader of requests.
  Socket& socket() { return socket_; }
  void begin_body();
  bool timed_out() const { return timed_out_; }
  boost::asio::awaitable<bool> write(std::string bytes);  // false: the connection is of no further use

 private:
  using ExchangePtr = std::shared_ptr<HttpExchange::State>;
  enum class Phase { resting, reading, answering, draining, closed };

  static boost::asio::awaitable<void> serve(std::shared_ptr<HttpConnection> self);
  boost::asio::awaitable<bool> answer(ExchangePtr exchange, const ReadRequest& read);
  boost::asio::awaitable<bool> write_response(HttpResponse response, const ReadRequest& read);
  boost::asio::awaitable<bool> write_stream(ExchangePtr exchange, const ReadRequest& read);
  boost::asio::awaitable<void> drain();
  std::string head_of(const HttpResponse& response, const ReadRequest& read, std::string_view framing) const;

  void enter(Phase phase, std::chrono::milliseconds time);
  void watch();
  void on_readable();

  std::shared_ptr<HttpConnections> all_;
  Socket socket_;
  Phase phase_ = Phase::reading;
  Clock::time_point deadline_ = Clock::time_point::max();
  bool timed_out_ = false;
  bool watching_ = false;
  bool has_early_bytes_ = false;  // while answering
  ExchangePtr exchange_;          // while answering
  std::list<HttpConnection*>::iterator resting_place_;
};

}  // namespace adit::net
