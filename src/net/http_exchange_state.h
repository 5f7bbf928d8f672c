// The answer to one request between its two sides: the handler fills it (HttpExchange), the connection sends it.
#pragma once

#include "adit/net/http_server.h"

#include <boost/asio/steady_timer.hpp>

#include <deque>
#include <utility>

namespace adit::net {

struct HttpExchange::State {
  explicit State(io::EventLoop& loop, std::size_t the_most_unsent)
      : wake(loop.context()), most_unsent(the_most_unsent) {
    wake.expires_at(boost::asio::steady_timer::time_point::max());
  }

  std::optional<HttpResponse> response;  // until the connection has taken it
  bool answered = false;                 // respond() or open_stream() was called
  bool streaming = false;
  bool finished = false;
  bool closed = false;
  std::deque<std::string> pieces;
  std::size_t unsent = 0;
  boost::asio::steady_timer wake;
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

}  // namespace adit::net
