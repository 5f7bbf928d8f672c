// The HTTP client over real sockets, against a server that breaks its answers on purpose.
#include "adit/net/http_client.h"

#include "support/replay_portal.h"
#include "support/server_process.h"

#include <boost/asio/awaitable.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace adit::net {
namespace {

using namespace std::chrono_literals;
using test::Fault;
using test::ReplayPortal;
using Clock = io::EventLoop::Clock;

// A client on a loop of its own. Names resolve to what the test says.
class Fetcher {
 public:
  explicit Fetcher(HttpClientOptions options = {}) {
    options.user_agent = "adit-test";
    client_ = std::make_unique<HttpClient>(loop_, std::move(options));
  }

  Result<FetchResponse> fetch(FetchRequest request, RequestContext context = {}) {
    std::optional<Result<FetchResponse>> result;
    io::run_to_end(loop_, run(*client_, context, std::move(request), result));
    return std::move(*result);
  }

  // Several at once.
  std::vector<Result<FetchResponse>> fetch_all(const std::vector<FetchRequest>& requests) {
    std::vector<std::optional<Result<FetchResponse>>> results(requests.size());
    io::TaskGroup group(loop_);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      group.spawn(run(*client_, RequestContext(), requests[i], results[i]));
    }
    io::run_to_end(loop_, group.join());
    std::vector<Result<FetchResponse>> ended;
    for (auto& result : results) ended.push_back(std::move(*result));
    return ended;
  }

  io::EventLoop& loop() { return loop_; }
  HttpClient& client() { return *client_; }

 private:
  static boost::asio::awaitable<void> run(HttpClient& client, RequestContext context, FetchRequest request,
                                          std::optional<Result<FetchResponse>>& result) {
    result = co_await client.send(context, std::move(request));
  }

  io::EventLoop loop_;
  std::unique_ptr<HttpClient> client_;
};

FetchRequest to(const ReplayPortal& portal, const std::string& target) {
  return {.url = portal.url() + target, .headers = {{"Host", "a.example.org"}}, .addresses = AddressRule::any};
}

HostLookup resolving(std::map<std::string, std::vector<std::string>> names) {
  return [names = std::move(names)](std::string host) -> Task<std::vector<std::string>> {
    const auto at = names.find(host);
    if (at == names.end()) {
      co_return Error{.code = ErrorCode::not_found, .reason = "host_not_found", .message = "no such host", .hint = ""};
    }
    co_return at->second;
  };
}

TEST(HttpClient, AnAnswerComesWithStatusHeadersAndBody) {
  ReplayPortal portal;
  portal.answer("a.example.org", "GET", "/x", "a=1", {.status = 418, .headers = {{"X-Some", "thing"}}, .body = "tea"});
  Fetcher fetcher;
  const auto response = fetcher.fetch(to(portal, "/x?a=1"));
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(response->status, 418);
  EXPECT_EQ(response->header("x-some"), "thing");
  EXPECT_EQ(response->body, "tea");
  const auto seen = portal.requests().at(0);
  EXPECT_EQ(seen.header("User-Agent"), "adit-test");
  EXPECT_NE(seen.header("Accept-Encoding").find("gzip"), std::string::npos);
  EXPECT_EQ(seen.headers.count("Expect"), 0u);
}

TEST(HttpClient, EachFaultHasItsReason) {
  struct Case {
    const char* what;
    Fault fault;
    test::PortalAnswer::Framing framing;
    const char* reason;
  };
  using Framing = test::PortalAnswer::Framing;
  const Case cases[] = {
      {"cut in its body", Fault::of(Fault::Kind::truncated), Framing::length, "cut_off"},
      {"cut in a chunk", Fault::of(Fault::Kind::truncated), Framing::chunked, "cut_off"},
      {"reset before the first byte", Fault::of(Fault::Kind::reset), Framing::length, "cut_off"},
      {"reset behind the head", Fault::of(Fault::Kind::reset_after_head), Framing::length, "cut_off"},
      {"reset in the body", Fault::of(Fault::Kind::reset_in_body), Framing::length, "cut_off"},
      {"not HTTP", Fault::of(Fault::Kind::not_http), Framing::length, "bad_response"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.what);
    ReplayPortal broken;
    broken.handle([fault = one.fault, framing = one.framing](const auto&) {
      return std::optional(test::PortalAnswer{.body = std::string(10'000, 'x'), .fault = fault, .framing = framing});
    });
    Fetcher fetcher;
    const auto response = fetcher.fetch(to(broken, "/x"));
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().reason, one.reason) << response.error().message;
    EXPECT_TRUE(response.error().retryable);
    EXPECT_EQ(response.error().message.find("/x"), std::string::npos) << "no message shows the URL";
  }
}

TEST(HttpClient, CompressedBodiesComeDecompressed) {
  const std::string body = R"([{"a":"1"}])" + std::string(5'000, ' ');
  for (const auto coding : {test::Coding::gzip, test::Coding::deflate}) {
    ReplayPortal portal;
    portal.answer("a.example.org", "GET", "/x", "", {.body = body, .fault = Fault::with_coding(coding)});
    Fetcher fetcher;
    const auto response = fetcher.fetch(to(portal, "/x"));
    ASSERT_TRUE(response.ok()) << response.error().message;
    EXPECT_EQ(response->body, body);
  }
}

TEST(HttpClient, ABodyBeyondItsLimitIsNotKept) {
  ReplayPortal portal;
  portal.handle([](const auto&) { return std::optional(test::PortalAnswer{.body = std::string(3 << 20, 'x')}); });
  Fetcher fetcher;
  auto request = to(portal, "/x");
  request.max_body_bytes = 1 << 20;
  const auto response = fetcher.fetch(request);
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().reason, "body_too_large");
  EXPECT_FALSE(response.error().retryable);
  // What unpacks to more than it may is as much too large.
  ReplayPortal packed;
  packed.handle([](const auto&) {
    return std::optional(
        test::PortalAnswer{.body = std::string(3 << 20, 'x'), .fault = Fault::with_coding(test::Coding::gzip)});
  });
  request.url = packed.url() + "/x";
  EXPECT_EQ(fetcher.fetch(request).error().reason, "body_too_large");
}

TEST(HttpClient, TheDeadlineOfTheCallEndsIt) {
  ReplayPortal portal;
  portal.handle([](const auto&) { return std::optional(test::PortalAnswer{.fault = Fault::of(Fault::Kind::silent)}); });
  Fetcher fetcher;
  RequestContext context;
  context.limit_to(Clock::now() + 100ms);
  const auto response = fetcher.fetch(to(portal, "/x"), context);
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().reason, "timed_out");
}

TEST(HttpClient, ACancelledRequestLeavesAtOnce) {
  ReplayPortal portal;
  portal.handle([](const auto&) { return std::optional(test::PortalAnswer{.fault = Fault::of(Fault::Kind::silent)}); });
  Fetcher fetcher;
  RequestContext context;
  io::Timer timer(fetcher.loop());
  timer.start(Clock::now() + 50ms, [context]() mutable { context.cancel(); });
  const auto response = fetcher.fetch(to(portal, "/x"), context);
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().reason, "cancelled");
  EXPECT_TRUE(test::eventually(5s, [&] { return portal.open_connections() == 0; })) << "the portal is left";
  RequestContext before;
  before.cancel();
  EXPECT_EQ(fetcher.fetch(to(portal, "/x"), before).error().reason, "cancelled");
  EXPECT_EQ(portal.requests().size(), 1u) << "one that was cancelled before is not sent";
}

TEST(HttpClient, ConnectionsAreKeptAndFewForOneHost) {
  ReplayPortal portal;
  portal.handle([](const auto&) { return std::optional(test::PortalAnswer{.body = "[]"}); });
  Fetcher fetcher({.connections_of_host = 4});
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(fetcher.fetch(to(portal, "/x")).ok());
  EXPECT_EQ(portal.connections(), 1u);
  const std::vector<FetchRequest> many(50, to(portal, "/x"));
  for (const auto& response : fetcher.fetch_all(many)) EXPECT_TRUE(response.ok());
  EXPECT_LE(portal.connections(), 4u);
  EXPECT_EQ(portal.requests().size(), 70u);
}

TEST(HttpClient, AConnectionThatThePortalClosedIsReplaced) {
  ReplayPortal portal;
  portal.handle([](const auto&) {
    return std::optional(test::PortalAnswer{.body = "[]", .framing = test::PortalAnswer::Framing::until_close});
  });
  Fetcher fetcher;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(fetcher.fetch(to(portal, "/x")).ok());
  EXPECT_EQ(portal.connections(), 3u);
}

// ---- Where a request may go

TEST(HttpClient, NoSocketIsOpenedToAnAddressThatIsNotPublic) {
  ReplayPortal portal;
  const auto port = std::to_string(portal.port());
  for (const std::string address :
       {"127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254", "fe80::1", "0.0.0.0"}) {
    SCOPED_TRACE(address);
    Fetcher fetcher({.look_up = resolving({{"portal.example.org", {address}}})});
    const auto response = fetcher.fetch({.url = "http://portal.example.org:" + port + "/x"});
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().reason, "address_not_allowed") << response.error().message;
    EXPECT_FALSE(response.error().retryable);
    EXPECT_EQ(fetcher.client().connects(), 0u);
    EXPECT_EQ(fetcher.client().connects_refused(), 1u);
  }
  EXPECT_EQ(portal.connections(), 0u);
}

TEST(HttpClient, AnAddressInAnyNotationIsJudgedByItsSocket) {
  ReplayPortal portal;
  Fetcher fetcher;
  for (const std::string host : {"127.0.0.1", "localhost", "2130706433", "0x7f000001", "127.1", "[::1]"}) {
    SCOPED_TRACE(host);
    const auto response = fetcher.fetch({.url = "http://" + host + ":" + std::to_string(portal.port()) + "/x"});
    ASSERT_FALSE(response.ok());
  }
  EXPECT_EQ(fetcher.client().connects(), 0u);
  EXPECT_EQ(portal.connections(), 0u);
}

TEST(HttpClient, ANameThatIsNotThereIsToldApartFromOneThatCannotBeLookedUp) {
  Fetcher fetcher({.look_up = [](std::string host) -> Task<std::vector<std::string>> {
    const bool absent = host == "absent.example.org";
    co_return Error{.code = ErrorCode::not_found,
                    .reason = absent ? "host_not_found" : "lookup_failed",
                    .message = host,
                    .hint = "",
                    .retryable = !absent};
  }});
  EXPECT_EQ(fetcher.fetch({.url = "https://absent.example.org/"}).error().reason, "host_not_found");
  EXPECT_EQ(fetcher.fetch({.url = "https://slow.example.org/"}).error().reason, "lookup_failed");
}

TEST(HttpClient, AProxyIsAskedForWhatItsListDoesNotLeaveOut) {
  ReplayPortal proxy;
  proxy.handle([](const auto&) { return std::optional(test::PortalAnswer{.body = "through the proxy"}); });
  Fetcher fetcher({.proxy = proxy.url(), .no_proxy = ".direct.example.org", .look_up = resolving({})});
  const auto response = fetcher.fetch({.url = "http://portal.example.org/x"});
  ASSERT_TRUE(response.ok()) << response.error().message;
  EXPECT_EQ(response->body, "through the proxy");
  EXPECT_EQ(fetcher.fetch({.url = "http://a.direct.example.org/x"}).error().reason, "host_not_found");
}

// ---- TLS

TEST(HttpClient, OnlyACertificateOfATrustedAuthorityIsTaken) {
  ReplayPortal portal(ReplayPortal::Scheme::https);
  portal.handle([](const auto&) { return std::optional(test::PortalAnswer{.body = "[]"}); });
  const auto url = "https://localhost:" + std::to_string(portal.port()) + "/x";
  Fetcher trusting({.certificate_file = portal.certificate_file()});
  EXPECT_TRUE(trusting.fetch({.url = url, .addresses = AddressRule::any}).ok());
  Fetcher strict;
  const auto response = strict.fetch({.url = url, .addresses = AddressRule::any});
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().reason, "tls_failed");
  EXPECT_FALSE(response.error().retryable);
}

}  // namespace
}  // namespace adit::net
