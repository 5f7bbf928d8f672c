#include "http_request_reader.h"

#include "http_connection.h"
#include "http_connections.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <fmt/format.h>

namespace adit::net {
namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace {

const auto kTuple = asio::as_tuple(asio::use_awaitable);

using Parser = http::request_parser<http::string_body>;

bool equal_without_case(std::string_view a, std::string_view b) {
  return boost::beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
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

std::optional<HttpResponse> refusal_of(const boost::system::error_code& error, const HttpConnection& connection,
                                       const HttpConnections& all) {
  if (error == asio::error::operation_aborted && connection.timed_out()) {
    return plain_response(408, "The request did not come in time.");
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return plain_response(431,
                          fmt::format("The request line and headers have at most {} bytes.", all.limits.header_bytes));
  }
  if (error == http::error::body_limit) {
    return plain_response(413, fmt::format("A request's body has at most {} bytes.", all.limits.body_bytes));
  }
  if (error == http::error::end_of_stream || error == http::error::partial_message) return std::nullopt;
  if (error.category() == http::make_error_code(http::error::bad_method).category()) {
    return plain_response(400, fmt::format("Not a request of HTTP/1.1: {}.", error.message()));
  }
  return std::nullopt;
}

// Until the parser is done, or a refusal, or (neither of both) the peer's end.
asio::awaitable<std::optional<HttpResponse>> read_body(HttpConnection& connection, HttpConnections& all,
                                                       boost::beast::flat_buffer& buffer, Parser& parser) {
  BodyShare share(all.body_bytes);
  while (!parser.is_done()) {
    auto [error, size] = co_await http::async_read_some(connection.socket(), buffer, parser, kTuple);
    if (error) co_return refusal_of(error, connection, all);
    share.grow_to(parser.get().body().size());
    if (all.body_bytes > all.limits.all_body_bytes) {
      auto response = plain_response(503, "Too many large requests at once. Try again soon.");
      response.headers.push_back({"Retry-After", "1"});
      co_return response;
    }
  }
  co_return std::nullopt;
}

}  // namespace

asio::awaitable<ReadRequest> read_request(HttpConnection& connection, HttpConnections& all,
                                          boost::beast::flat_buffer& buffer) {
  ReadRequest read;
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(all.limits.header_bytes));
  parser.body_limit(all.limits.body_bytes);
  auto [error, size] = co_await http::async_read_header(connection.socket(), buffer, parser, kTuple);
  if (error) {
    // The body's length may be what was wrong with the head: then the rest is a body that nobody reads.
    read.refusal = refusal_of(error, connection, all);
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
    read.refusal = all.handler.check(request);
  }
  read.body_unread = !parser.is_done();
  if (!read.refusal && read.body_unread) {
    connection.begin_body();
    if (expects) {
      auto told = co_await connection.write("HTTP/1.1 100 Continue\r\n\r\n");
      if (!told) co_return ReadRequest();
    }
    read.refusal = co_await read_body(connection, all, buffer, parser);
    read.body_unread = !parser.is_done();
    if (!read.refusal && read.body_unread) co_return ReadRequest();
  }
  const bool keep = parser.get().keep_alive() && !read.body_unread && !all.stopping;
  read.after = keep ? AfterAnswer::keep : AfterAnswer::close;
  if (read.refusal) co_return read;
  request.body = std::move(parser.get().body());
  read.request = std::move(request);
  co_return read;
}

std::optional<std::string> HttpRequest::header(std::string_view name) const {
  std::optional<std::string> joined;
  for (const auto& header : headers) {
    if (!equal_without_case(header.name, name)) continue;
    if (joined) joined->append(", ").append(header.value);
    else joined = header.value;
  }
  return joined;
}

}  // namespace adit::net
