// What the HTTP transport does with time and numbers, over real sockets with limits that a test can reach. What needs
// no such limits is in programs/http_test.cpp.
#include "adit/mcp/http_transport.h"

#include "support/http_server_process.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace adit::mcp {
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;
using test::HttpClient;
using test::legacy_post;
using test::legacy_request;
using test::ModernRequest;

// A tool that ends only when it is cancelled, and tells progress at once.
Tool waiting_tool(io::EventLoop& loop) {
  return {.name = "wait",
          .title = "Wait",
          .description = "",
          .input_schema = {{"type", "object"}, {"properties", json::object()}},
          .output_schema = {{"type", "object"}},
          .annotations = {},
          .call = [&loop](RequestContext context, json::object) -> Task<ToolResult> {
            io::OneShot<bool> ended(loop);
            const auto guard = context.on_cancel([ended] { ended.set(true); });
            context.report({.elapsed_seconds = 0.5, .fraction = {}, .message = "waiting"});
            co_await ended.wait();
            co_return ToolResult{.structured = "{}", .text = "", .is_error = false};
          },
          .render_error = [](const Error&) { return ToolResult{.structured = "{}", .text = "", .is_error = true}; }};
}

// Its answer has as many bytes as it is asked for.
Tool bulky_tool() {
  return {.name = "fill",
          .title = "Fill",
          .description = "",
          .input_schema = {{"type", "object"}, {"properties", {{"bytes", {{"type", "integer"}}}}}},
          .output_schema = {{"type", "object"}},
          .annotations = {},
          .call = [](RequestContext, json::object arguments) -> Task<ToolResult> {
            const auto bytes = static_cast<std::size_t>(arguments.at("bytes").as_int64());
            co_return ToolResult{.structured = "{}", .text = std::string(bytes, 'x'), .is_error = false};
          },
          .render_error = [](const Error&) { return ToolResult{.structured = "{}", .text = "", .is_error = true}; }};
}

class TestTransport {
 public:
  explicit TestTransport(HttpOptions options = {}) {
    options.address = "127.0.0.1:0";
    std::vector<Tool> tools;
    tools.push_back(waiting_tool(loop_));
    tools.push_back(bulky_tool());
    server_ = std::make_unique<Server>(
        ServerInfo{.name = "test", .title = "", .version = "1", .description = "", .instructions = ""},
        std::move(tools));
    std::promise<void> started;
    thread_ = std::thread([&] {
      auto transport = HttpTransport::start(loop_, *server_, options);
      if (!transport.ok()) throw std::runtime_error(transport.error().message);
      const auto url = (*transport)->url();
      port_ = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
      loop_.post([&] { started.set_value(); });
      io::run_to_end(loop_, wait_and_shut_down(**transport));
    });
    started.get_future().wait();
  }
  ~TestTransport() {
    loop_.post([this] { stop_.set(true); });
    thread_.join();
  }

  HttpClient client() const { return HttpClient(port_); }
  test::HttpReply ask(std::string_view bytes) const { return client().ask(bytes); }
  std::string initialize() const {
    return ask(legacy_post("", legacy_request(0, "initialize", {{"protocolVersion", "2025-11-25"}})))
        .header("mcp-session-id");
  }

 private:
  boost::asio::awaitable<void> wait_and_shut_down(HttpTransport& transport) {
    co_await stop_.wait();
    co_await transport.shut_down();
  }

  io::EventLoop loop_;
  std::unique_ptr<Server> server_;
  io::OneShot<bool> stop_{loop_};
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// A call whose answer, of so many bytes, comes on a stream that can be resumed.
std::string fill(const std::string& session, int bytes) {
  const auto call = legacy_request(1, "tools/call", {{"name", "fill"}, {"arguments", {{"bytes", bytes}}}});
  return test::http_request("POST", "/mcp",
                            {{"Content-Type", "application/json"},
                             {"Accept", "text/event-stream"},
                             {"Mcp-Session-Id", session},
                             {"MCP-Protocol-Version", "2025-11-25"}},
                            json::serialize(call));
}

std::string resume(const std::string& session, const std::string& event) {
  return test::http_request("GET", "/mcp",
                            {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}, {"Last-Event-ID", event}});
}

std::string get(const std::string& session) {
  return test::http_request("GET", "/mcp", {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", session}});
}

TEST(HttpTransport, H14_SilentStreamsCarryCommentsOfBothEras) {
  TestTransport server({.keep_alive = 50ms});
  auto modern = server.client();
  modern.send(ModernRequest("tools/call", {{"name", "wait"}}).meta("progressToken", 1).bytes());
  auto listening = server.client();
  listening.send(get(server.initialize()));
  for (auto* client : {&modern, &listening}) {
    ASSERT_TRUE(client->read_head().has_value());
    int comments = 0;
    for (int i = 0; i < 6 && comments < 3; ++i) {
      const auto event = client->read_event();
      ASSERT_TRUE(event.has_value());
      comments += event->starts_with(":") ? 1 : 0;
    }
    EXPECT_EQ(comments, 3);
  }
}

TEST(HttpTransport, H14_AModernStreamOfProgressEndsWithItsClient) {
  TestTransport server;
  for (int i = 0; i < 3; ++i) {
    auto client = server.client();
    client.send(ModernRequest("tools/call", {{"name", "wait"}}).meta("progressToken", "p").bytes());
    const auto head = client.read_head();
    ASSERT_TRUE(head.has_value());
    EXPECT_EQ(head->header("content-type"), "text/event-stream");
    const auto event = client.read_event();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(test::message_of(*event).at("params").at("progressToken"), "p");
  }
  // The destructor joins every call: one that went on would hold it for ever.
}

TEST(HttpTransport, H16_AnIdleSessionEndsAndOneInUseDoesNot) {
  TestTransport server({.session_idle = 300ms, .keep_alive = 50ms});
  const auto idle = server.initialize(), used = server.initialize(), listening = server.initialize();
  auto listener = server.client();
  listener.send(get(listening));
  ASSERT_TRUE(listener.read_head().has_value());
  const auto ping = [&](const std::string& session) {
    return server.ask(legacy_post(session, legacy_request(1, "ping"))).status;
  };
  for (int i = 0; i < 16; ++i) {
    std::this_thread::sleep_for(50ms);
    ASSERT_EQ(ping(used), 200);
  }
  EXPECT_EQ(ping(idle), 404);
  EXPECT_EQ(ping(listening), 200);
}

TEST(HttpTransport, H20_SessionsAreLimited) {
  TestTransport server({.sessions = 2});
  const auto first = server.initialize();
  EXPECT_FALSE(server.initialize().empty());
  const auto refused = server.ask(legacy_post("", legacy_request(0, "initialize")));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.header("retry-after"), "1");
  EXPECT_EQ(test::json_of(refused).at("id"), 0);
  EXPECT_EQ(server.ask(test::http_request("DELETE", "/mcp", {{"Mcp-Session-Id", first}})).status, 204);
  EXPECT_FALSE(server.initialize().empty());
}

TEST(HttpTransport, H20_ListeningStreamsOfASessionAreLimited) {
  TestTransport server({.listening_streams = 2});
  const auto session = server.initialize();
  std::vector<HttpClient> listeners;
  for (int i = 0; i < 2; ++i) {
    listeners.push_back(server.client());
    listeners.back().send(get(session));
    ASSERT_EQ(listeners.back().read_head().value_or(test::HttpReply()).status, 200);
  }
  EXPECT_EQ(server.ask(get(session)).status, 503);
  auto other = server.client();
  other.send(get(server.initialize()));
  EXPECT_EQ(other.read_head().value_or(test::HttpReply()).status, 200);
  listeners.pop_back();
  EXPECT_TRUE(test::eventually(5s, [&] {
    auto client = server.client();
    client.send(get(session));
    return client.read_head().value_or(test::HttpReply()).status == 200;
  }));
}

TEST(HttpTransport, H20_RunningCallsOfASessionAreLimited) {
  TestTransport server({.running_calls = 2});
  const auto session = server.initialize();
  std::vector<HttpClient> callers;
  for (int id = 1; id <= 2; ++id) {
    callers.push_back(server.client());
    callers.back().send(
        legacy_post(session, legacy_request(id, "tools/call", {{"name", "wait"}, {"_meta", {{"progressToken", id}}}})));
    ASSERT_TRUE(callers.back().read_head().has_value());
  }
  EXPECT_EQ(server.ask(legacy_post(session, legacy_request(3, "tools/list"))).status, 503);
  EXPECT_EQ(server.ask(legacy_post(session, legacy_request(3, "ping"))).status, 200) << "P7";
  // Its client can always cancel.
  const json::object cancel{
      {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", json::object{{"requestId", 1}}}};
  EXPECT_EQ(server.ask(legacy_post(session, cancel)).status, 202);
  EXPECT_TRUE(test::eventually(
      5s, [&] { return server.ask(legacy_post(session, legacy_request(3, "tools/list"))).status == 200; }));
}

TEST(HttpTransport, H19_BeyondTheMemoryOfAllSessionsTheOldestStreamsAreNotReplayed) {
  struct Case {
    std::string_view what;
    std::vector<int> bytes;     // of an answer each, in order, each of a session of its own
    std::vector<int> statuses;  // when its stream is resumed afterwards
  };
  const Case cases[] = {
      {"what fits is kept", {30'000, 30'000, 30'000}, {200, 200, 200}},
      {"the oldest gives way", {60'000, 30'000, 30'000}, {410, 200, 200}},
      {"as many as it takes", {30'000, 30'000, 90'000}, {410, 410, 200}},
      {"one that is too large by itself", {30'000, 200'000, 30'000}, {410, 410, 200}},
  };
  for (const auto& [what, bytes, statuses] : cases) {
    SCOPED_TRACE(what);
    TestTransport server({.replay_bytes = 100'000});
    std::vector<std::pair<std::string, std::string>> streams;  // session, id of the first event
    for (const int size : bytes) {
      const auto session = server.initialize();
      auto caller = server.client();
      caller.send(fill(session, size));
      ASSERT_TRUE(caller.read_head().has_value());
      streams.emplace_back(session, test::id_of_event(caller.read_event().value_or("")));
      EXPECT_EQ(test::message_of(caller.read_event().value_or("")).at("id"), 1) << "who is there gets it all the same";
    }
    for (std::size_t i = 0; i < streams.size(); ++i) {
      SCOPED_TRACE(i);
      const auto resumed = server.ask(resume(streams[i].first, streams[i].second));
      EXPECT_EQ(resumed.status, statuses[i]);
    }
  }
}

TEST(HttpTransport, H19_AStreamThatIsNoLongerKeptIsGoneAndOneThatNeverWasIsUnknown) {
  TestTransport server;
  const auto session = server.initialize();
  auto caller = server.client();
  constexpr int kStreams = 70;  // of finished ones 64 are kept
  for (int i = 0; i < kStreams; ++i) {
    caller.send(fill(session, 10));
    ASSERT_TRUE(caller.read_head().has_value());
    while (caller.read_event()) {
    }
  }
  const std::pair<std::string, int> cases[] = {{"1-0", 410}, {"70-0", 200}, {"70-1", 200}, {"71-0", 400}, {"0-0", 400}};
  for (const auto& [event, status] : cases) EXPECT_EQ(server.ask(resume(session, event)).status, status) << event;
}

TEST(HttpTransport, H19_ALaterConnectionTakesTheStreamOver) {
  TestTransport server;
  const auto session = server.initialize();
  auto caller = server.client();
  caller.send(legacy_post(session,
                          legacy_request(1, "tools/call", {{"name", "wait"}, {"_meta", {{"progressToken", 1}}}}),
                          {{"MCP-Protocol-Version", "2025-11-25"}}));
  ASSERT_TRUE(caller.read_head().has_value());
  const auto priming = caller.read_event();
  ASSERT_TRUE(priming.has_value());
  auto second = server.client();
  second.send(resume(session, test::id_of_event(*priming)));
  ASSERT_EQ(second.read_head().value_or(test::HttpReply()).status, 200);
  const auto progress = second.read_event();
  ASSERT_TRUE(progress.has_value());
  EXPECT_EQ(test::message_of(*progress).at("method"), "notifications/progress");
  while (caller.read_event(5s)) {
  }
  EXPECT_TRUE(caller.stream_ended()) << "H18: a message goes to one stream only";
}

}  // namespace
}  // namespace adit::mcp
