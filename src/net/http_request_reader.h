// One request from its connection, within the limits: RFC 9112 as Beast reads it, and what is stricter here.
#pragma once

#include "adit/net/http_server.h"

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <optional>

namespace adit::net {

class HttpConnection;
class HttpConnections;

enum class AfterAnswer { keep, close };

struct ReadRequest {
  std::optional<HttpRequest> request;
  std::optional<HttpResponse> refusal;  // neither: the peer is gone
  bool body_unread = false;             // of a refused request
  AfterAnswer after = AfterAnswer::close;
  unsigned version = 11;
  bool head_only = false;
};

// `buffer`: what the connection has sent beyond its last request, and then beyond this one.
boost::asio::awaitable<ReadRequest> read_request(HttpConnection& connection, HttpConnections& all,
                                                 boost::beast::flat_buffer& buffer);

}  // namespace adit::net
