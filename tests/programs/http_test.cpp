// Streamable HTTP over the real program and real sockets: the H-rules of docs/protocol.md, and what of the others shows
// in a status or a header.
#include "support/dataset_calls.h"
#include "support/http_server_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

namespace adit::test {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Runs for many seconds, and takes an interrupt.
constexpr std::string_view kSlowQuery =
    "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5";
// About a second, with progress.
constexpr std::string_view kLongQuery = "SELECT count(*) AS c FROM range(200000000) a WHERE a.range % 7 = 3";

constexpr std::string_view kToken = "correct-horse-battery-staple";

std::int64_t code_of(const json::object& message) {
  const auto* error = message.if_contains("error");
  return error != nullptr ? error->at("code").as_int64() : 0;
}

class Http : public testing::Test {
 protected:
  Http() {
    data_.write("numbers.csv", "n\n1\n2\n3\n");
    data_.write("token", std::string(kToken) + "\n");
  }

  ServerOptions options(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.end(), {"--root", data_.path()});
    return {.arguments = std::move(arguments)};
  }

  static std::string open_numbers(const HttpServerProcess& server) {
    return dataset_of(server.call("open_dataset", open_arguments({"numbers.csv"})));
  }

  static json::object call_params(std::string_view tool, json::object arguments, json::object meta = {}) {
    json::object params{{"name", tool}, {"arguments", std::move(arguments)}};
    if (!meta.empty()) params["_meta"] = std::move(meta);
    return params;
  }

  static json::object query_params(const std::string& dataset, std::string_view sql, json::object meta = {}) {
    return call_params("query", query_arguments(dataset, {std::string(sql)}), std::move(meta));
  }

  // What the server says when it does not start, and its exit code.
  std::pair<int, std::string> refused_start(std::vector<std::string> arguments) const {
    ServerProcess server(options(std::move(arguments)));
    const auto code = server.wait_for_exit(20s);
    return {code.value_or(-1), server.standard_error()};
  }

  TemporaryDirectory data_;
};

// ---- The endpoint and its methods

TEST_F(Http, H1_OneEndpointTakesOneMessageAPost) {
  struct Case {
    std::string_view what, method, target;
    int status;
    std::string_view allow;
  };
  constexpr Case cases[] = {
      {"another path", "POST", "/", 404, ""},
      {"a longer path", "POST", "/mcp/x", 404, ""},
      {"another method", "PUT", "/mcp", 405, "GET, POST, DELETE"},
      {"HEAD", "HEAD", "/mcp", 405, "GET, POST, DELETE"},
      {"OPTIONS of nobody", "OPTIONS", "/mcp", 405, "GET, POST, DELETE"},
      {"a query behind the path", "POST", "/mcp?x=y", 200, ""},
  };
  HttpServerProcess server(options());
  const auto list = ModernRequest("tools/list");
  for (const auto& [what, method, target, status, allow] : cases) {
    SCOPED_TRACE(what);
    auto client = server.client();
    client.send(http_request(method, target, list.headers, json::serialize(list.message)));
    const auto reply = client.read_head();
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->status, status);
    EXPECT_EQ(reply->header("allow"), allow);
  }
  const auto batch = server.ask(http_request("POST", "/mcp", list.headers, "[" + json::serialize(list.message) + "]"));
  EXPECT_EQ(batch.status, 400);
  EXPECT_EQ(code_of(json_of(batch)), -32600);
}

TEST_F(Http, HealthIsToldWithoutATokenAndNothingElse) {
  HttpServerProcess server(options({"--token-file", data_.path() + "/token"}));
  const auto health = server.ask(http_request("GET", "/healthz", {}));
  EXPECT_EQ(health.status, 200);
  EXPECT_EQ(health.body, "ok\n");
  EXPECT_EQ(server.ask(http_request("GET", "/healthz", {{"Host", "evil.example.com"}})).status, 403);
  EXPECT_EQ(server.ask(http_request("POST", "/healthz", {})).status, 401);
}

// ---- Who may ask

TEST_F(Http, H2_H3_C07_OnlyOurNamesAndOriginsAreAnswered) {
  struct Case {
    std::string_view host, origin;  // "": no Origin
    int status;
  };
  constexpr Case cases[] = {
      {"localhost", "", 200},
      {"localhost:1", "", 200},
      {"LocalHost", "", 200},
      {"127.0.0.1:9999", "http://127.0.0.1:9999", 200},
      {"[::1]", "http://[::1]", 200},
      {"[::1]:80", "http://localhost:3000", 200},
      {"named.example.org", "", 200},
      {"named.example.org:443", "https://app.example.org", 200},
      {"localhost", "https://app.example.org", 200},
      {"localhost", "http://app.example.org", 403},
      {"localhost", "https://app.example.org:8443", 403},
      {"localhost", "https://app.example.org.evil.example.com", 403},
      {"localhost", "null", 403},
      {"localhost", "http://evil.example.com", 403},
      {"localhost", "http://localhost.evil.example.com", 403},
      {"localhost", "http://localhost@evil.example.com", 403},
      {"localhost", "localhost", 403},
      {"evil.example.com", "", 403},
      {"evil.example.com", "http://evil.example.com", 403},
      {"evil.example.com:80", "http://localhost", 403},
      {"localhost.evil.example.com", "", 403},
      {"localhost:x", "", 403},
      {"127.0.0.2", "", 403},
      {"", "", 403},
      {"[::1", "", 403},
  };
  HttpServerProcess server(options({"--allow-host", "named.example.org", "--allow-origin", "https://app.example.org"}));
  for (const auto& [host, origin, status] : cases) {
    SCOPED_TRACE(fmt::format("Host: {}, Origin: {}", host, origin));
    auto request = ModernRequest("tools/list").header("Host", std::string(host));
    if (!origin.empty()) request.header("Origin", std::string(origin));
    EXPECT_EQ(server.ask(request.bytes()).status, status);
  }
}

TEST_F(Http, H2_C23_ARefusedRequestDoesNothing) {
  HttpServerProcess server(options());
  for (const auto& [name, value] : HttpHeaders{{"Host", "evil.example.com"}, {"Origin", "null"}}) {
    SCOPED_TRACE(name);
    const auto reply =
        server.ask(modern_call("open_dataset", open_arguments({"numbers.csv"})).header(name, value).bytes());
    EXPECT_EQ(reply.status, 403);
    EXPECT_EQ(code_of(json_of(reply)), -32600);
  }
  EXPECT_EQ(server.call("list_datasets", {}).at("datasets").as_array().size(), 0u);
  EXPECT_TRUE(server.process().workers().empty());
}

TEST_F(Http, PagesOfAnAllowedOriginGetCorsHeadersAndNobodyElse) {
  HttpServerProcess server(options({"--allow-origin", "https://app.example.org"}));
  const auto preflight = [&](std::string_view origin) {
    return server.ask(
        http_request("OPTIONS", "/mcp", {{"Origin", std::string(origin)}, {"Access-Control-Request-Method", "POST"}}));
  };
  const auto allowed = preflight("https://app.example.org");
  EXPECT_EQ(allowed.status, 204);
  EXPECT_EQ(allowed.header("access-control-allow-origin"), "https://app.example.org");
  EXPECT_NE(allowed.header("access-control-allow-headers").find("Mcp-Session-Id"), std::string::npos);
  EXPECT_EQ(preflight("https://other.example.org").status, 403);
  // A page on this machine is let in by Origin, but a browser lets it read nothing.
  const auto local = preflight("http://localhost:3000");
  EXPECT_EQ(local.status, 405);
  EXPECT_EQ(local.header("access-control-allow-origin"), "");
  const auto reply = server.ask(ModernRequest("tools/list").header("Origin", "https://app.example.org").bytes());
  EXPECT_EQ(reply.header("access-control-allow-origin"), "https://app.example.org");
  EXPECT_NE(reply.header("access-control-expose-headers").find("Mcp-Session-Id"), std::string::npos);
  EXPECT_EQ(server.ask(ModernRequest("tools/list").bytes()).header("access-control-allow-origin"), "");
}

TEST_F(Http, H4_C07_BeyondThisMachineATokenIsNeeded) {
  for (const auto* address : {"0.0.0.0:0", "[::]:0"}) {
    SCOPED_TRACE(address);
    const auto [code, text] = refused_start({"--http", address});
    EXPECT_EQ(code, 1);
    EXPECT_NE(text.find("--token-file"), std::string::npos) << text;
  }
  HttpServerProcess with_token(options({"--http", "0.0.0.0:0", "--token-file", data_.path() + "/token"}));
  HttpServerProcess unsafe(options({"--http", "0.0.0.0:0", "--unsafe-no-token"}));
}

TEST_F(Http, WhatDoesNotFitStopsTheStartWithANextStep) {
  data_.write("short", "secret-word\n");
  data_.write("odd", "a secret of many words\n");
  struct Case {
    std::vector<std::string> arguments;
    std::string_view says;
  };
  const Case cases[] = {
      {{"--http", "8080"}, "127.0.0.1:8080"},
      {{"--http", "example.org:80"}, "not an IP address"},
      {{"--http", "127.0.0.1:0", "--token-file", data_.path() + "/missing"}, "cannot be read"},
      {{"--http", "127.0.0.1:0", "--token-file", data_.path() + "/short"}, "fewer than 16"},
      {{"--http", "127.0.0.1:0", "--token-file", data_.path() + "/odd"}, "cannot be a token"},
      {{"--http", "127.0.0.1:0", "--allow-origin", "*"}, "not an origin"},
      {{"--http", "127.0.0.1:0", "--allow-origin", "https://a.example.org/path"}, "not an origin"},
      {{"--http", "127.0.0.1:0", "--allow-host", ""}, "not the name of a host"},
      {{"--http", "unix:"}, "path of the Unix socket"},
      {{"--http", "unix:" + data_.path()}, "not a socket"},
  };
  for (const auto& [arguments, says] : cases) {
    SCOPED_TRACE(arguments.back());
    const auto [code, text] = refused_start(arguments);
    EXPECT_EQ(code, 1);
    EXPECT_NE(text.find(says), std::string::npos) << text;
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  }
}

TEST_F(Http, O3_O4_O5_OnlyTheTokenLetsIn) {
  HttpServerProcess server(options({"--token-file", data_.path() + "/token"}));
  const std::string token(kToken);
  const std::pair<std::string, int> cases[] = {
      {"Bearer " + token, 200},
      {"bearer " + token, 200},
      {"Bearer  " + token, 200},
      {"Bearer " + token + "x", 401},
      {"Bearer " + token.substr(1), 401},
      {"Bearer", 401},
      {"Bearer ", 401},
      {token, 401},
      {"Basic " + token, 401},
      {"Bearer " + token + token, 401},
  };
  for (const auto& [value, status] : cases) {
    SCOPED_TRACE(value);
    EXPECT_EQ(server.ask(ModernRequest("tools/list").header("Authorization", value).bytes()).status, status);
  }
  const auto request = ModernRequest("tools/list");
  const auto reply =
      server.ask(http_request("POST", "/mcp?access_token=" + token, request.headers, json::serialize(request.message)));
  EXPECT_EQ(reply.status, 401);
  EXPECT_EQ(reply.header("www-authenticate"), "Bearer realm=\"adit\"");
  EXPECT_EQ(server.process().standard_error().find(token), std::string::npos);

  // O5: who knows a session or a dataset is nobody yet.
  const std::pair<std::string, std::string> bearer{"Authorization", "Bearer " + token};
  const auto initialize =
      legacy_request(0, "initialize", {{"protocolVersion", "2025-11-25"}, {"capabilities", json::object()}});
  const auto session = server.ask(legacy_post("", initialize, {bearer})).header("mcp-session-id");
  const auto opened = legacy_post(
      session, legacy_request(1, "tools/call", call_params("open_dataset", open_arguments({"numbers.csv"}))), {bearer});
  const auto dataset = dataset_of(content_of(json_of(server.ask(opened))));
  const auto ping = legacy_request(2, "ping");
  EXPECT_EQ(server.ask(legacy_post(session, ping, {bearer})).status, 200);
  EXPECT_EQ(server.ask(legacy_post(session, ping)).status, 401);
  EXPECT_EQ(server.ask(ModernRequest("tools/call", query_params(dataset, "SELECT 1")).bytes()).status, 401);
}

TEST_F(Http, AUnixSocketServesItsOwner) {
  const auto path = data_.path() + "/adit.sock";
  HttpServerProcess server(options({"--http", "unix:" + path}));
  struct stat status{};
  ASSERT_EQ(::lstat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(HttpClient(path).ask(ModernRequest("tools/list").bytes()).status, 200);
}

// ---- Bodies, answers, statuses

TEST_F(Http, H5_ContentTypeAndAcceptAreNegotiated) {
  struct Case {
    std::string_view header;
    std::optional<std::string> value;
    int status;
    std::string_view type;  // of the answer
  };
  const Case cases[] = {
      {"Content-Type", "application/json; charset=utf-8", 200, "application/json"},
      {"Content-Type", "APPLICATION/JSON", 200, "application/json"},
      {"Content-Type", "text/plain", 415, "application/json"},
      {"Content-Type", "application/x-www-form-urlencoded", 415, "application/json"},
      {"Content-Type", std::nullopt, 415, "application/json"},
      {"Accept", std::nullopt, 200, "application/json"},
      {"Accept", "*/*", 200, "application/json"},
      {"Accept", "application/json", 200, "application/json"},
      {"Accept", "application/json;q=0.5 , text/event-stream", 200, "application/json"},
      {"Accept", "text/event-stream", 200, "text/event-stream"},
      {"Accept", "application/json;q=0, text/event-stream", 200, "text/event-stream"},
      {"Accept", "text/html", 406, "application/json"},
      {"Accept", "application/json;q=0", 406, "application/json"},
  };
  HttpServerProcess server(options());
  for (const auto& [header, value, status, type] : cases) {
    SCOPED_TRACE(fmt::format("{}: {}", header, value.value_or("(none)")));
    const auto reply = server.ask(ModernRequest("tools/list").header(header, value).bytes());
    EXPECT_EQ(reply.status, status);
    EXPECT_EQ(reply.header("content-type"), type);
  }
}

TEST_F(Http, H6_C15_C30_ANotificationIsAcceptedWithoutABody) {
  HttpServerProcess server(options());
  const auto session = server.initialize();
  const json::object initialized{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}};
  const json::object unknown{{"jsonrpc", "2.0"}, {"method", "notifications/unheard-of"}};
  const json::object response{{"jsonrpc", "2.0"}, {"id", 5}, {"result", json::object()}};
  for (const auto& message : {initialized, unknown, response}) {
    SCOPED_TRACE(json::serialize(message));
    const auto reply = server.ask(legacy_post(session, message));
    EXPECT_EQ(reply.status, 202);
    EXPECT_EQ(reply.body, "");
  }
  auto modern = ModernRequest("notifications/cancelled", {{"requestId", 1}});
  modern.message.erase("id");
  EXPECT_EQ(server.ask(modern.bytes()).status, 202);
  // J2: a call without an id is a notification, and does not run.
  auto call = modern_call("open_dataset", open_arguments({"numbers.csv"}));
  call.message.erase("id");
  EXPECT_EQ(server.ask(call.bytes()).status, 202);
  EXPECT_EQ(server.call("list_datasets", {}).at("datasets").as_array().size(), 0u);
}

TEST_F(Http, H7_H14_AnAnswerIsJsonUnlessProgressIsWanted) {
  HttpServerProcess server(options());
  const auto dataset = open_numbers(server);
  const auto plain = server.ask(ModernRequest("tools/call", query_params(dataset, "SELECT 1")).bytes());
  EXPECT_EQ(plain.header("content-type"), "application/json");

  auto client = server.client();
  client.send(ModernRequest("tools/call", query_params(dataset, kLongQuery)).meta("progressToken", "p").bytes());
  const auto head = client.read_head();
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->header("content-type"), "text/event-stream");
  EXPECT_EQ(head->header("cache-control"), "no-cache");
  EXPECT_EQ(head->header("x-accel-buffering"), "no");
  std::vector<json::object> messages;
  while (const auto event = client.read_event()) {
    if (event->starts_with(":")) continue;  // H14: on a busy machine nothing else may have come for 15 s
    EXPECT_TRUE(event->starts_with("data: {")) << *event;
    EXPECT_EQ(event->find('\n'), std::string::npos) << "one data line a message";
    messages.push_back(message_of(*event));
  }
  EXPECT_TRUE(client.stream_ended()) << "the answer ends the stream";
  ASSERT_GE(messages.size(), 2u);
  for (std::size_t i = 0; i + 1 < messages.size(); ++i) {
    EXPECT_EQ(messages[i].at("method"), "notifications/progress");
    EXPECT_EQ(messages[i].at("params").at("progressToken"), "p");
  }
  EXPECT_TRUE(messages.back().contains("result"));
}

TEST_F(Http, P2_WithoutAStreamThereIsNoProgress) {
  HttpServerProcess server(options());
  const auto dataset = open_numbers(server);
  const auto reply = server.ask(ModernRequest("tools/call", query_params(dataset, kLongQuery))
                                    .meta("progressToken", "p")
                                    .header("Accept", "application/json")
                                    .bytes());
  EXPECT_EQ(reply.header("content-type"), "application/json");
  EXPECT_TRUE(json_of(reply).contains("result"));
}

// E1 to E8 and J1 to J4 as HTTP shows them. A status is decided before anything else (H8): all of these are JSON,
// whatever the client would take, and nothing has run.
TEST_F(Http, H8_H9_C10_C12_C13_C14_ErrorsOfTheModernEraHaveTheirStatus) {
  constexpr std::string_view kVersionKey = "io.modelcontextprotocol/protocolVersion";
  constexpr std::string_view kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
  const auto with_id = [](json::value id) {
    auto request = ModernRequest("tools/list");
    request.message["id"] = std::move(id);
    return request;
  };
  auto without_params = ModernRequest("server/discover");
  without_params.message.erase("params");
  struct Case {
    std::string_view what;
    ModernRequest request;
    int status;
    std::int64_t code;
  };
  const Case cases[] = {
      {"D1: discover", ModernRequest("server/discover"), 200, 0},
      {"E2: no _meta", without_params, 400, -32602},
      {"E2: no version", ModernRequest("server/discover").without_meta(kVersionKey), 400, -32602},
      {"E2: no version but a modern header", ModernRequest("tools/list").without_meta(kVersionKey), 400, -32602},
      {"E8: no capabilities", ModernRequest("tools/list").without_meta(kCapabilitiesKey), 400, -32602},
      {"E6: an unknown version",
       ModernRequest("tools/list").meta(kVersionKey, "2099-01-01").header("MCP-Protocol-Version", "2099-01-01"), 400,
       -32022},
      {"E4: initialize", ModernRequest("initialize"), 404, -32601},
      {"E4: ping", ModernRequest("ping"), 404, -32601},
      {"E4: logging/setLevel", ModernRequest("logging/setLevel"), 404, -32601},
      {"J3: an unknown method", ModernRequest("no/such"), 404, -32601},
      {"T9: an unknown tool", modern_call("no_such_tool", {}), 200, -32602},
      {"J1: id null", with_id(nullptr), 400, -32600},
      {"J1: id 1.5", with_id(1.5), 400, -32600},
      {"J1: id {}", with_id(json::object()), 400, -32600},
      {"J4: a tool's failure", modern_call("close_dataset", {{"dataset_id", "none"}}), 200, 0},
  };
  HttpServerProcess server(options());
  for (const auto& [what, request, status, code] : cases) {
    SCOPED_TRACE(what);
    const auto reply = server.ask(request.bytes());
    EXPECT_EQ(reply.status, status);
    EXPECT_EQ(reply.header("content-type"), "application/json");
    const auto message = json_of(reply);
    EXPECT_EQ(code_of(message), code) << reply.body;
    if (code != -32600) EXPECT_EQ(message.at("id"), 1) << reply.body;
    if (code == -32022) {
      const auto& data = message.at("error").at("data");
      EXPECT_EQ(data.at("requested"), "2099-01-01");
      EXPECT_EQ(data.at("supported"), json::array({"2026-07-28"}));
    }
  }
  const auto broken = server.ask(http_request("POST", "/mcp", ModernRequest("tools/list").headers, "{"));
  EXPECT_EQ(broken.status, 400);
  EXPECT_EQ(code_of(json_of(broken)), -32700);
  EXPECT_FALSE(json_of(broken).contains("id"));
}

TEST_F(Http, H10_H11_H12_HeadersMirrorTheBody) {
  struct Case {
    std::string_view what, header;
    std::optional<std::string> value;
    int status;
  };
  const Case cases[] = {
      {"H10: no version", "MCP-Protocol-Version", std::nullopt, 400},
      {"H10: another version", "MCP-Protocol-Version", "2025-11-25", 400},
      {"H10: blanks around it", "MCP-Protocol-Version", "  2026-07-28 ", 200},
      {"H11: no method", "Mcp-Method", std::nullopt, 400},
      {"H11: another method", "Mcp-Method", "tools/list", 400},
      {"H11: another case", "Mcp-Method", "Tools/Call", 400},
      {"H11: its name in another case", "mcp-METHOD", "tools/call", 200},
      {"H11: no name", "Mcp-Name", std::nullopt, 400},
      {"H11: another name", "Mcp-Name", "query", 400},
      {"H11: another case", "Mcp-Name", "List_datasets", 400},
      {"H11: blanks around it", "Mcp-Name", "  list_datasets\t", 200},
      {"H11: base64", "Mcp-Name", "=?base64?bGlzdF9kYXRhc2V0cw==?=", 200},
      {"H11: base64 of another name", "Mcp-Name", "=?base64?cXVlcnk=?=", 400},
      {"H11: broken base64", "Mcp-Name", "=?base64?bGlzdF9kYXRhc2V0cw?=", 400},
      {"H11: no base64 at all", "Mcp-Name", "=?base64?***?=", 400},
      {"H12: a parameter's header is ignored", "Mcp-Param-Anything", "x", 200},
      {"H15: a session is ignored", "Mcp-Session-Id", "none", 200},
      {"H15: an event is ignored", "Last-Event-ID", "1-1", 200},
  };
  HttpServerProcess server(options());
  for (const auto& [what, header, value, status] : cases) {
    SCOPED_TRACE(what);
    auto request = modern_call("list_datasets", {});
    if (header == "mcp-METHOD") request.header("Mcp-Method", std::nullopt);
    const auto reply = server.ask(request.header(header, value).bytes());
    EXPECT_EQ(reply.status, status) << reply.body;
    EXPECT_EQ(code_of(json_of(reply)), status == 200 ? 0 : -32020);
    EXPECT_EQ(reply.header("mcp-session-id"), "") << "H15: never echoed";
  }
  // Twice is not once, and a name where the method has none is not asked for.
  auto twice = modern_call("list_datasets", {});
  twice.headers.emplace_back("Mcp-Name", "list_datasets");
  EXPECT_EQ(server.ask(twice.bytes()).status, 400);
  EXPECT_EQ(server.ask(ModernRequest("tools/list").header("Mcp-Name", "x").bytes()).status, 200);
}

TEST_F(Http, H15_TheModernEraHasNoGetAndNoDelete) {
  HttpServerProcess server(options());
  for (const auto* method : {"GET", "DELETE"}) {
    const auto reply = server.ask(http_request(
        method, "/mcp", {{"MCP-Protocol-Version", std::string(kModern)}, {"Accept", "text/event-stream"}}));
    EXPECT_EQ(reply.status, 405) << method;
    EXPECT_EQ(reply.header("allow"), "POST");
  }
}

// ---- Closed connections

TEST_F(Http, H13_AModernClientThatGoesAwayCancels) {
  enum class End { close, close_own_half };
  struct Case {
    std::string_view what;
    bool progress;
    std::string_view early;  // sent behind the request
    End end;
  };
  constexpr Case cases[] = {
      {"an answer", false, "", End::close},
      {"a stream", true, "", End::close},
      {"an answer, its own half", false, "", End::close_own_half},
      {"an answer, behind a byte of the next request", false, "P", End::close},
      {"a stream, its own half behind a byte", true, "P", End::close_own_half},
  };
  HttpServerProcess server(options());
  const auto dataset = open_numbers(server);
  for (const auto& [what, progress, early, end] : cases) {
    SCOPED_TRACE(what);
    auto client = server.client();
    auto request = ModernRequest("tools/call", query_params(dataset, kSlowQuery));
    if (progress) request.meta("progressToken", 1);
    client.send(request.bytes());
    std::this_thread::sleep_for(300ms);
    client.send(early);
    if (end == End::close) client.close();
    else client.end_sending();
    // Calls on one dataset wait for each other: one that went on would hold this one for its 30 s.
    const auto start = Clock::now();
    const auto answer = server.call("query", query_arguments(dataset, {"SELECT count(*) FROM numbers"}));
    EXPECT_EQ(first_cell(answer), "3");
    EXPECT_LT(Clock::now() - start, 5s);
  }
}

TEST_F(Http, H13_H19_ALegacyCallGoesOnWithoutItsConnectionAndCanBeResumed) {
  HttpServerProcess server(options());
  const auto dataset = open_numbers(server);
  const auto session = server.initialize();
  const HttpHeaders version{{"MCP-Protocol-Version", "2025-11-25"}};
  std::string last;
  {
    auto client = server.client();
    client.send(legacy_post(
        session, legacy_request(7, "tools/call", query_params(dataset, kLongQuery, {{"progressToken", 7}})), version));
    ASSERT_TRUE(client.read_head().has_value());
    const auto priming = client.read_event();
    ASSERT_TRUE(priming.has_value());
    EXPECT_NE(priming->find("retry: "), std::string::npos) << *priming;
    EXPECT_TRUE(priming->ends_with("\ndata: ")) << *priming;
    last = id_of_event(*priming);
    EXPECT_FALSE(last.empty());
  }
  auto client = server.client();
  client.send(http_request("GET", "/mcp",
                           {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}, {"Last-Event-ID", last}}));
  const auto head = client.read_head();
  ASSERT_TRUE(head.has_value());
  ASSERT_EQ(head->status, 200);
  json::object answer;
  std::set<std::string> ids;
  while (const auto event = client.read_event()) {
    answer = message_of(*event);
    EXPECT_TRUE(ids.insert(id_of_event(*event)).second) << "an event came twice";
  }
  EXPECT_EQ(answer.at("id"), 7);
  EXPECT_EQ(first_cell(content_of(answer)), "28571429");

  // The whole stream can be read again, and ends at once.
  auto again = server.client();
  again.send(http_request("GET", "/mcp",
                          {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}, {"Last-Event-ID", last}}));
  ASSERT_TRUE(again.read_head().has_value());
  std::size_t count = 0;
  while (again.read_event()) ++count;
  EXPECT_EQ(count, ids.size());
  EXPECT_TRUE(again.stream_ended());
}

TEST_F(Http, H19_C22_OnlyEventsOfTheSessionThatAreStillThereAreReplayed) {
  HttpServerProcess server(options({"--answer-bytes", "0"}));
  const auto dataset = open_numbers(server);
  const auto session = server.initialize();
  const auto other = server.initialize();
  auto client = server.client();
  client.send(legacy_post(
      session,
      legacy_request(1, "tools/call", query_params(dataset, "SELECT repeat('x', 600000)", {{"progressToken", 1}}))));
  ASSERT_TRUE(client.read_head().has_value());
  std::string last;
  while (const auto event = client.read_event()) last = id_of_event(*event);
  ASSERT_FALSE(last.empty());

  const auto resume = [&](const std::string& of, const std::string& event) {
    auto listener = server.client();
    listener.send(http_request("GET", "/mcp",
                               {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", of}, {"Last-Event-ID", event}}));
    const auto head = listener.read_head();
    return head ? head->status : 0;
  };
  EXPECT_EQ(resume(session, last), 200);
  EXPECT_EQ(resume(session, "1-0"), 410) << "an answer too long to be kept is not passed over in silence";
  EXPECT_EQ(resume(other, last), 400) << "another session's events";
  EXPECT_EQ(resume(session, "99-1"), 400);
  EXPECT_EQ(resume(session, "1-99"), 410);
  EXPECT_EQ(resume(session, "nonsense"), 400);
  EXPECT_EQ(resume("none", last), 404);
}

TEST_F(Http, H19_ClientsOfOlderRevisionsGetNoEventWithoutData) {
  HttpServerProcess server(options());
  const auto dataset = open_numbers(server);
  const auto session = server.initialize("2025-06-18");
  auto client = server.client();
  client.send(legacy_post(session,
                          legacy_request(1, "tools/call", query_params(dataset, "SELECT 1", {{"progressToken", 1}})),
                          {{"MCP-Protocol-Version", "2025-06-18"}}));
  ASSERT_TRUE(client.read_head().has_value());
  while (const auto event = client.read_event()) EXPECT_FALSE(message_of(*event).empty()) << *event;
}

// ---- Sessions

TEST_F(Http, H16_C06_ASessionIsNamedAtInitializeAndNeededFromThen) {
  HttpServerProcess server(options());
  const auto session = server.initialize();
  EXPECT_EQ(session.size(), 22u);  // 128 bits
  EXPECT_EQ(session.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
            std::string::npos);
  EXPECT_NE(server.initialize(), session);
  const auto ping = legacy_request(1, "ping");
  EXPECT_EQ(server.ask(legacy_post(session, ping)).status, 200);
  EXPECT_EQ(server.ask(legacy_post("", ping)).status, 400);

  const auto remove = [&](const std::string& of) {
    return server.ask(http_request("DELETE", "/mcp", {{"Mcp-Session-Id", of}})).status;
  };
  EXPECT_EQ(remove(session), 204);
  EXPECT_EQ(remove(session), 404);
  EXPECT_EQ(server.ask(http_request("DELETE", "/mcp", {})).status, 400);
  // One answer for ended and unknown ones, and a modern request has nothing to do with sessions.
  const auto ended = server.ask(legacy_post(session, ping));
  const auto unknown = server.ask(legacy_post("AAAAAAAAAAAAAAAAAAAAAA", ping));
  EXPECT_EQ(ended.status, 404);
  EXPECT_EQ(unknown.status, 404);
  EXPECT_EQ(ended.body, unknown.body);
  EXPECT_EQ(server.ask(ModernRequest("tools/list").header("Mcp-Session-Id", session).bytes()).status, 200);
}

TEST_F(Http, H16_EndingASessionEndsItsCallsAndStreams) {
  HttpServerProcess server(options());
  const auto dataset = open_numbers(server);
  const auto session = server.initialize();
  auto caller = server.client();
  caller.send(
      legacy_post(session, legacy_request(1, "tools/call", query_params(dataset, kSlowQuery, {{"progressToken", 1}}))));
  auto listener = server.client();
  listener.send(http_request("GET", "/mcp", {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}}));
  ASSERT_TRUE(listener.read_head().has_value());
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(server.ask(http_request("DELETE", "/mcp", {{"Mcp-Session-Id", session}})).status, 204);
  while (listener.read_event(5s)) {
  }
  EXPECT_TRUE(listener.stream_ended());
  const auto start = Clock::now();
  EXPECT_EQ(first_cell(server.call("query", query_arguments(dataset, {"SELECT 5"}))), "5");
  EXPECT_LT(Clock::now() - start, 5s);
}

TEST_F(Http, E7_H17_C10_C11_TheBodyOfInitializeDecidesTheRevision) {
  struct Case {
    std::string_view asked, header, agreed;
  };
  constexpr Case cases[] = {
      {"2025-11-25", "", "2025-11-25"},           {"2025-06-18", "", "2025-06-18"},
      {"2025-03-26", "", "2025-03-26"},           {"2099-01-01", "", "2025-11-25"},
      {"2025-06-18", "2025-11-25", "2025-06-18"}, {"2025-06-18", "2099-01-01", "2025-06-18"},
      {"2025-06-18", "2026-07-28", "2025-06-18"}, {"2025-06-18", "nonsense", "2025-06-18"},
  };
  HttpServerProcess server(options());
  for (const auto& [asked, header, agreed] : cases) {
    SCOPED_TRACE(fmt::format("{} with header {}", asked, header));
    HttpHeaders headers;
    if (!header.empty()) headers.emplace_back("MCP-Protocol-Version", header);
    const auto reply = server.ask(legacy_post(
        "", legacy_request(0, "initialize", {{"protocolVersion", asked}, {"capabilities", json::object()}}), headers));
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(std::string(json_of(reply).at("result").at("protocolVersion").as_string()), agreed);
    EXPECT_FALSE(reply.header("mcp-session-id").empty());
  }
}

TEST_F(Http, H17_LaterTheHeaderMustNameARevisionThatIsKnown) {
  HttpServerProcess server(options());
  const auto session = server.initialize();
  const std::pair<std::string, int> cases[] = {{"2025-11-25", 200}, {"2025-06-18", 200}, {"2025-03-26", 200},
                                               {"2024-01-01", 400}, {"1", 400},          {"", 400}};
  for (const auto& [version, status] : cases) {
    SCOPED_TRACE(version);
    EXPECT_EQ(server.ask(legacy_post(session, legacy_request(1, "ping"), {{"MCP-Protocol-Version", version}})).status,
              status);
  }
}

TEST_F(Http, H18_AGetListens) {
  HttpServerProcess server(options());
  const auto session = server.initialize();
  const auto get = [&](const HttpHeaders& headers) {
    auto client = server.client();
    client.send(http_request("GET", "/mcp", headers));
    const auto head = client.read_head();
    return head ? head->status : 0;
  };
  EXPECT_EQ(get({{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}}), 200);
  EXPECT_EQ(get({{"Accept", "application/json"}, {"Mcp-Session-Id", session}}), 406);
  EXPECT_EQ(get({{"Accept", "text/event-stream"}}), 400);
  EXPECT_EQ(get({{"Accept", "text/event-stream"}, {"Mcp-Session-Id", "none"}}), 404);
}

TEST_F(Http, E5_BothErasAreServedSideBySide) {
  HttpServerProcess server(options());
  auto client = server.client();
  const auto session = server.initialize();
  EXPECT_EQ(client.ask(legacy_post(session, legacy_request(1, "tools/list"))).status, 200);
  EXPECT_EQ(client.ask(ModernRequest("tools/list").bytes()).status, 200);
  EXPECT_EQ(client.ask(ModernRequest("tools/list").header("Mcp-Session-Id", session).bytes()).status, 200);
  EXPECT_EQ(client.ask(legacy_post(session, legacy_request(2, "ping"))).status, 200);
}

TEST_F(Http, J6_AnIdThatIsUnderWayInItsSessionIsRefused) {
  HttpServerProcess server(options());
  const auto dataset = open_numbers(server);
  const auto session = server.initialize();
  auto slow = server.client();
  slow.send(legacy_post(session, legacy_request(1, "tools/call", query_params(dataset, kSlowQuery))));
  std::this_thread::sleep_for(300ms);
  const auto second = server.ask(legacy_post(session, legacy_request(1, "ping")));
  EXPECT_EQ(second.status, 400);
  EXPECT_EQ(code_of(json_of(second)), -32600);
  // Another session, and a modern request, may use the same id.
  EXPECT_EQ(server.ask(legacy_post(server.initialize(), legacy_request(1, "ping"))).status, 200);
  EXPECT_EQ(server.ask(ModernRequest("tools/list").bytes()).status, 200);
}

TEST_F(Http, S5_ALegacyCallIsCancelledByItsSessionAlone) {
  HttpServerProcess server(options());
  const auto dataset = open_numbers(server);
  const auto session = server.initialize();
  auto slow = server.client();
  slow.send(legacy_post(session, legacy_request(1, "tools/call", query_params(dataset, kSlowQuery))));
  std::this_thread::sleep_for(300ms);
  const json::object cancel{
      {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", json::object{{"requestId", 1}}}};
  EXPECT_EQ(server.ask(legacy_post(server.initialize(), cancel)).status, 202);
  auto waiting = server.client();
  waiting.send(ModernRequest("tools/call", query_params(dataset, "SELECT 5")).bytes());
  EXPECT_FALSE(waiting.read_head(300ms).has_value()) << "another session's cancellation is none of this call's";
  EXPECT_EQ(server.ask(legacy_post(session, cancel)).status, 202);
  const auto reply = waiting.read_reply(10s);
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(first_cell(content_of(json_of(*reply))), "5");
}

// ---- Limits

TEST_F(Http, H20_BodiesAndHeadersAreLimited) {
  HttpServerProcess server(options());
  auto large = ModernRequest("tools/list");
  large.message["x"] = std::string((8u << 20) - large.bytes().size() - 100, 'x');
  EXPECT_EQ(server.ask(large.bytes()).status, 200);
  large.message["x"] = std::string(8u << 20, 'x');
  EXPECT_EQ(server.ask(large.bytes()).status, 413);
  EXPECT_EQ(server.ask(ModernRequest("tools/list").header("X-Long", std::string(17'000, 'x')).bytes()).status, 431);
  EXPECT_EQ(server.ask(ModernRequest("tools/list").bytes()).status, 200);
}

TEST_F(Http, H20_CallsThatOutliveTheirConnectionsAreLimited) {
  HttpServerProcess server(options());
  const auto dataset = open_numbers(server);
  const auto session = server.initialize();
  auto client = server.client();
  std::string calls;
  for (int id = 1; id <= 64; ++id) {
    server.client().send(legacy_post(session, legacy_request(id, "tools/call", query_params(dataset, kSlowQuery))));
  }
  int status = 0;
  const bool limited = eventually(10s, [&] {
    status = client.ask(legacy_post(session, legacy_request(100, "tools/list"))).status;
    return status == 503;
  });
  EXPECT_TRUE(limited) << status;
  EXPECT_EQ(client.ask(legacy_post(session, legacy_request(100, "ping"))).status, 200) << "P7";
  EXPECT_EQ(server.ask(legacy_post(server.initialize(), legacy_request(1, "tools/list"))).status, 200);
  EXPECT_EQ(client.ask(http_request("DELETE", "/mcp", {{"Mcp-Session-Id", session}})).status, 204);
}

// ---- Datasets of many callers

std::vector<std::string> ids_in(const json::object& list) {
  std::vector<std::string> ids;
  for (const auto& dataset : list.at("datasets").as_array()) ids.emplace_back(dataset.at("dataset_id").as_string());
  return ids;
}

// A tool called in a legacy session.
json::object call_in(HttpServerProcess& server, const std::string& session, json::object params) {
  return content_of(json_of(server.ask(legacy_post(session, legacy_request(1, "tools/call", std::move(params))))));
}

TEST_F(Http, T16_OnLoopbackWithoutATokenEveryCallerIsTheSame) {
  HttpServerProcess server(options());
  const auto mine = open_numbers(server);
  EXPECT_EQ(mine.size(), std::string_view("dataset-").size() + 22);
  const auto session = server.initialize();
  EXPECT_EQ(ids_in(call_in(server, session, call_params("list_datasets", {}))), std::vector{mine});
  EXPECT_EQ(first_cell(call_in(server, session, query_params(mine, "SELECT count(*) FROM numbers"))), "3");
  EXPECT_EQ(of_error(call_in(server, session, query_params("dataset-1", "SELECT 1")), "kind"), "unknown_dataset");
}

// "Foreign, unknown and expired ids look the same."
TEST_F(Http, T16_WhereCallersCannotBeToldApartASessionSeesItsOwnAlone) {
  HttpServerProcess server(options({"--http", "0.0.0.0:0", "--unsafe-no-token"}));
  const auto mine = open_numbers(server);
  const auto one = server.initialize(), other = server.initialize();
  const auto theirs = dataset_of(call_in(server, one, call_params("open_dataset", open_arguments({"numbers.csv"}))));
  EXPECT_EQ(ids_in(call_in(server, one, call_params("list_datasets", {}))), std::vector{theirs});
  EXPECT_EQ(ids_in(call_in(server, other, call_params("list_datasets", {}))), std::vector<std::string>());
  // A request without a session: who knows the id may use it, and nothing is listed.
  const auto listed = server.call("list_datasets", {});
  EXPECT_EQ(ids_in(listed), std::vector<std::string>());
  EXPECT_TRUE(listed.contains("notice"));
  EXPECT_EQ(first_cell(server.call("query", query_arguments(mine, {"SELECT count(*) FROM numbers"}))), "3");

  const json::object completed{{"ref", json::object{{"type", "ref/resource"}, {"uri", "adit://workspaces/{id}"}}},
                               {"argument", json::object{{"name", "id"}, {"value", ""}}}};
  for (const auto& [session, sees] : {std::pair(one, true), std::pair(other, false)}) {
    for (const auto& request :
         {legacy_request(1, "resources/list"), legacy_request(1, "completion/complete", completed)}) {
      const auto reply = server.ask(legacy_post(session, request));
      EXPECT_EQ(reply.body.find(theirs) != std::string::npos, sees) << reply.body;
      EXPECT_EQ(reply.body.find(mine), std::string::npos) << reply.body;
    }
  }
  for (const auto& foreign :
       {query_params(theirs, "SELECT 1"), call_params("describe_dataset", {{"dataset_id", theirs}}),
        call_params("open_dataset", open_arguments({"numbers.csv"}, theirs)),
        call_params("close_dataset", {{"dataset_id", theirs}})}) {
    EXPECT_EQ(of_error(call_in(server, other, foreign), "kind"), "unknown_dataset");
  }
  EXPECT_EQ(first_cell(call_in(server, one, query_params(theirs, "SELECT count(*) FROM numbers"))), "3");

  // What a session opened ends with it.
  EXPECT_EQ(server.process().workers().size(), 2u);
  EXPECT_EQ(server.ask(http_request("DELETE", "/mcp", {{"Mcp-Session-Id", one}})).status, 204);
  EXPECT_TRUE(eventually(5s, [&] { return server.process().workers().size() == 1; }));
}

TEST_F(Http, R8_NamesOfRelationsAreProposedWithoutAWorker) {
  HttpServerProcess server(options());
  const auto dataset = open_numbers(server);
  json::object query = query_arguments(
      dataset, {"CREATE VIEW Seen AS SELECT 1 AS x", "CREATE VIEW gone AS SELECT 1 AS x", "DROP VIEW gone"});
  query["named_temp_queries"] = json::array{{{"name", "doubled"}, {"sql", "SELECT n * 2 AS m FROM numbers"}}};
  server.call("query", query);
  // What stands when a statement behind it fails.
  server.call("query", query_arguments(dataset, {"CREATE VIEW stays AS SELECT 1 AS x", "SELECT nothing"}));
  for (const auto worker : server.process().workers()) ::kill(worker, SIGKILL);
  ASSERT_TRUE(eventually(5s, [&] { return server.process().workers().empty(); }));
  struct Case {
    std::string_view typed;
    std::vector<std::string> proposed;
  };
  const Case cases[] = {{"", {"numbers", "doubled", "Seen", "stays"}},
                        {"num", {"numbers"}},
                        {"S", {"Seen", "stays", "numbers"}},
                        {"gone", {}}};
  for (const auto& [typed, proposed] : cases) {
    SCOPED_TRACE(typed);
    const ModernRequest request("completion/complete", {{"ref", {{"type", "ref/prompt"}, {"name", "query_with_sql"}}},
                                                        {"argument", {{"name", "relation"}, {"value", typed}}},
                                                        {"context", {{"arguments", {{"dataset_id", dataset}}}}}});
    const auto completion = json_of(server.ask(request.bytes())).at("result").at("completion");
    EXPECT_EQ(completion.at("values"), json::value_from(proposed));
  }
  EXPECT_TRUE(server.process().workers().empty());
}

TEST_F(Http, T16_AnOpenedDatasetTellsWhenItEnds) {
  HttpServerProcess server(options());
  const auto opened = server.call("open_dataset", open_arguments({"numbers.csv"}));
  const std::string expires(opened.at("expires").as_string());
  EXPECT_EQ(expires.size(), std::string_view("2026-11-30T12:00:00Z").size()) << expires;
}

TEST_F(Http, T19_OneOwnerMayHaveSixteenDatasets) {
  HttpServerProcess server(options());
  for (int i = 0; i < 16; ++i) open_numbers(server);
  const auto refused = server.call("open_dataset", open_arguments({"numbers.csv"}));
  EXPECT_EQ(of_error(refused, "kind"), "limit_reached");
  EXPECT_NE(of_error(refused, "hint").find("close_dataset"), std::string::npos);
}

TEST_F(Http, FilesOpenBelowARootOnly) {
  HttpServerProcess server(ServerOptions{});
  EXPECT_EQ(of_error(server.call("open_dataset", open_arguments({data_.path() + "/numbers.csv"})), "stage"), "input");
  EXPECT_TRUE(server.call("open_dataset", open_arguments({"CMakeLists.txt"})).contains("error"));
}

// ---- The sandbox

TEST_F(Http, WithoutASandboxTheServerDoesNotStartUnlessToldTo) {
  const TemporaryDirectory directory;
  const auto worker = directory.path() + "/unconfined_worker";
  fs::copy_file(std::string(ADIT_BIN_DIR) + "/../tests/unconfined_worker", worker);
  const std::string given = ADIT_TEST_WORKER;
  std::ofstream(directory.path() + "/real") << (given.empty() ? std::string(ADIT_BIN_DIR) + "/adit-worker" : given);
  const auto [code, text] = refused_start({"--http", "127.0.0.1:0", "--worker", worker});
  EXPECT_EQ(code, 1);
  EXPECT_NE(text.find("Landlock"), std::string::npos) << text;
  EXPECT_NE(text.find("--unsafe-no-sandbox"), std::string::npos) << text;
  HttpServerProcess server(options({"--worker", worker, "--unsafe-no-sandbox"}));
  EXPECT_EQ(first_cell(server.call("query", query_arguments(open_numbers(server), {"SELECT 5"}))), "5");
}

// ---- The end

TEST_F(Http, S3_SigtermEndsStreamsAndCallsWithinTwoSeconds) {
  for (const int signal : {SIGTERM, SIGINT}) {
    SCOPED_TRACE(signal);
    HttpServerProcess server(options());
    const auto dataset = open_numbers(server);
    const auto session = server.initialize();
    auto listener = server.client();
    listener.send(http_request("GET", "/mcp", {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}}));
    ASSERT_TRUE(listener.read_head().has_value());
    auto slow = server.client();
    slow.send(ModernRequest("tools/call", query_params(dataset, kSlowQuery)).bytes());
    auto idle = server.client();
    ASSERT_EQ(idle.ask(ModernRequest("tools/list").bytes()).status, 200);
    auto half = server.client();
    half.send("POST /mcp HTTP/1.1\r\nHost: local");
    std::this_thread::sleep_for(300ms);
    const auto workers = server.process().workers();
    ASSERT_FALSE(workers.empty());
    const auto start = Clock::now();
    server.process().kill(signal);
    EXPECT_EQ(server.process().wait_for_exit(10s), 0);
    EXPECT_LT(Clock::now() - start, 2s);
    while (listener.read_event(1s)) {
    }
    EXPECT_TRUE(listener.stream_ended());
    for (const auto worker : workers) EXPECT_NE(::kill(worker, 0), 0);
  }
}

TEST_F(Http, S3_ACallThatIsNearlyDoneIsAnsweredAtTheEnd) {
  HttpServerProcess server(options());
  const auto dataset = open_numbers(server);
  auto client = server.client();
  client.send(ModernRequest("tools/call", query_params(dataset, "SELECT count(*) FROM range(20000000)")).bytes());
  std::this_thread::sleep_for(5ms);
  server.process().kill(SIGTERM);
  const auto reply = client.read_reply();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(first_cell(content_of(json_of(*reply))), "20000000");
}

}  // namespace
}  // namespace adit::test
