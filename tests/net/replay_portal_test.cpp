// The portal that other tests talk to: what it answers and how it fails, seen from a raw socket.
#include "support/replay_portal.h"

#include "support/http_client.h"
#include "support/server_process.h"
#include "support/temporary_directory.h"
#include "support/tls_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace adit::test {
namespace {

using namespace std::chrono_literals;
using Kind = Fault::Kind;
using Framing = PortalAnswer::Framing;

std::string get(std::string_view host, std::string_view target) {
  return http_request("GET", target, {{"Host", std::string(host)}});
}

std::string get_once(std::string_view host, std::string_view target) {
  return http_request("GET", target, {{"Host", std::string(host)}, {"Connection", "close"}});
}

const std::string kBody = R"([{"a":"1"},{"a":"2"},{"a":"three"}])";

PortalAnswer with(Fault fault, Framing framing = Framing::length) {
  return {.body = kBody, .fault = fault, .framing = framing};
}

std::string inflated(const std::string& bytes, int format) {
  z_stream stream{};
  std::string out(4096, '\0');
  EXPECT_EQ(::inflateInit2(&stream, format), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int state = ::inflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::inflateEnd(&stream);
  return state == Z_STREAM_END ? out : fmt::format("zlib says {}", state);
}

TEST(ReplayPortal, ARequestGetsTheAnswerOfItsHostMethodPathAndQuery) {
  ReplayPortal portal;
  const auto answer = [&](const char* host, const char* method, const char* query, const char* body) {
    portal.answer(host, method, "/resource/abcd-1234.json", query, {.body = body});
  };
  answer("a.example.org", "GET", "", "no query");
  answer("a.example.org", "GET", "$limit=2&$where=name = 'Ä & b'", "a query");
  answer("b.example.org", "GET", "", "another host");
  answer("a.example.org", "POST", "", "another method");
  struct Case {
    const char* host;
    const char* method;
    const char* query;
    const char* body;
  };
  const Case cases[] = {
      {"a.example.org", "GET", "", "no query"},
      {"A.Example.ORG:8080", "GET", "", "no query"},
      {"a.example.org", "GET", "?%24where=name+%3D+%27%C3%84%20%26%20b%27&%24limit=2", "a query"},
      {"a.example.org", "GET", "?$limit=2&$where=name%20=%20'%c3%84%20%26%20b'", "a query"},
      {"b.example.org", "GET", "", "another host"},
      {"a.example.org", "POST", "", "another method"},
  };
  HttpClient client(portal.port());
  for (const auto& c : cases) {
    SCOPED_TRACE(c.query);
    const auto reply =
        client.ask(http_request(c.method, fmt::format("/resource/abcd-1234.json{}", c.query), {{"Host", c.host}}));
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, c.body);
    EXPECT_EQ(reply.header("content-type"), "application/json;charset=utf-8");
  }
  EXPECT_EQ(portal.connections(), 1u);
  EXPECT_EQ(portal.open_connections(), 1u);
  EXPECT_EQ(portal.most_at_once(), 1u);
  client.close();
  EXPECT_TRUE(eventually(5s, [&] { return portal.open_connections() == 0; }));
}

TEST(ReplayPortal, ARequestWithoutARecordingIsNamedInThe404) {
  ReplayPortal portal;
  const auto reply = HttpClient(portal.port()).ask(get("a.example.org", "/resource/x.json?$order=b&$limit=1"));
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.body, R"({"code":"not_found","error":true,"message":"No recording of GET a.example.org )"
                        R"(/resource/x.json?$limit=1&$order=b"})");
}

TEST(ReplayPortal, AnswersOfOneRequestComeInTurnAndTheLastOneStays) {
  ReplayPortal portal;
  for (const int status : {429, 503, 200}) portal.answer("a.example.org", "GET", "/", "", {.status = status});
  HttpClient client(portal.port());
  std::vector<int> statuses;
  for (int i = 0; i < 5; ++i) statuses.push_back(client.ask(get("a.example.org", "/")).status);
  EXPECT_EQ(statuses, (std::vector<int>{429, 503, 200, 200, 200}));
}

TEST(ReplayPortal, AHandlerIsAskedFirstAndMayPassOn) {
  ReplayPortal portal;
  portal.answer("a.example.org", "GET", "/", "", {.body = "recorded"});
  portal.handle([](const PortalRequest& request) -> std::optional<PortalAnswer> {
    if (request.parameter("broken") == "yes") throw std::runtime_error("as planned");
    if (request.parameter("who").empty()) return std::nullopt;
    return PortalAnswer{.status = 201, .headers = {{"X-Who", request.parameter("who")}, {"Content-Type", "text/csv"}}};
  });
  HttpClient client(portal.port());
  EXPECT_EQ(client.ask(get("a.example.org", "/")).body, "recorded");
  const auto handled = client.ask(get("a.example.org", "/?who=me"));
  EXPECT_EQ(handled.status, 201);
  EXPECT_EQ(handled.header("x-who"), "me");
  EXPECT_EQ(handled.header("content-type"), "text/csv");
  const auto broken = client.ask(get("a.example.org", "/?broken=yes"));
  EXPECT_EQ(broken.status, 500);
  EXPECT_NE(broken.body.find("as planned"), std::string::npos);
}

TEST(ReplayPortal, RequestsAreKeptAsTheyCame) {
  ReplayPortal portal;
  HttpClient client(portal.port());
  client.ask(http_request("POST", "/api/v3/views?b=2&a=%C3%A4&b=1",
                          {{"Host", "A.example.org:1"}, {"X-App-Token", "secret"}}, "the body"));
  portal.wait_for_requests(1);
  const auto requests = portal.requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].host, "a.example.org");
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].path, "/api/v3/views");
  EXPECT_EQ(requests[0].query, (QueryParameters{{"b", "2"}, {"a", "ä"}, {"b", "1"}}));
  EXPECT_EQ(requests[0].parameter("b"), "2");
  EXPECT_EQ(requests[0].parameter("c"), "");
  EXPECT_EQ(requests[0].header("x-app-token"), "secret");
  EXPECT_EQ(requests[0].headers.count("x-APP-token"), 1u);
  EXPECT_EQ(requests[0].body, "the body");
}

TEST(ReplayPortal, AHeadAnswerHasTheLengthAndNoBody) {
  ReplayPortal portal;
  portal.answer("a.example.org", "HEAD", "/", "", {.body = kBody});
  HttpClient client(portal.port());
  client.send(http_request("HEAD", "/", {{"Host", "a.example.org"}, {"Connection", "close"}}));
  const auto head = client.read_head();
  ASSERT_TRUE(head);
  EXPECT_EQ(head->header("content-length"), std::to_string(kBody.size()));
  EXPECT_TRUE(client.closed_within(5s));
  EXPECT_EQ(client.read_body(1s), "");
}

TEST(ReplayPortal, FramingIsAsTold) {
  struct Case {
    Framing framing;
    const char* header;
    const char* value;
  };
  const Case cases[] = {{Framing::length, "content-length", "35"},
                        {Framing::chunked, "transfer-encoding", "chunked"},
                        {Framing::until_close, "connection", "close"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.header);
    ReplayPortal portal;
    portal.answer("a.example.org", "GET", "/", "", with({}, c.framing));
    const auto reply = HttpClient(portal.port()).ask(get("a.example.org", "/"));
    EXPECT_EQ(reply.header(c.header), c.value);
    EXPECT_EQ(reply.body, kBody);
  }
}

TEST(ReplayPortal, CodedBodiesAreWhatTheirNamesSay) {
  constexpr int kZlib = 15, kGzip = 15 + 16;
  struct Case {
    Coding coding;
    const char* header;
    int format;
    std::string decoded;
  };
  const Case cases[] = {
      {Coding::gzip, "gzip", kGzip, kBody},
      {Coding::deflate, "deflate", kZlib, kBody},
      {Coding::gzip_cut, "gzip", kGzip, fmt::format("zlib says {}", Z_BUF_ERROR)},
      {Coding::gzip_damaged, "gzip", kGzip, fmt::format("zlib says {}", Z_DATA_ERROR)},
      {Coding::gzip_claimed, "gzip", kGzip, fmt::format("zlib says {}", Z_DATA_ERROR)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(static_cast<int>(c.coding));
    ReplayPortal portal;
    portal.answer("a.example.org", "GET", "/", "", with(Fault::with_coding(c.coding)));
    const auto reply = HttpClient(portal.port()).ask(get("a.example.org", "/"));
    EXPECT_EQ(reply.header("content-encoding"), c.header);
    EXPECT_EQ(inflated(reply.body, c.format), c.decoded);
  }
}

TEST(ReplayPortal, FaultsAreWhatTheirNamesSay) {
  struct Case {
    const char* name;
    PortalAnswer answer;
    std::string first_line;     // "" = the connection ends before one
    std::size_t body_received;  // of kBody
    bool is_reset;
  };
  const auto half = kBody.size() / 2;
  const Case cases[] = {
      {"truncated", with(Fault::of(Kind::truncated)), "HTTP/1.1 200 OK", half, false},
      {"truncated chunks", with(Fault::of(Kind::truncated), Framing::chunked), "HTTP/1.1 200 OK", half, false},
      {"reset", with(Fault::of(Kind::reset)), "", 0, true},
      {"reset after the head", with(Fault::of(Kind::reset_after_head)), "HTTP/1.1 200 OK", 0, true},
      {"reset in the body", with(Fault::of(Kind::reset_in_body)), "HTTP/1.1 200 OK", half, true},
      {"not HTTP", with(Fault::of(Kind::not_http)), "220 mail.example.org ESMTP", 0, false},
      {"raw",
       {.body = "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .fault = Fault::of(Kind::raw)},
       "HTTP/1.1 200 OK",
       0,
       false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ReplayPortal portal;
    portal.answer("a.example.org", "GET", "/", "", c.answer);
    HttpClient client(portal.port());
    client.send(get("a.example.org", "/"));
    const auto bytes = client.read_to_end(5s);
    EXPECT_EQ(bytes.substr(0, bytes.find("\r\n")), c.first_line);
    EXPECT_EQ(client.was_reset(), c.is_reset);
    if (c.body_received > 0) {
      EXPECT_NE(bytes.find(kBody.substr(0, c.body_received - 8)), std::string::npos);
      EXPECT_EQ(bytes.find(kBody.substr(c.body_received + 8)), std::string::npos);
    }
    EXPECT_TRUE(eventually(5s, [&] { return portal.open_connections() == 0; }));
  }
}

TEST(ReplayPortal, ASilentPortalWaitsUntilItsClientLeaves) {
  ReplayPortal portal;
  portal.answer("a.example.org", "GET", "/", "", with(Fault::of(Kind::silent)));
  HttpClient client(portal.port());
  client.send(get("a.example.org", "/"));
  portal.wait_for_requests(1);
  EXPECT_FALSE(client.read_reply(100ms));
  EXPECT_EQ(portal.open_connections(), 1u);
  client.close();
  EXPECT_TRUE(eventually(5s, [&] { return portal.open_connections() == 0; }));
}

TEST(ReplayPortal, AStallComesInTheMiddleOfTheBody) {
  ReplayPortal portal;
  portal.answer("a.example.org", "GET", "/", "", with(Fault::of(Kind::stalls_in_body)));
  HttpClient client(portal.port());
  client.send(get("a.example.org", "/"));
  std::string bytes;
  const auto half_came = [&] {
    bytes += client.read_to_end(20ms);
    return bytes.ends_with(kBody.substr(0, kBody.size() / 2));
  };
  EXPECT_TRUE(eventually(5s, half_came)) << bytes;
  EXPECT_NE(bytes.find("Content-Length: 35"), std::string::npos);
  EXPECT_EQ(client.read_to_end(100ms), "");
  EXPECT_EQ(portal.open_connections(), 1u);
}

TEST(ReplayPortal, AConnectionThatWasPromisedToStayMayEnd) {
  ReplayPortal portal;
  portal.answer("a.example.org", "GET", "/", "", with(Fault::of(Kind::closes_after)));
  HttpClient client(portal.port());
  const auto reply = client.ask(get("a.example.org", "/"));
  EXPECT_EQ(reply.body, kBody);
  EXPECT_EQ(reply.header("connection"), "");
  EXPECT_TRUE(client.closed_within(5s));
}

TEST(ReplayPortal, PlaysAProxyOfItsHosts) {
  ReplayPortal portal;
  portal.answer("a.example.org", "GET", "/x", "b=1", {.body = "reached"});
  EXPECT_EQ(HttpClient(portal.port()).ask(get("b.example.org", "http://A.example.org:80/x?b=1")).body, "reached");
  EXPECT_TRUE(portal.requests()[0].was_for_proxy);
}

TEST(ReplayPortal, PlaysAProxyThatOpensTunnels) {
  ReplayPortal portal(ReplayPortal::Scheme::https);
  portal.answer("a.example.org", "GET", "/", "", {.body = "reached"});
  TlsClient client(portal.port(), "a.example.org", portal.certificate_file(), "a.example.org:443");
  EXPECT_TRUE(client.trusted());
  EXPECT_NE(client.ask(get_once("a.example.org", "/")).find("reached"), std::string::npos);
  EXPECT_EQ(portal.tunnels(), std::vector<std::string>{"a.example.org:443"});
}

TEST(ReplayPortal, ASlowAnswerTakesItsTime) {
  ReplayPortal portal;
  const std::string body(300, 'x');
  portal.answer("a.example.org", "GET", "/late", "", {.body = body, .fault = Fault::slow(150ms)});
  portal.answer("a.example.org", "GET", "/drops", "", {.body = body, .fault = Fault::slow(0ms, 2000)});
  for (const auto* path : {"/late", "/drops"}) {
    SCOPED_TRACE(path);
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(HttpClient(portal.port()).ask(get("a.example.org", path)).body, body);
    EXPECT_GE(std::chrono::steady_clock::now() - start, 140ms);
  }
}

TEST(ReplayPortal, ManyConnectionsAreServedAtOnce) {
  constexpr int kClients = 50;
  ReplayPortal portal;
  portal.answer("a.example.org", "GET", "/", "", {.body = kBody, .fault = Fault::slow(100ms)});
  const auto start = std::chrono::steady_clock::now();
  std::vector<HttpClient> clients;
  for (int i = 0; i < kClients; ++i) clients.emplace_back(portal.port()).send(get("a.example.org", "/"));
  for (auto& client : clients) {
    const auto reply = client.read_reply();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, kBody);
  }
  EXPECT_EQ(portal.connections(), static_cast<std::size_t>(kClients));
  EXPECT_GT(portal.most_at_once(), 1u);
  EXPECT_LE(portal.requests().front().time, portal.requests().back().time);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 4s);
}

TEST(ReplayPortal, OverTlsItsCertificateFitsItsNames) {
  ReplayPortal portal(ReplayPortal::Scheme::https, {"data.example.com"});
  portal.answer("a.example.org", "GET", "/", "", {.body = "over TLS"});
  struct Case {
    const char* name;
    bool fits;
  };
  for (const auto& c : {Case{"localhost", true},
                        {"127.0.0.1", true},
                        {"a.example.org", true},
                        {"data.example.com", true},
                        {"example.org", false},
                        {"other.example.com", false}}) {
    SCOPED_TRACE(c.name);
    TlsClient client(portal.port(), c.name, portal.certificate_file());
    EXPECT_EQ(client.trusted(), c.fits);
    if (c.fits) EXPECT_NE(client.ask(get_once("a.example.org", "/")).find("over TLS"), std::string::npos);
  }
  EXPECT_FALSE(TlsClient(portal.port(), "localhost", "").trusted()) << "the system does not know the authority";
}

TEST(ReplayPortal, OverTlsAnEndInOrderHasAFarewellAndACutOneHasNot) {
  ReplayPortal portal(ReplayPortal::Scheme::https);
  portal.answer("localhost", "GET", "/whole", "", with({}, Framing::until_close));
  portal.answer("localhost", "GET", "/cut", "", with(Fault::of(Kind::truncated), Framing::until_close));
  for (const auto& [path, in_order] : {std::pair{"/whole", true}, {"/cut", false}}) {
    SCOPED_TRACE(path);
    TlsClient client(portal.port(), "localhost", portal.certificate_file());
    const auto answer = client.ask(get_once("localhost", path));
    EXPECT_EQ(answer.find(kBody) != std::string::npos, in_order);
    EXPECT_EQ(client.ended_in_order(), in_order);
  }
}

TEST(ReplayPortal, RecordingsAreServedByTheirIndex) {
  const TemporaryDirectory directory;
  directory.write("koop/page.json", kBody);
  directory.write("index.json", R"([
{"host":"a.example.org","method":"GET","path":"/resource/abcd-1234.json","query":"$limit=3","status":200,"headers":{"X-SODA2-Fields":"[\"a\"]"},"file":"koop/page.json","what":"a page"},
{"host":"a.example.org","method":"GET","path":"/empty","query":"","status":503,"file":"","what":"no body"}
])");
  ReplayPortal portal;
  portal.load(directory.path());
  HttpClient client(portal.port());
  const auto page = client.ask(get("a.example.org", "/resource/abcd-1234.json?%24limit=3"));
  EXPECT_EQ(page.body, kBody);
  EXPECT_EQ(page.header("x-soda2-fields"), R"(["a"])");
  EXPECT_EQ(client.ask(get("a.example.org", "/empty")).status, 503);
  portal.answer("a.example.org", "GET", "/empty", "", {.status = 429});
  EXPECT_EQ(client.ask(get("a.example.org", "/empty")).status, 429) << "a test's own answer goes before a recording";
}

TEST(SortedQuery, IsDecodedAndSorted) {
  struct Case {
    const char* name;
    const char* query;
    const char* sorted;
  };
  const Case cases[] = {
      {"nothing", "", ""},
      {"by name", "b=2&a=1", "a=1&b=2"},
      {"then by value", "a=2&a=1", "a=1&a=2"},
      {"decoded first", "%62=2&a=%31", "a=1&b=2"},
      {"plus and %20 are spaces", "a=b+c%20d", "a=b c d"},
      {"a coded plus stays one", "a=%2B", "a=+"},
      {"no value", "a&b=", "a=&b="},
      {"an equals sign in a value", "$where=a=1", "$where=a=1"},
      {"a percent sign that codes nothing", "a=5%&b=%zz&c=%4", "a=5%&b=%zz&c=%4"},
      {"empty pairs", "&&a=1&", "a=1"},
  };
  for (const auto& c : cases) EXPECT_EQ(sorted_query(std::string_view(c.query)), c.sorted) << c.name;
}

}  // namespace
}  // namespace adit::test
