// Reading order: ReplayPortal, State::accept_all → serve → answer_to → send. Beast parses; what is sent is put together
// in portal_answer.cpp, since most of what tests want is not what an HTTP library would send.
#include "support/replay_portal.h"

#include "adit/base/ascii_case.h"
#include "support/recordings.h"
#include "support/temporary_directory.h"
#include "support/test_certificate.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace adit::test {
namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;
using Socket = tcp::socket;
using TlsStream = asio::ssl::stream<tcp::socket>;
using namespace std::chrono_literals;

namespace {

constexpr auto kPatience = 20s;                  // of wait_for_requests
constexpr auto kSlice = 20ms;                    // how often a slow answer sends a part
constexpr auto kBeforeReset = 30ms;              // what was sent before a reset arrives before it
constexpr std::uint32_t kMostHead = 256u << 10;  // long queries go into the URL
constexpr std::size_t kMostBody = 64u << 20;

const auto kTuple = asio::as_tuple(asio::use_awaitable);

enum class Next { same_connection, close, gone };

// Sorted parameters in place of the query as sent.
std::string key_of(std::string_view host, std::string_view method, std::string_view path, std::string_view query) {
  return fmt::format("{} {} {}{}{}", method, host, path, query.empty() ? "" : "?", query);
}

PortalRequest read_request(const http::request<http::string_body>& message) {
  PortalRequest request;
  std::string_view target(message.target().data(), message.target().size());
  std::string_view authority;
  if (constexpr std::string_view kScheme = "http://"; target.starts_with(kScheme)) {
    target.remove_prefix(kScheme.size());
    authority = target.substr(0, target.find('/'));
    target.remove_prefix(authority.size());
    request.was_for_proxy = true;
  }
  const auto question = target.find('?');
  request.method = std::string(message.method_string().data(), message.method_string().size());
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.query = parse_query(target.substr(question + 1));
  for (const auto& field : message) {
    auto& value = request.headers[std::string(field.name_string())];
    if (!value.empty()) value += ", ";
    value += std::string_view(field.value().data(), field.value().size());
  }
  request.host = ascii_lower_case(request.was_for_proxy ? authority : request.header("host"));
  request.host.resize(std::min(request.host.size(), request.host.find(':')));
  request.body = message.body();
  return request;
}

void reset(Socket& socket) {
  boost::system::error_code ignored;
  socket.set_option(asio::socket_base::linger(true, 0), ignored);
  socket.close(ignored);
}

Socket& socket_of(Socket& stream) { return stream; }
Socket& socket_of(TlsStream& stream) { return stream.next_layer(); }

asio::awaitable<void> pause(std::chrono::milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(kTuple);
}

// False when the client is gone.
template <class Stream>
asio::awaitable<bool> write(Stream& stream, std::string_view bytes, std::size_t bytes_a_second) {
  constexpr std::size_t kSlicesASecond = 1s / kSlice;
  const auto part_size = bytes_a_second == 0 ? bytes.size() : std::max<std::size_t>(1, bytes_a_second / kSlicesASecond);
  const std::chrono::milliseconds between(bytes_a_second == 0 ? 0 : 1000 * part_size / bytes_a_second);
  while (!bytes.empty()) {
    const auto [failed, size] = co_await asio::async_write(stream, asio::buffer(bytes.substr(0, part_size)), kTuple);
    if (failed) co_return false;
    bytes.remove_prefix(size);
    if (!bytes.empty()) co_await pause(between);
  }
  co_return true;
}

template <class Stream>
asio::awaitable<void> wait_until_gone(Stream& stream) {
  std::array<char, 1024> passed_over;
  for (;;) {
    const auto [failed, size] = co_await stream.async_read_some(asio::buffer(passed_over), kTuple);
    if (failed) co_return;
  }
}

// What a fault leaves of the connection: closed without a farewell, or the next request.
template <class Stream>
asio::awaitable<Next> send(Stream& stream, PortalAnswer answer, HasBody has_body, ConnectionAfter connection) {
  const auto fault = answer.fault;
  if (fault.delay > 0ms) co_await pause(fault.delay);
  switch (fault.kind) {
    case Fault::Kind::reset: reset(socket_of(stream)); co_return Next::gone;
    case Fault::Kind::silent: co_await wait_until_gone(stream); co_return Next::gone;
    case Fault::Kind::not_http:
      co_await write(stream, "220 mail.example.org ESMTP\r\n", fault.bytes_a_second);
      co_return Next::gone;
    case Fault::Kind::raw: co_await write(stream, answer.body, fault.bytes_a_second); co_return Next::close;
    case Fault::Kind::none:
    case Fault::Kind::truncated:
    case Fault::Kind::reset_after_head:
    case Fault::Kind::reset_in_body:
    case Fault::Kind::stalls_in_body:
    case Fault::Kind::closes_after: break;
  }
  if (answer.framing == PortalAnswer::Framing::until_close) connection = ConnectionAfter::close;
  const auto reply = reply_of(std::move(answer), has_body, connection);
  const auto bytes = std::string_view(reply.bytes).substr(0, reply.sent);
  if (!co_await write(stream, bytes, fault.bytes_a_second)) co_return Next::gone;
  switch (fault.kind) {
    case Fault::Kind::truncated: co_return Next::gone;
    case Fault::Kind::closes_after: co_return Next::close;
    case Fault::Kind::stalls_in_body: co_await wait_until_gone(stream); co_return Next::gone;
    case Fault::Kind::reset_after_head:
    case Fault::Kind::reset_in_body:
      co_await pause(kBeforeReset);
      reset(socket_of(stream));
      co_return Next::gone;
    case Fault::Kind::none:
    case Fault::Kind::reset:
    case Fault::Kind::silent:
    case Fault::Kind::not_http:
    case Fault::Kind::raw: break;
  }
  co_return connection == ConnectionAfter::stays ? Next::same_connection : Next::close;
}

std::string url_of(std::string_view scheme, std::uint16_t port) {
  return fmt::format("{}://127.0.0.1:{}", scheme, port);
}

}  // namespace

struct ReplayPortal::State {
  // Answers of one request, given in turn.
  struct Turn {
    std::vector<PortalAnswer> answers;
    std::size_t next = 0;

    const PortalAnswer& take() { return answers[next + 1 < answers.size() ? next++ : next]; }
  };
  using Turns = std::map<std::string, Turn, std::less<>>;

  struct OpenConnection {
    explicit OpenConnection(State& s) : state(s) { ++state.open; }
    OpenConnection(const OpenConnection&) = delete;
    OpenConnection& operator=(const OpenConnection&) = delete;
    ~OpenConnection() { --state.open; }
    State& state;
  };

  // A request from its coming to the end of its answer.
  struct Waiting {
    explicit Waiting(State& s) : state(s) {
      state.most_at_once = std::max<std::size_t>(state.most_at_once, ++state.at_once);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() { --state.at_once; }
    State& state;
  };

  State(Scheme wanted, std::vector<std::string> names) : scheme(wanted) {
    if (scheme == Scheme::https) make_secure(std::move(names));
    acceptor.open(tcp::v4());
    acceptor.set_option(asio::socket_base::reuse_address(true));
    acceptor.bind({asio::ip::address_v4::loopback(), 0});
    acceptor.listen();
    port = acceptor.local_endpoint().port();
    asio::co_spawn(context, accept_all(), asio::detached);
    thread = std::thread([this] { context.run(); });
  }
  ~State() {
    context.stop();
    thread.join();
  }

  void make_secure(std::vector<std::string> names) {
    names.insert(names.begin(), {"localhost", "127.0.0.1", "*.example.org"});
    const auto made = make_certificate(names);
    certificate_file = directory.write("authority.pem", made.authority);
    tls.use_certificate(asio::buffer(made.certificate), asio::ssl::context::pem);
    tls.use_private_key(asio::buffer(made.key), asio::ssl::context::pem);
  }

  void add(std::vector<Recording> read) {
    const std::lock_guard lock(mutex);
    for (auto& recording : read) {
      recordings[key_of(recording.host, recording.method, recording.path, recording.query)].answers.push_back(
          {.status = recording.status, .headers = std::move(recording.headers), .body = std::move(recording.body)});
    }
  }

  asio::awaitable<void> accept_all() {
    for (;;) {
      auto [failed, socket] = co_await acceptor.async_accept(kTuple);
      if (failed) {  // no descriptor is left, for now
        co_await pause(kSlice);
        continue;
      }
      ++accepted;
      boost::system::error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      if (scheme == Scheme::https) {
        asio::co_spawn(context, serve_tls(TlsStream(std::move(socket), tls)), asio::detached);
      } else {
        asio::co_spawn(context, serve_plain(std::move(socket)), asio::detached);
      }
    }
  }

  asio::awaitable<void> serve_plain(Socket socket) {
    const OpenConnection counted(*this);
    co_await serve(socket);
  }

  asio::awaitable<void> serve_tls(TlsStream stream) {
    const OpenConnection counted(*this);
    if (!co_await open_tunnel(stream.next_layer())) co_return;
    const auto [failed] = co_await stream.async_handshake(asio::ssl::stream_base::server, kTuple);
    if (failed) co_return;
    const auto next = co_await serve(stream);
    if (next == Next::close) co_await stream.async_shutdown(kTuple);
  }

  // CONNECT, where a client takes the portal for a proxy: it is the other end of the tunnel, too. False when the client
  // is gone.
  asio::awaitable<bool> open_tunnel(Socket& socket) {
    std::array<char, 1> first;
    const auto [none, size] = co_await socket.async_receive(asio::buffer(first), Socket::message_peek, kTuple);
    if (none) co_return false;
    if (first[0] != 'C') co_return true;  // TLS begins with 0x16
    boost::beast::flat_buffer buffer;
    http::request_parser<http::empty_body> parser;
    const auto [failed, head_size] = co_await http::async_read_header(socket, buffer, parser, kTuple);
    if (failed || parser.get().method() != http::verb::connect) co_return false;
    {
      const std::lock_guard lock(mutex);
      tunnels.emplace_back(parser.get().target().data(), parser.get().target().size());
    }
    co_return co_await write(socket, "HTTP/1.1 200 Connection established\r\n\r\n", 0);
  }

  template <class Stream>
  asio::awaitable<Next> serve(Stream& stream) {
    boost::beast::flat_buffer buffer;
    for (;;) {
      http::request_parser<http::string_body> parser;
      parser.header_limit(kMostHead);
      parser.body_limit(kMostBody);
      const auto [no_head, head_size] = co_await http::async_read_header(stream, buffer, parser, kTuple);
      if (no_head) co_return Next::gone;
      if (parser.get()[http::field::expect] == "100-continue" &&
          !co_await write(stream, "HTTP/1.1 100 Continue\r\n\r\n", 0)) {
        co_return Next::gone;
      }
      const auto [no_body, body_size] = co_await http::async_read(stream, buffer, parser, kTuple);
      if (no_body) co_return Next::gone;
      const auto request = read_request(parser.get());
      const Waiting waiting(*this);
      auto answer = answer_to(request);
      const auto has_body =
          answer.status == 204 || answer.status == 304 || request.method == "HEAD" ? HasBody::no : HasBody::yes;
      const auto connection = parser.get().keep_alive() ? ConnectionAfter::stays : ConnectionAfter::close;
      const auto next = co_await send(stream, std::move(answer), has_body, connection);
      if (next != Next::same_connection) co_return next;
    }
  }

  PortalAnswer answer_to(const PortalRequest& request) {
    std::vector<Handler> asked;
    {
      const std::lock_guard lock(mutex);
      requests.push_back(request);
      asked = handlers;
    }
    came.notify_all();
    try {
      for (const auto& handler : asked) {
        if (auto answer = handler(request)) return std::move(*answer);
      }
    } catch (const std::exception& failure) {
      return error_answer(500, "internal", failure.what());
    }
    const auto key = key_of(request.host, request.method, request.path, sorted_query(request.query));
    const std::lock_guard lock(mutex);
    for (auto* turns : {&answers, &recordings}) {
      if (const auto found = turns->find(key); found != turns->end()) return found->second.take();
    }
    return error_answer(404, "not_found", "No recording of " + key);
  }

  static PortalAnswer error_answer(int status, std::string_view code, const std::string& message) {
    return {.status = status,
            .body = boost::json::serialize(boost::json::object{{"code", code}, {"error", true}, {"message", message}})};
  }

  const Scheme scheme;
  TemporaryDirectory directory;
  std::string certificate_file;
  std::uint16_t port = 0;
  std::atomic<std::size_t> accepted = 0, open = 0, at_once = 0, most_at_once = 0;

  mutable std::mutex mutex;  // guards what follows up to `came`
  std::vector<Handler> handlers;
  Turns answers, recordings;
  std::vector<PortalRequest> requests;
  std::vector<std::string> tunnels;
  std::condition_variable came;

  // Last, so that connections end before what they use.
  asio::ssl::context tls{asio::ssl::context::tls_server};
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  std::thread thread;
};

ReplayPortal::ReplayPortal(Scheme scheme, std::vector<std::string> names)
    : state_(std::make_unique<State>(scheme, std::move(names))) {}

ReplayPortal::~ReplayPortal() = default;

std::uint16_t ReplayPortal::port() const { return state_->port; }

std::string ReplayPortal::url() const { return url_of(state_->scheme == Scheme::https ? "https" : "http", port()); }

std::string ReplayPortal::certificate_file() const { return state_->certificate_file; }

void ReplayPortal::answer(std::string host, std::string method, std::string path, std::string sorted_query,
                          PortalAnswer answer) {
  const std::lock_guard lock(state_->mutex);
  state_->answers[key_of(host, method, path, sorted_query)].answers.push_back(std::move(answer));
}

void ReplayPortal::handle(Handler handler) {
  const std::lock_guard lock(state_->mutex);
  state_->handlers.push_back(std::move(handler));
}

void ReplayPortal::load(const std::string& recordings_directory) { state_->add(read_recordings(recordings_directory)); }

bool ReplayPortal::load_shared() {
  const auto directory = shared_recordings();
  if (directory) state_->add(read_shared_recordings(*directory));
  return directory.has_value();
}

std::vector<PortalRequest> ReplayPortal::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->requests;
}

std::vector<std::string> ReplayPortal::tunnels() const {
  const std::lock_guard lock(state_->mutex);
  return state_->tunnels;
}

std::size_t ReplayPortal::connections() const { return state_->accepted; }

std::size_t ReplayPortal::open_connections() const { return state_->open; }

std::size_t ReplayPortal::most_at_once() const { return state_->most_at_once; }

void ReplayPortal::wait_for_requests(std::size_t count) {
  std::unique_lock lock(state_->mutex);
  if (!state_->came.wait_for(lock, kPatience, [&] { return state_->requests.size() >= count; })) {
    ADD_FAILURE() << state_->requests.size() << " requests came instead of " << count;
  }
}

}  // namespace adit::test
