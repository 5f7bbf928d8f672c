// The connections of one server together: what they share, which of them rest, and which are late.
#pragma once

#include "adit/net/http_server.h"

#include <boost/asio/generic/stream_protocol.hpp>

#include <ctime>
#include <list>
#include <memory>
#include <string>

namespace adit::net {

class HttpConnection;
using Socket = boost::asio::generic::stream_protocol::socket;

class HttpConnections : public std::enable_shared_from_this<HttpConnections> {
 public:
  HttpConnections(io::EventLoop& the_loop, HttpLimits the_limits, HttpHandler the_handler)
      : loop(the_loop), limits(the_limits), handler(std::move(the_handler)), tasks(the_loop), looks_(the_loop) {}

  void take(Socket socket);
  bool close_longest_resting();  // false when none rests
  void stop();                   // those at rest are closed, and none comes to rest any more
  void close_all();

  const std::string& date();  // of now, as a header has it

  io::EventLoop& loop;
  const HttpLimits limits;
  const HttpHandler handler;
  io::TaskGroup tasks;
  bool stopping = false;
  std::list<std::shared_ptr<HttpConnection>> open;
  std::list<HttpConnection*> resting;  // the longest first
  std::size_t body_bytes = 0;          // of the requests that are being read

 private:
  void look();

  io::Timer looks_;
  bool looking_ = false;
  std::string date_;
  std::time_t date_second_ = 0;
};

}  // namespace adit::net
