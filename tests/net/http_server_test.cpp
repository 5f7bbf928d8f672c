// The HTTP server over real sockets: what is answered, what is refused, who is noticed to be gone, what a connection
// may cost. H20 and H14 of docs/protocol.md are cited where the rule is the protocol's.
#include "adit/net/http_server.h"

#include "support/http_client.h"
#include "support/server_process.h"
#include "support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <future>
#include <thread>

namespace adit::net {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::http_request;
using test::HttpClient;

// A server on a loop of its own. /echo gives the body back, /head what the head was, /stream opens a stream that the
// test writes, /never is never answered, and check() refuses /refused.
class TestServer {
 public:
  explicit TestServer(HttpLimits limits = {}, HttpAddress address = {.ip = "127.0.0.1", .port = 0, .unix_path = ""}) {
    std::promise<void> started;
    thread_ = std::thread([&, limits, address] {
      auto server = HttpServer::listen(
          loop_, address, limits,
          {.check = [this](const HttpRequest& head) { return check(head); },
           .handle = [this](HttpRequest request,
                            HttpExchange exchange) { handle(std::move(request), std::move(exchange)); }});
      if (!server.ok()) throw std::runtime_error(server.error().message);
      server_ = std::move(*server);
      port_ = server_->address().port;
      loop_.post([&] { started.set_value(); });
      loop_.run();
      server_.reset();
      loop_.context().restart();
      loop_.context().poll();
      exchanges_.clear();
    });
    started.get_future().wait();
  }
  ~TestServer() {
    loop_.stop();
    thread_.join();
  }

  std::uint16_t port() const { return port_; }
  HttpClient client() const { return HttpClient(port_); }
  int closed() const { return closed_; }
  int handled() const { return handled_; }

  // Runs on the loop, and waits for it.
  template <class Action>
  void on_loop(Action action) {
    std::promise<void> done;
    loop_.post([&] {
      action();
      done.set_value();
    });
    done.get_future().wait();
  }
  std::size_t connections() {
    std::size_t count = 0;
    on_loop([&] { count = server_->connections(); });
    return count;
  }
  void write(std::string bytes) {
    on_loop([&] { exchanges_.back().write(std::move(bytes)); });
  }
  void finish() {
    on_loop([&] { exchanges_.back().finish(); });
  }
  void respond(HttpResponse response) {
    on_loop([&] { exchanges_.back().respond(std::move(response)); });
  }
  void stop_accepting() {
    on_loop([&] { server_->stop_accepting(); });
  }

 private:
  std::optional<HttpResponse> check(const HttpRequest& head) {
    if (head.path() != "/refused") return std::nullopt;
    return HttpResponse{.status = 403, .headers = {}, .body = "no"};
  }

  void handle(HttpRequest request, HttpExchange exchange) {
    ++handled_;
    exchange.on_closed([this] { ++closed_; });
    if (request.path() == "/echo") {
      exchange.respond({.status = 200, .headers = {{"Content-Type", "text/plain"}}, .body = request.body});
    } else if (request.path() == "/head") {
      exchange.respond({.status = 200,
                        .headers = {},
                        .body = fmt::format("{} {} {}", request.method, request.target,
                                            request.header("x-some").value_or("(none)"))});
    } else if (request.path() == "/nothing") {
      exchange.respond({.status = 204, .headers = {}, .body = "not sent"});
    } else if (request.path() == "/stream") {
      exchange.open_stream({.status = 200, .headers = {{"Content-Type", "text/event-stream"}}, .body = "first\n\n"});
    }
    exchanges_.push_back(std::move(exchange));
  }

  io::EventLoop loop_;
  std::thread thread_;
  std::unique_ptr<HttpServer> server_;
  std::vector<HttpExchange> exchanges_;
  std::uint16_t port_ = 0;
  std::atomic<int> closed_ = 0, handled_ = 0;
};

// ---- Requests and answers

TEST(HttpServer, AnswersManyRequestsOfOneConnectionInOrder) {
  TestServer server;
  auto client = server.client();
  for (int i = 0; i < 50; ++i) {
    const auto body = fmt::format("{} {}", i, std::string(static_cast<std::size_t>(i) * 100, 'x'));
    const auto reply = client.ask(http_request("POST", "/echo", {}, body));
    ASSERT_EQ(reply.status, 200);
    ASSERT_EQ(reply.body, body);
    ASSERT_FALSE(reply.header("date").empty());
  }
  EXPECT_EQ(server.connections(), 1u);
}

TEST(HttpServer, AnswersRequestsThatWereSentBeforeTheAnswersBefore) {
  TestServer server;
  auto client = server.client();
  std::string all;
  for (int i = 0; i < 20; ++i) all += http_request("POST", "/echo", {}, std::to_string(i));
  client.send(all);
  for (int i = 0; i < 20; ++i) {
    const auto reply = client.read_reply();
    ASSERT_TRUE(reply.has_value());
    ASSERT_EQ(reply->body, std::to_string(i));
  }
}

TEST(HttpServer, TakesARequestByteByByte) {
  TestServer server;
  auto client = server.client();
  for (const char c : http_request("POST", "/echo", {}, "body")) client.send(std::string_view(&c, 1));
  const auto reply = client.read_reply();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->body, "body");
}

TEST(HttpServer, HandsOnMethodTargetAndHeaders) {
  struct Case {
    std::string_view what, request, body;
  };
  constexpr Case cases[] = {
      {"a query", "GET /head?a=b%20c HTTP/1.1\r\nHost: x\r\n\r\n", "GET /head?a=b%20c (none)"},
      {"a header of any case", "GET /head HTTP/1.1\r\nHost: x\r\nX-SOME:   v  \r\n\r\n", "GET /head v"},
      {"a header twice", "GET /head HTTP/1.1\r\nHost: x\r\nX-Some: a\r\nx-some: b\r\n\r\n", "GET /head a, b"},
      {"an unknown method", "BREW /head HTTP/1.1\r\nHost: x\r\n\r\n", "BREW /head (none)"},
  };
  TestServer server;
  for (const auto& [what, request, body] : cases) {
    SCOPED_TRACE(what);
    EXPECT_EQ(server.client().ask(request).body, body);
  }
}

TEST(HttpServer, TakesAChunkedBody) {
  TestServer server;
  const auto reply = server.client().ask(
      "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nchun\r\n3;x=y\r\nked\r\n0\r\n\r\n");
  EXPECT_EQ(reply.body, "chunked");
}

TEST(HttpServer, SendsNoBodyWhereThereIsNone) {
  TestServer server;
  auto client = server.client();
  client.send(http_request("GET", "/nothing", {}));
  const auto nothing = client.read_reply();
  ASSERT_TRUE(nothing.has_value());
  EXPECT_EQ(nothing->status, 204);
  EXPECT_EQ(nothing->header("content-length"), "");
  client.send(http_request("HEAD", "/head", {}));
  const auto head = client.read_head();
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->header("content-length"), std::to_string(std::string_view("HEAD /head (none)").size()));
  // The next answer begins right behind the head.
  EXPECT_EQ(client.ask(http_request("POST", "/echo", {}, "next")).body, "next");
}

TEST(HttpServer, KeepsOrClosesAConnectionAsItsClientAsks) {
  struct Case {
    std::string_view what, request;
    bool closes;
  };
  constexpr Case cases[] = {
      {"HTTP/1.1", "GET /head HTTP/1.1\r\nHost: x\r\n\r\n", false},
      {"HTTP/1.1, close", "GET /head HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", true},
      {"HTTP/1.0", "GET /head HTTP/1.0\r\n\r\n", true},
      {"HTTP/1.0, keep-alive", "GET /head HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false},
  };
  TestServer server;
  for (const auto& [what, request, closes] : cases) {
    SCOPED_TRACE(what);
    auto client = server.client();
    const auto reply = client.ask(request);
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.header("connection") == "close", closes);
    EXPECT_EQ(client.closed_within(closes ? 5s : 100ms), closes);
  }
}

TEST(HttpServer, SendsALargeAnswerWhole) {
  TestServer server;
  const std::string body(8u << 20, 'x');
  EXPECT_TRUE(server.client().ask(http_request("POST", "/echo", {}, body)).body == body);
}

TEST(HttpServer, TellsAClientThatAsksToSendItsBody) {
  TestServer server;
  auto client = server.client();
  client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  const auto interim = client.read_head();
  ASSERT_TRUE(interim.has_value());
  EXPECT_EQ(interim->status, 100);
  EXPECT_EQ(client.ask("body").body, "body");
}

// ---- What is refused

TEST(HttpServer, H20_RefusesWhatIsNoRequest) {
  struct Case {
    std::string_view what, request;
    int status;
  };
  constexpr Case cases[] = {
      {"not HTTP", "hello\r\n\r\n", 400},
      {"a TLS hello", "\x16\x03\x01\x02\x01\x01\xfc\x03\x03 \r\n\r\n", 400},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
      {"no Host", "GET /head HTTP/1.1\r\n\r\n", 400},
      {"two Hosts", "GET /head HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},
      {"a bad length", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4x\r\n\r\n", 400},
      {"two lengths", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n", 400},
      {"a length and chunks",
       "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"a bad chunk", "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {"a header without a name", "GET /head HTTP/1.1\r\nHost: x\r\n: v\r\n\r\n", 400},
      {"a body that is announced too long", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 8388609\r\n\r\n", 413},
      {"what the handler refuses", "POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 403},
  };
  TestServer server;
  for (const auto& [what, request, status] : cases) {
    SCOPED_TRACE(what);
    auto client = server.client();
    EXPECT_EQ(client.ask(request).status, status);
  }
  EXPECT_EQ(server.handled(), 0);
  EXPECT_EQ(server.client().ask(http_request("POST", "/echo", {}, "still here")).body, "still here");
}

TEST(HttpServer, H20_HeadersBeyondTheLimitAre431) {
  TestServer server;
  const auto header_of = [](std::size_t bytes) {
    return http_request("GET", "/head", {{"X-Some", std::string(bytes, 'x')}});
  };
  EXPECT_EQ(server.client().ask(header_of(15'000)).status, 200);
  EXPECT_EQ(server.client().ask(header_of(17'000)).status, 431);
  EXPECT_EQ(server.client().ask(header_of(10u << 20)).status, 431);
  std::string many = "GET /head HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 2'000; ++i) many += fmt::format("X-{}: v\r\n", i);
  EXPECT_EQ(server.client().ask(many + "\r\n").status, 431);
}

TEST(HttpServer, H20_ABodyBeyondTheLimitIs413AlsoWhenItIsSentWhole) {
  TestServer server;
  const std::string body((8u << 20) + 1, 'x');
  EXPECT_EQ(server.client().ask(http_request("POST", "/echo", {}, body)).status, 413);
  // Without a length it is known only while it comes.
  auto client = server.client();
  client.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  client.send(fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body));
  const auto reply = client.read_reply();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, 413);
}

TEST(HttpServer, H20_BodiesOfAllRequestsTogetherAreLimited) {
  TestServer server({.body_bytes = 1u << 20, .all_body_bytes = 300'000});
  auto slow = server.client();
  slow.send(
      fmt::format("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 250000\r\n\r\n{}", std::string(249'999, 'x')));
  std::this_thread::sleep_for(100ms);
  const auto refused = server.client().ask(http_request("POST", "/echo", {}, std::string(200'000, 'y')));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("retry-after"), "1");
  EXPECT_EQ(slow.ask("x").status, 200);
  EXPECT_EQ(server.client().ask(http_request("POST", "/echo", {}, std::string(200'000, 'y'))).status, 200);
}

TEST(HttpServer, TheBodyOfARefusedRequestIsNotTaken) {
  TestServer server;
  auto client = server.client();
  const auto reply = client.ask(http_request("POST", "/refused", {}, std::string(4u << 20, 'x')));
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.header("connection"), "close");
  EXPECT_TRUE(client.closed_within(5s));
  EXPECT_EQ(server.handled(), 0);
}

// ---- Slow and silent peers

TEST(HttpServer, H20_SlowPeersAreCutOff) {
  TestServer server({.header_time = 200ms, .body_time = 200ms, .idle_time = 200ms});
  struct Case {
    std::string_view what, sent;
    int status;  // 0: closed without a word
  };
  constexpr Case cases[] = {
      {"no byte", "", 0},
      {"half a head", "POST /echo HTTP/1.1\r\nHost", 408},
      {"half a body", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf", 408},
  };
  for (const auto& [what, sent, status] : cases) {
    SCOPED_TRACE(what);
    auto client = server.client();
    client.send(sent);
    const auto reply = client.read_reply(10s);
    EXPECT_EQ(reply ? reply->status : 0, status);
    EXPECT_TRUE(client.closed_within(10s));
  }
  auto rested = server.client();
  EXPECT_EQ(rested.ask(http_request("POST", "/echo", {}, "x")).status, 200);
  EXPECT_TRUE(rested.closed_within(10s)) << "a connection may not rest for ever";
  EXPECT_TRUE(eventually(10s, [&] { return server.connections() == 0; }));
}

TEST(HttpServer, H20_APeerThatTakesNothingIsClosed) {
  TestServer server({.write_time = 300ms});
  auto client = server.client();
  client.send(http_request("GET", "/stream", {}));
  ASSERT_TRUE(eventually(10s, [&] { return server.handled() == 1; }));
  server.write(std::string(20u << 20, 'x'));
  EXPECT_TRUE(eventually(10s, [&] { return server.closed() == 1; }));
  EXPECT_TRUE(eventually(10s, [&] { return server.connections() == 0; }));
}

TEST(HttpServer, H20_APeerThatTakesAByteNowAndThenIsClosedAllTheSame) {
  struct Case {
    std::string_view what, path;
  };
  constexpr Case cases[] = {{"a whole answer", "/never"}, {"an event", "/stream"}};
  constexpr std::size_t kBytes = 16u << 20;
  // 16 MiB have a second and a half; a client that takes 64 KiB each 40 ms needs ten.
  const HttpLimits limits{.write_time = 500ms, .write_rate = kBytes};
  for (const auto& [what, path] : cases) {
    SCOPED_TRACE(what);
    TestServer server(limits);
    auto client = server.client();
    client.send(http_request("GET", path, {}));
    ASSERT_TRUE(eventually(10s, [&] { return server.handled() == 1; }));
    if (path == "/never") server.respond({.status = 200, .headers = {}, .body = std::string(kBytes, 'x')});
    else server.write(std::string(kBytes, 'x'));
    std::size_t taken = 0;
    while (taken < kBytes && server.connections() > 0) {
      taken += client.drop(64u << 10);
      std::this_thread::sleep_for(40ms);
    }
    EXPECT_LT(taken, kBytes) << "it got everything";
  }
}

TEST(HttpServer, H20_AStreamIsJudgedByWhatIsWrittenAtATimeNotByItsAge) {
  TestServer server({.write_time = 300ms, .write_rate = 1u << 20});
  auto client = server.client();
  client.send(http_request("GET", "/stream", {}));
  ASSERT_TRUE(client.read_head().has_value());
  ASSERT_EQ(client.read_event(), "first");
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(200ms);
    server.write("more\n\n");
    ASSERT_EQ(client.read_event(), "more");
  }
  EXPECT_EQ(server.closed(), 0);
}

TEST(HttpServer, H20_AStreamThatIsNotTakenIsBounded) {
  TestServer server({.unsent_bytes = 4u << 20});
  auto client = server.client();
  client.send(http_request("GET", "/stream", {}));
  ASSERT_TRUE(eventually(10s, [&] { return server.handled() == 1; }));
  for (int i = 0; i < 10 && server.closed() == 0; ++i) server.write(std::string(1u << 20, 'x'));
  EXPECT_EQ(server.closed(), 1);
}

TEST(HttpServer, H20_BeyondTheLimitTheLongestRestingConnectionGoes) {
  TestServer server({.connections = 3});
  std::vector<HttpClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(server.client());
    ASSERT_EQ(clients.back().ask(http_request("POST", "/echo", {}, "x")).status, 200);
  }
  EXPECT_EQ(server.client().ask(http_request("POST", "/echo", {}, "new")).body, "new");
  EXPECT_TRUE(clients[0].closed_within(5s));
  EXPECT_EQ(clients[2].ask(http_request("POST", "/echo", {}, "x")).status, 200);
}

TEST(HttpServer, H20_BeyondTheLimitWithAllAtWorkANewOneIsTurnedAway) {
  TestServer server({.connections = 2});
  std::vector<HttpClient> busy;
  for (int i = 0; i < 2; ++i) {
    busy.push_back(server.client());
    busy.back().send(http_request("GET", "/never", {}));
  }
  ASSERT_TRUE(eventually(10s, [&] { return server.handled() == 2; }));
  auto client = server.client();
  const auto reply = client.read_reply(5s);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, 503);
  busy.pop_back();
  ASSERT_TRUE(eventually(10s, [&] { return server.connections() == 1; }));
  EXPECT_EQ(server.client().ask(http_request("POST", "/echo", {}, "room")).body, "room");
}

// ---- Closed peers

TEST(HttpServer, APeerThatGoesAwayIsNoticedWhileItsRequestWaits) {
  TestServer server;
  for (const std::string_view path : {"/never", "/stream"}) {
    SCOPED_TRACE(path);
    const int before = server.closed();
    auto client = server.client();
    client.send(http_request("GET", path, {}));
    const int handled = server.handled();
    ASSERT_TRUE(eventually(10s, [&] { return server.handled() > handled || server.connections() == 1; }));
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(server.closed(), before);
    client.close();
    EXPECT_TRUE(eventually(10s, [&] { return server.closed() == before + 1; }));
  }
  EXPECT_TRUE(eventually(10s, [&] { return server.connections() == 0; }));
}

TEST(HttpServer, APeerThatGoesAwayIsNoticedBehindBytesThatItSentEarly) {
  enum class End { close, close_own_half };
  struct Case {
    std::string_view what, path, early;
    End end;
  };
  const std::string request = http_request("GET", "/head", {});
  const std::string many(32u << 10, 'x');
  const Case cases[] = {
      {"no byte, and its own half", "/never", "", End::close_own_half},
      {"a byte", "/never", "x", End::close},
      {"a byte, and its own half", "/never", "x", End::close_own_half},
      {"a byte, on a stream", "/stream", "x", End::close},
      {"a byte, on a stream, and its own half", "/stream", "x", End::close_own_half},
      {"a whole request", "/never", request, End::close},
      {"many bytes", "/never", many, End::close},
  };
  TestServer server;
  for (const auto& [what, path, early, end] : cases) {
    SCOPED_TRACE(what);
    const int handled = server.handled(), closed = server.closed();
    auto client = server.client();
    client.send(http_request("GET", path, {}));
    ASSERT_TRUE(eventually(10s, [&] { return server.handled() == handled + 1; }));
    client.send(early);
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(server.closed(), closed);
    if (end == End::close) client.close();
    else client.end_sending();
    EXPECT_TRUE(eventually(10s, [&] { return server.closed() == closed + 1; }));
    EXPECT_TRUE(eventually(10s, [&] { return server.connections() == 0; }));
  }
}

TEST(HttpServer, AFullyAnsweredRequestIsNotToldOfItsPeersEnd) {
  TestServer server;
  {
    auto client = server.client();
    EXPECT_EQ(client.ask(http_request("POST", "/echo", {}, "x")).status, 200);
  }
  EXPECT_TRUE(eventually(10s, [&] { return server.connections() == 0; }));
  EXPECT_EQ(server.closed(), 0);
}

// ---- Streams

TEST(HttpServer, H14_AStreamIsSentPieceByPieceAndEnds) {
  TestServer server;
  auto client = server.client();
  client.send(http_request("GET", "/stream", {}));
  const auto head = client.read_head();
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->header("content-type"), "text/event-stream");
  EXPECT_EQ(client.read_event(), "first");
  EXPECT_FALSE(client.read_event(100ms).has_value());
  server.write("second\n\n");
  EXPECT_EQ(client.read_event(), "second");
  server.write("third\n\n");
  server.write("fourth\n\n");
  server.finish();
  EXPECT_EQ(client.read_event(), "third");
  EXPECT_EQ(client.read_event(), "fourth");
  EXPECT_FALSE(client.read_event().has_value());
  EXPECT_TRUE(client.stream_ended());
  // The connection is as good as before.
  EXPECT_EQ(client.ask(http_request("POST", "/echo", {}, "next")).body, "next");
  EXPECT_EQ(server.closed(), 0);
}

TEST(HttpServer, AStreamForHttp10EndsWithItsConnection) {
  TestServer server;
  auto client = server.client();
  client.send("GET /stream HTTP/1.0\r\n\r\n");
  const auto head = client.read_head();
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->header("transfer-encoding"), "");
  EXPECT_EQ(client.read_event(), "first");
  server.finish();
  EXPECT_TRUE(client.closed_within(5s));
}

TEST(HttpServer, OnlyTheFirstAnswerCounts) {
  TestServer server;
  auto client = server.client();
  client.send(http_request("GET", "/never", {}));
  ASSERT_TRUE(eventually(10s, [&] { return server.handled() == 1; }));
  server.respond({.status = 201, .headers = {}, .body = "one"});
  server.respond({.status = 202, .headers = {}, .body = "two"});
  server.write("three");
  server.finish();
  const auto reply = client.read_reply();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, 201);
  EXPECT_EQ(reply->body, "one");
  EXPECT_EQ(client.ask(http_request("POST", "/echo", {}, "next")).body, "next");
}

// ---- Addresses, start and end

TEST(HttpServer, AUnixSocketIsItsOwnersAlone) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() + "/socket";
  {
    TestServer server({}, {.ip = "", .port = 0, .unix_path = path});
    struct stat status{};
    ASSERT_EQ(::lstat(path.c_str(), &status), 0);
    EXPECT_TRUE(S_ISSOCK(status.st_mode));
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_EQ(HttpClient(path).ask(http_request("POST", "/echo", {}, "x")).body, "x");
  }
  EXPECT_NE(::access(path.c_str(), F_OK), 0) << "the socket is left behind";
}

Result<std::unique_ptr<HttpServer>> try_to_listen(io::EventLoop& loop, HttpAddress address) {
  return HttpServer::listen(loop, std::move(address), {}, {});
}

TEST(HttpServer, ASocketThatAKilledServerLeftIsReplacedAndNothingElseIs) {
  const test::TemporaryDirectory directory;
  const HttpAddress address{.ip = "", .port = 0, .unix_path = directory.path() + "/socket"};
  const int left = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  address.unix_path.copy(name.sun_path, sizeof name.sun_path - 1);
  ASSERT_EQ(::bind(left, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  ::close(left);
  io::EventLoop loop;
  {
    auto server = try_to_listen(loop, address);
    ASSERT_TRUE(server.ok()) << server.error().message;
    const auto second = try_to_listen(loop, address);
    ASSERT_FALSE(second.ok());
    EXPECT_NE(second.error().message.find("another server listens there"), std::string::npos);
  }
  std::ofstream(address.unix_path) << "a file";
  const auto refused = try_to_listen(loop, address);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("not a socket"), std::string::npos);
  std::string kept;
  std::getline(std::ifstream(address.unix_path), kept);
  EXPECT_EQ(kept, "a file");
}

TEST(HttpServer, APortThatIsTakenIsAnErrorWithANextStep) {
  TestServer server;
  io::EventLoop loop;
  const auto second = try_to_listen(loop, {.ip = "127.0.0.1", .port = server.port(), .unix_path = ""});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().reason, "cannot_listen");
  EXPECT_NE(second.error().message.find(std::to_string(server.port())), std::string::npos);
  EXPECT_FALSE(second.error().hint.empty());
}

TEST(HttpServer, AServerThatStopsEndsWhatRestsAndLetsAnswersGoOn) {
  TestServer server;
  auto resting = server.client();
  EXPECT_EQ(resting.ask(http_request("POST", "/echo", {}, "x")).status, 200);
  auto busy = server.client();
  busy.send(http_request("GET", "/never", {}));
  ASSERT_TRUE(eventually(10s, [&] { return server.handled() == 2; }));
  server.stop_accepting();
  EXPECT_TRUE(resting.closed_within(5s));
  EXPECT_FALSE(server.client().connected());
  server.respond({.status = 200, .headers = {}, .body = "late"});
  const auto reply = busy.read_reply();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->body, "late");
  EXPECT_TRUE(busy.closed_within(5s));
}

}  // namespace
}  // namespace adit::net
