// Listening and taking connections. Beast parses, Asio moves bytes; neither is seen outside. Reading order: HttpServer
// and State here, http_connections.cpp, http_connection.cpp, http_request_reader.cpp, http_exchange.cpp.
#include "adit/net/http_server.h"

#include "adit/base/file_descriptor.h"
#include "adit/base/log.h"
#include "http_connections.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace adit::net {
namespace asio = boost::asio;
namespace {

constexpr auto kAcceptPause = std::chrono::milliseconds(100);  // when the process has no descriptor left
constexpr int kBacklog = 512;

const auto kTuple = asio::as_tuple(asio::use_awaitable);

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

// An answer's last bytes do not wait for the acknowledgement of those before.
void send_at_once(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

struct HttpServer::State : std::enable_shared_from_this<State> {
  State(io::EventLoop& loop, HttpAddress the_address, HttpLimits limits, HttpHandler handler)
      : address(std::move(the_address)),
        connections(std::make_shared<HttpConnections>(loop, limits, std::move(handler))) {}

  HttpAddress address;
  std::shared_ptr<HttpConnections> connections;
  std::optional<asio::ip::tcp::acceptor> tcp;
  std::optional<asio::local::stream_protocol::acceptor> local;

  Result<void> listen_tcp();
  Result<void> listen_unix();
  template <class Acceptor>
  static asio::awaitable<void> accept_all(std::shared_ptr<State> self, Acceptor& acceptor);
};

Result<void> HttpServer::State::listen_tcp() {
  const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(address.ip), address.port);
  tcp.emplace(connections->loop.context());
  boost::system::error_code error;
  tcp->open(endpoint.protocol(), error);
  if (!error) tcp->set_option(asio::ip::tcp::acceptor::reuse_address(true), error);
  if (!error) tcp->bind(endpoint, error);
  if (!error) tcp->listen(kBacklog, error);
  if (error) return cannot_listen(address, error.message());
  address.port = tcp->local_endpoint(error).port();
  connections->tasks.spawn(accept_all(shared_from_this(), *tcp));
  return {};
}

Result<void> HttpServer::State::listen_unix() {
  ADIT_CHECK(make_room_for_socket(address));
  local.emplace(connections->loop.context());
  boost::system::error_code error;
  local->open(asio::local::stream_protocol(), error);
  // With a mode that is set after bind, anybody could connect in between.
  const auto mask = ::umask(0177);
  if (!error) local->bind(asio::local::stream_protocol::endpoint(address.unix_path), error);
  ::umask(mask);
  if (!error) local->listen(kBacklog, error);
  if (error) return cannot_listen(address, error.message());
  connections->tasks.spawn(accept_all(shared_from_this(), *local));
  return {};
}

template <class Acceptor>
asio::awaitable<void> HttpServer::State::accept_all(std::shared_ptr<State> self, Acceptor& acceptor) {
  auto& connections = *self->connections;
  while (!connections.stopping) {
    auto [error, socket] = co_await acceptor.async_accept(kTuple);
    if (connections.stopping || error == asio::error::operation_aborted) co_return;
    if (!error) {
      if (!self->address.is_unix()) send_at_once(socket.native_handle());
      connections.take(Socket(std::move(socket)));
      continue;
    }
    // No descriptor is left; a connection at rest has one to give.
    if (connections.close_longest_resting()) continue;
    log::warning("cannot take a connection: {}", error.message());
    co_await io::sleep_until(connections.loop, io::EventLoop::Clock::now() + kAcceptPause);
  }
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
std::size_t HttpServer::connections() const { return state_->connections->open.size(); }

void HttpServer::stop_accepting() {
  if (state_->connections->stopping) return;
  boost::system::error_code ignored;
  if (state_->tcp) state_->tcp->close(ignored);
  if (state_->local) {
    state_->local->close(ignored);
    ::unlink(state_->address.unix_path.c_str());
  }
  state_->connections->stop();
}

void HttpServer::close_all() { state_->connections->close_all(); }

asio::awaitable<void> HttpServer::join() { return state_->connections->tasks.join(); }

}  // namespace adit::net
