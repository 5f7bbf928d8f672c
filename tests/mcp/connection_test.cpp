// One connection in this process, with tools made for the test: what each message gets. The ids are those of the
// rules (docs/protocol.md); what needs the real program is in tests/programs/stdio_test.cpp and tests/wire.
#include "adit/mcp/connection.h"
#include "adit/base/json_text.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace adit::mcp {
namespace json = boost::json;
namespace {

using namespace std::string_view_literals;
using namespace std::chrono_literals;

constexpr std::string_view kModernMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

json::object parse_object(std::string_view text) { return json::parse({text.data(), text.size()}).as_object(); }

// A call of the tool "wait" that the test lets end.
struct WaitingCall {
  RequestContext context;
  io::OneShot<bool> end;
};

class Connection : public testing::Test {
 protected:
  Connection()
      : server_(server_info(), {echo(), wait(), fail()}),
        connection_(loop_, server_, [this](Outgoing message) { lines_.push_back(std::move(message.line)); }) {}

  ~Connection() override {
    connection_.cancel_all();
    for (auto& call : waiting_) call.end.set(true);
    settle();
    EXPECT_EQ(connection_.running_calls(), 0u);
  }

  // ---- The client

  void client(std::string_view message) {
    connection_.receive(message);
    settle();
  }

  // Runs what is ready, waits for nothing.
  void settle() {
    loop_.context().restart();
    loop_.context().poll();
  }

  void run_for(std::chrono::milliseconds time) {
    io::run_to_end(loop_, io::sleep_until(loop_, io::EventLoop::Clock::now() + time));
  }

  // The lines since the last look. Whatever they answer, each is one line of JSON (J8) and no request (S6).
  std::vector<json::object> take() {
    std::vector<json::object> messages;
    for (const auto& line : std::exchange(lines_, {})) {
      std::string checked;
      EXPECT_TRUE(append_checked_json(checked, line).ok()) << line;
      EXPECT_EQ(line.find_first_of("\r\n"), std::string::npos) << line;
      auto message = parse_object(line);
      EXPECT_EQ(message.at("jsonrpc"), "2.0");
      EXPECT_FALSE(message.contains("id") && message.contains("method")) << "S6: a request: " << line;
      messages.push_back(std::move(message));
    }
    return messages;
  }

  void expect_silence() {
    for (const auto& message : take()) ADD_FAILURE() << json::serialize(message);
  }

  json::object take_one() {
    auto messages = take();
    EXPECT_EQ(messages.size(), 1u);
    return messages.empty() ? json::object() : std::move(messages.front());
  }

  json::object answer_to(std::string_view message) {
    client(message);
    return take_one();
  }

  // The result of a request of which `id` is 1.
  json::object result_of(std::string_view message) {
    auto answer = answer_to(message);
    EXPECT_EQ(answer.at("id"), 1);
    if (answer.contains("result")) return answer.at("result").as_object();
    ADD_FAILURE() << message << " gets " << json::serialize(answer);
    return {};
  }

  std::int64_t error_code_of(std::string_view message) {
    const auto answer = answer_to(message);
    if (answer.contains("error")) return answer.at("error").at("code").as_int64();
    ADD_FAILURE() << message << " gets " << json::serialize(answer);
    return 0;
  }

  static std::string legacy(std::string_view method, std::string_view params = "{}", std::string_view id = "1") {
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id, method, params);
  }

  // `members`: further ones of params.
  static std::string modern(std::string_view method, std::string_view members = "", std::string_view id = "1") {
    return legacy(method, fmt::format("{{{}{}{}}}", kModernMeta, members.empty() ? "" : ",", members), id);
  }

  static std::string echo_call(std::string_view arguments, std::string_view id = "1") {
    return modern("tools/call", fmt::format(R"("name":"echo","arguments":{})", arguments), id);
  }

  static std::string wait_call(std::string_view id) { return modern("tools/call", R"("name":"wait")", id); }

  void initialize(std::string_view version = "2025-11-25") {
    client(legacy(
        "initialize",
        fmt::format(R"({{"protocolVersion":"{}","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}})",
                    version)));
    client(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    EXPECT_EQ(take().size(), 1u);
  }

  void cancel(std::string_view id) {
    client(fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{}}}}})", id));
  }

  // ---- The tools

  static ServerInfo server_info() {
    ServerInfo info;
    info.name = "test-server";
    info.title = "Test server";
    info.version = "1.2.3";
    info.description = "A server for tests";
    info.instructions = "Call echo.";
    return info;
  }

  static ToolResult tool_result(std::string structured, std::string text = "") {
    ToolResult result;
    result.structured = std::move(structured);
    result.text = std::move(text);
    return result;
  }

  static ToolResult error_result(const Error& error) {
    json::object object{{"message", error.message}, {"hint", error.hint}, {"nearest", json::value_from(error.nearest)}};
    auto result = tool_result(json::serialize(json::object{{"error", object}}));
    result.is_error = true;
    return result;
  }

  Tool tool(std::string name, std::string_view properties, std::string_view required,
            std::function<Task<ToolResult>(RequestContext, json::object)> call) {
    Tool made;
    made.name = std::move(name);
    made.title = "A title";
    made.description = "A description";
    made.input_schema = {{"type", "object"},
                         {"properties", parse_object(properties)},
                         {"required", json::parse({required.data(), required.size()})},
                         {"additionalProperties", false}};
    made.output_schema = {{"type", "object"}};
    made.annotations.read_only = true;
    made.annotations.destructive = false;
    made.annotations.idempotent = true;
    made.annotations.open_world = false;
    made.call = std::move(call);
    made.render_error = error_result;
    return made;
  }

  static Task<ToolResult> run_echo(int& runs, json::object arguments) {
    ++runs;
    co_return tool_result(json::serialize(arguments));
  }

  Tool echo() {
    return tool("echo", R"({"text":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":1000},"any":{}})",
                R"(["text"])",
                [this](RequestContext, json::object arguments) { return run_echo(echo_runs_, std::move(arguments)); });
  }

  static Task<ToolResult> run_wait(std::vector<WaitingCall>& waiting, io::EventLoop& loop, RequestContext context) {
    io::OneShot<bool> end(loop);
    waiting.push_back({context, end});
    const auto guard = context.on_cancel([end] { end.set(true); });
    co_await end.wait();
    co_return tool_result(R"({"waited":true})", "It has waited");
  }

  Tool wait() {
    return tool("wait", "{}", "[]",
                [this](RequestContext context, json::object) { return run_wait(waiting_, loop_, std::move(context)); });
  }

  static Task<ToolResult> run_fail(json::object arguments) {
    co_return Error{.code = static_cast<ErrorCode>(arguments.at("code").as_int64()),
                    .reason = "",
                    .message = "It failed",
                    .hint = "Do something else"};
  }

  Tool fail() {
    return tool("fail", R"({"code":{"type":"integer"}})", R"(["code"])",
                [](RequestContext, json::object arguments) { return run_fail(std::move(arguments)); });
  }

  void end_wait(std::size_t index) {
    waiting_.at(index).end.set(true);
    settle();
  }

  io::EventLoop loop_;
  int echo_runs_ = 0;
  std::vector<WaitingCall> waiting_;
  Server server_;
  std::vector<std::string> lines_;
  mcp::Connection connection_;
};

// ---- Which era

TEST_F(Connection, E1_TheMarkInMetaMakesARequestModernWithoutInitialize) {
  const auto list = result_of(modern("tools/list"));
  EXPECT_EQ(list.at("resultType"), "complete");
  EXPECT_EQ(list.at("tools").as_array().size(), 3u);
  const auto called = result_of(echo_call(R"({"text":"x"})"));
  EXPECT_EQ(called.at("resultType"), "complete");
  EXPECT_EQ(called.at("structuredContent").at("text"), "x");
}

TEST_F(Connection, E1_TheMarkHoldsForEachRequestByItself) {
  initialize();
  EXPECT_EQ(result_of(modern("tools/list")).at("resultType"), "complete");
  EXPECT_FALSE(result_of(legacy("tools/list")).contains("resultType"));
}

TEST_F(Connection, E2_DiscoverAndListenWithoutTheMarkAreMalformedNotUnknown) {
  for (const auto* method : {"server/discover", "subscriptions/listen"}) {
    for (const auto* params :
         {"{}", R"({"_meta":{}})", R"({"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}})"}) {
      SCOPED_TRACE(fmt::format("{} {}", method, params));
      EXPECT_EQ(error_code_of(legacy(method, params)), -32602);
    }
    EXPECT_EQ(error_code_of(fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}"}})", method)), -32602);
  }
  initialize();
  EXPECT_EQ(error_code_of(legacy("server/discover")), -32602) << "after a legacy handshake as well";
}

TEST_F(Connection, E3_InitializeWithoutTheMarkIsLegacyAndSpeaksTheAskedRevision) {
  for (const auto* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    SCOPED_TRACE(version);
    const auto result = result_of(legacy("initialize", fmt::format(R"({{"protocolVersion":"{}"}})", version)));
    EXPECT_EQ(result.at("protocolVersion"), version);
    EXPECT_FALSE(result.contains("resultType"));
    EXPECT_FALSE(result_of(legacy("tools/list")).contains("resultType"));
  }
}

TEST_F(Connection, E4_MethodsOfTheLegacyEraDoNotExistWhenMarkedModern) {
  for (const auto* method :
       {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}) {
    SCOPED_TRACE(method);
    EXPECT_EQ(error_code_of(modern(method, R"("protocolVersion":"2025-11-25","level":"info","uri":"a:b")")), -32601);
  }
  EXPECT_EQ(error_code_of(legacy("tools/list")), -32600) << "the marked initialize has initialized nothing";
}

TEST_F(Connection, E5_ADiscoverProbeThenInitializeThenBothErasWorkOnOneConnection) {
  EXPECT_TRUE(result_of(modern("server/discover")).contains("supportedVersions"));
  initialize();
  EXPECT_EQ(result_of(legacy("tools/call", R"({"name":"echo","arguments":{"text":"old"}})"))
                .at("structuredContent")
                .at("text"),
            "old");
  EXPECT_EQ(result_of(echo_call(R"({"text":"new"})")).at("structuredContent").at("text"), "new");
  EXPECT_TRUE(result_of(modern("server/discover")).contains("supportedVersions"));
  EXPECT_EQ(result_of(legacy("ping")), json::object());
}

TEST_F(Connection, E5_ADiscoverThatIsRefusedLeavesInitializePossible) {
  EXPECT_EQ(error_code_of(legacy("server/discover")), -32602);
  initialize("2025-06-18");
  EXPECT_EQ(result_of(legacy("tools/list")).at("tools").as_array().size(), 3u);
}

TEST_F(Connection, E6_AnUnknownModernVersionGetsTheListOfKnownOnesWhateverTheMethod) {
  constexpr std::string_view kMeta =
      R"({{"_meta":{{"io.modelcontextprotocol/protocolVersion":"{}","io.modelcontextprotocol/clientCapabilities":{{}}}}}})";
  for (const auto* version : {"2099-01-01", "2025-11-25", "", "DRAFT-2027"}) {
    for (const auto* method : {"server/discover", "tools/list", "tools/call", "initialize", "no/such/method"}) {
      SCOPED_TRACE(fmt::format("{} {}", version, method));
      const auto answer = answer_to(legacy(method, fmt::format(fmt::runtime(kMeta), version)));
      ASSERT_TRUE(answer.contains("error"));
      EXPECT_EQ(answer.at("error").at("code"), -32022);
      EXPECT_EQ(answer.at("error").at("data").at("supported"), (json::array{"2026-07-28"}));
      EXPECT_EQ(answer.at("error").at("data").at("requested"), version);
    }
  }
}

TEST_F(Connection, E7_AnUnknownLegacyVersionGetsOurNewestOneAndIsNeitherEchoedNorAnError) {
  for (const auto* params : {R"({"protocolVersion":"2099-01-01"})", R"({"protocolVersion":"1.0"})",
                             R"({"protocolVersion":""})", R"({"protocolVersion":"2026-07-28"})",
                             R"({"protocolVersion":20251125})", R"({"protocolVersion":null})", "{}"}) {
    SCOPED_TRACE(params);
    EXPECT_EQ(result_of(legacy("initialize", params)).at("protocolVersion"), "2025-11-25");
  }
}

TEST_F(Connection, E8_VersionAndCapabilitiesAreRequiredClientInfoIsNot) {
  constexpr auto kVersion = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")";
  const auto with_meta = [](std::string_view meta) {
    return legacy("tools/list", fmt::format(R"({{"_meta":{{{}}}}})", meta));
  };
  EXPECT_EQ(error_code_of(with_meta(kVersion)), -32602);
  EXPECT_EQ(
      error_code_of(with_meta(fmt::format("{},{}", kVersion, R"("io.modelcontextprotocol/clientCapabilities":"all")"))),
      -32602);
  EXPECT_EQ(error_code_of(with_meta(R"("io.modelcontextprotocol/protocolVersion":1,
                                       "io.modelcontextprotocol/clientCapabilities":{})")),
            -32602);
  result_of(with_meta(fmt::format("{},{}", kVersion, R"("io.modelcontextprotocol/clientCapabilities":{})")));
  result_of(with_meta(fmt::format("{},{}", kVersion, R"("io.modelcontextprotocol/clientCapabilities":{"roots":{}},
                                  "io.modelcontextprotocol/clientInfo":{"name":"n","version":"1"})")));
}

// ---- JSON-RPC

TEST_F(Connection, J1_AnIdComesBackWithItsTypeAndItsValue) {
  for (const auto* id : {"0", "-1", "7", "\"7\"", "\"\"", "9007199254740993", "18446744073709551615",
                         "-9223372036854775808", R"("é \" \\ \n")"}) {
    SCOPED_TRACE(id);
    EXPECT_EQ(answer_to(modern("tools/list", "", id)).at("id"), json::parse(id));
    EXPECT_EQ(answer_to(echo_call(R"({"text":"x"})", id)).at("id"), json::parse(id));
    EXPECT_EQ(answer_to(modern("no/such/method", "", id)).at("id"), json::parse(id));
  }
}

TEST_F(Connection, J1_AnIdThatIsNoStringOrIntegerIsAnInvalidRequestAndNothingRuns) {
  for (const auto* id : {"null", "1.5", "1.0", "1e2", "true", "false", "{}", "[]", "[1]"}) {
    SCOPED_TRACE(id);
    const auto answer = answer_to(echo_call(R"({"text":"x"})", id));
    EXPECT_EQ(answer.at("error").at("code"), -32600);
    EXPECT_FALSE(answer.contains("id")) << "J3: it could not be read";
  }
  EXPECT_EQ(echo_runs_, 0);
}

TEST_F(Connection, J2_ARequestWithoutAnIdIsNotAnsweredAndDoesNotRun) {
  const auto without_id = [](const std::string& message) {
    auto object = parse_object(message);
    object.erase("id");
    return json::serialize(object);
  };
  client(without_id(echo_call(R"({"text":"x"})")));
  client(without_id(modern("tools/list")));
  client(without_id(modern("no/such/method")));
  client(without_id(modern("tools/call", R"("name":"no-such-tool")")));
  client(without_id(legacy("ping")));
  client(without_id(legacy("initialize", R"({"protocolVersion":"2025-11-25"})")));
  client(R"({"jsonrpc":"2.0","method":"tools/list"})");
  expect_silence();
  EXPECT_EQ(echo_runs_, 0);
  EXPECT_EQ(error_code_of(legacy("tools/list")), -32600) << "the notification has initialized nothing";
}

TEST_F(Connection, J2_NotificationsAreNotAnsweredKnownOrNot) {
  client(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  client(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{}})");
  client(R"({"jsonrpc":"2.0","method":"notifications/no-such"})");
  client(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})");
  client(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}})");
  expect_silence();
}

// JSON-RPC 2.0, 4.1 and 4.2: params may be a list, and a notification is never answered, not even by an error.
TEST_F(Connection, J2_ANotificationWhoseParamsAreNoObjectIsNotAnsweredEither) {
  client(R"({"jsonrpc":"2.0","method":"notifications/no-such","params":[1,2]})");
  client(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":"7"})");
  expect_silence();
}

TEST_F(Connection, J2_ResponsesAreNotAnsweredSinceWeSendNoRequests) {
  client(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  client(R"({"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"m"}})");
  client(R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}})");
  expect_silence();
}

// JSON-RPC 2.0, 5: the error about a message whose id could not be read has the id null. To answer it with an error
// would start a game of tennis.
TEST_F(Connection, J2_AnErrorResponseWithTheIdNullIsNotAnswered) {
  client(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}})");
  expect_silence();
}

TEST_F(Connection, J3_EachKindOfBadMessageHasItsCode) {
  struct Case {
    std::string_view what, message;
    std::int64_t code;
    bool has_id;
  };
  initialize();
  const Case cases[] = {
      {"no JSON", "hello", -32700, false},
      {"cut JSON", R"({"jsonrpc":"2.0","id":1)", -32700, false},
      {"a batch", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", -32600, false},
      {"no request", "42", -32600, false},
      {"no method", R"({"jsonrpc":"2.0","id":1})", -32600, true},
      {"no version", R"({"id":1,"method":"ping"})", -32600, true},
      {"unknown method", R"({"jsonrpc":"2.0","id":1,"method":"no/such"})", -32601, true},
      {"methods have case", R"({"jsonrpc":"2.0","id":1,"method":"Ping"})", -32601, true},
      {"params no object", R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]})", -32602, true},
      {"unknown tool", R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no"}})", -32602, true},
      {"unknown cursor", R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}})", -32602, true},
      {"empty cursor", R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":""}})", -32602, true},
  };
  for (const auto& [what, message, code, has_id] : cases) {
    SCOPED_TRACE(what);
    const auto answer = answer_to(message);
    ASSERT_TRUE(answer.contains("error"));
    EXPECT_EQ(answer.at("error").at("code"), code);
    EXPECT_FALSE(answer.at("error").at("message").as_string().empty());
    EXPECT_EQ(answer.contains("id"), has_id);
    if (has_id) EXPECT_EQ(answer.at("id"), 1);
  }
  EXPECT_EQ(result_of(legacy("ping")), json::object()) << "the next message is served";
}

TEST_F(Connection, J4_AFailureOfAToolIsNoJsonRpcError) {
  for (const auto code : {-32000, -32001, -32002, -32003, -32004, -32007, -32042, -32602, -32603}) {
    SCOPED_TRACE(code);
    const auto call = fmt::format(R"("name":"fail","arguments":{{"code":{}}})", code);
    const auto result = result_of(modern("tools/call", call));
    EXPECT_EQ(result.at("isError"), true);
    EXPECT_EQ(result.at("structuredContent").at("error").at("message"), "It failed");
  }
}

TEST_F(Connection, J5_UnknownMembersAndMetaKeysAreIgnored) {
  const auto list = result_of(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/list","auth":"x","params":{"unknown":[1],"_meta":{
          "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},
          "com.example/trace":{"a":1},"traceparent":"00-0"}}})");
  EXPECT_EQ(list.at("tools").as_array().size(), 3u);
  result_of(modern("tools/call", R"("name":"echo","arguments":{"text":"x"},"unknown":true)"));
}

TEST_F(Connection, J5_MetaKeysOfOurOwnAreUnderAPrefix) {
  for (const auto& message : {modern("server/discover"), modern("tools/list"), echo_call(R"({"text":"x"})")}) {
    const auto result = result_of(message);
    for (const auto& member : result.at("_meta").as_object()) {
      EXPECT_NE(std::string_view(member.key()).find('/'), std::string_view::npos) << member.key();
    }
  }
}

TEST_F(Connection, J6_AnIdThatIsUnderWayIsRefusedAndTheFirstCallGoesOn) {
  client(wait_call("7"));
  expect_silence();
  for (const auto& second : {wait_call("7"), echo_call(R"({"text":"x"})", "7"), modern("tools/list", "", "7")}) {
    const auto answer = answer_to(second);
    EXPECT_EQ(answer.at("id"), 7);
    EXPECT_EQ(answer.at("error").at("code"), -32600);
  }
  EXPECT_EQ(echo_runs_, 0);
  EXPECT_EQ(waiting_.size(), 1u);
  end_wait(0);
  const auto first = take_one();
  EXPECT_EQ(first.at("id"), 7);
  EXPECT_EQ(first.at("result").at("structuredContent").at("waited"), true);
  result_of(modern("tools/list"));
  EXPECT_EQ(answer_to(echo_call(R"({"text":"x"})", "7")).at("id"), 7) << "answered: the id is free again";
  EXPECT_EQ(echo_runs_, 1);
}

TEST_F(Connection, J6_ANumberAndATextAreDifferentIds) {
  client(wait_call("7"));
  client(wait_call("\"7\""));
  expect_silence();
  EXPECT_EQ(waiting_.size(), 2u);
  end_wait(1);
  EXPECT_EQ(take_one().at("id"), "7");
  end_wait(0);
  EXPECT_EQ(take_one().at("id"), 7);
}

TEST_F(Connection, J7_BadUtf8AndDepthGetOneErrorAndTheNextMessageIsServed) {
  const std::string deep = std::string(129, '[') + std::string(129, ']');
  const std::string deeper = std::string(1'000'000, '[');
  for (const auto& arguments : {std::string("{\"text\":\"\xFF\"}"), std::string("{\"text\":\"\xC3\"}"),
                                R"({"text":"x","any":)" + deep + "}", R"({"any":)" + deeper}) {
    const auto answer = answer_to(echo_call(arguments));
    EXPECT_EQ(answer.at("error").at("code"), -32700);
    EXPECT_FALSE(answer.contains("id"));
    EXPECT_EQ(result_of(echo_call(R"({"text":"good"})")).at("structuredContent").at("text"), "good");
  }
}

TEST_F(Connection, J7_AMessageThatTheTransportRefusedIsOneErrorWithoutAnId) {
  connection_.refuse({.code = ErrorCode::invalid_request, .reason = "", .message = "too long", .hint = ""});
  const auto answer = take_one();
  EXPECT_EQ(answer.at("error").at("code"), -32600);
  EXPECT_FALSE(answer.contains("id"));
}

TEST_F(Connection, J8_TextsOfTheClientThatAreCutStayValidUtf8) {
  // take() checks each line. The cut falls into a character at one of these lengths.
  for (std::size_t size = 95; size < 105; ++size) {
    const auto name = std::string(size, 'x') + "😀é€";
    EXPECT_EQ(error_code_of(modern("tools/call", fmt::format(R"("name":"{}")", name))), -32602);
    EXPECT_EQ(error_code_of(modern(name)), -32601);
    const auto text = std::string(size - 30, 'x') + "😀é€😀é€";
    result_of(echo_call(fmt::format(R"({{"text":"x","limit":"{}"}})", text)));
    result_of(echo_call(fmt::format(R"({{"text":"x","{}":1}})", text)));
  }
}

TEST_F(Connection, J8_ControlCharactersAndQuotesOfTheClientComeBackEscaped) {
  const auto answer = answer_to(modern("tools/call", R"("name":"a\n\"\\\u0000\u2028")"));
  EXPECT_EQ(answer.at("error").at("code"), -32602);
  EXPECT_EQ(error_code_of(modern(R"(a\r\n\"b\\)")), -32601);
}

// ---- Discovery and initialize

TEST_F(Connection, D1_DiscoverTellsVersionsCapabilitiesInstructionsAndHowLongToKeepThem) {
  const auto result = result_of(modern("server/discover"));
  EXPECT_EQ(result.at("resultType"), "complete");
  EXPECT_EQ(result.at("supportedVersions"), (json::array{"2026-07-28"})) << "modern ones only";
  EXPECT_EQ(json::serialize(result.at("capabilities")), R"({"tools":{}})");
  EXPECT_EQ(result.at("instructions"), "Call echo.");
  EXPECT_GT(result.at("ttlMs").as_int64(), 0);
  EXPECT_EQ(result.at("cacheScope"), "public");
}

TEST_F(Connection, D2_ModernResultsTellTheServerInMetaAndNotInTheBody) {
  for (const auto& message :
       {modern("server/discover"), modern("tools/list"), echo_call(R"({"text":"x"})"), echo_call("{}")}) {
    SCOPED_TRACE(message);
    const auto result = result_of(message);
    EXPECT_EQ(result.at("resultType"), "complete");
    EXPECT_FALSE(result.contains("serverInfo"));
    const auto& info = result.at("_meta").at("io.modelcontextprotocol/serverInfo");
    EXPECT_EQ(info.at("name"), "test-server");
    EXPECT_EQ(info.at("version"), "1.2.3");
  }
}

TEST_F(Connection, D3_WhatIsDeclaredWorksAndWhatIsNotIsUnknown) {
  initialize();
  const auto capabilities = result_of(modern("server/discover")).at("capabilities");
  ASSERT_EQ(capabilities.as_object().size(), 1u);
  result_of(modern("tools/list"));
  result_of(legacy("tools/list"));
  for (const auto* method :
       {"prompts/list", "prompts/get", "resources/list", "resources/read", "resources/templates/list",
        "resources/subscribe", "completion/complete", "tasks/list", "tasks/get"}) {
    SCOPED_TRACE(method);
    EXPECT_EQ(error_code_of(modern(method)), -32601);
    EXPECT_EQ(error_code_of(legacy(method)), -32601);
  }
  EXPECT_EQ(error_code_of(modern("logging/setLevel")), -32601);
  result_of(legacy("logging/setLevel", R"({"level":"info"})"));
  EXPECT_EQ(error_code_of(modern("subscriptions/listen")), -32601) << "P6: we declare no notices of change";
}

TEST_F(Connection, D4_InitializeTellsTheServerAndItsCapabilities) {
  const auto result = result_of(legacy("initialize", R"({"protocolVersion":"2025-11-25","capabilities":{}})"));
  EXPECT_EQ(json::serialize(result.at("capabilities")), R"({"tools":{},"logging":{}})");
  EXPECT_EQ(result.at("serverInfo").at("name"), "test-server");
  EXPECT_EQ(result.at("serverInfo").at("title"), "Test server");
  EXPECT_EQ(result.at("serverInfo").at("version"), "1.2.3");
  EXPECT_EQ(result.at("instructions"), "Call echo.");
  EXPECT_FALSE(result.contains("supportedVersions"));
}

TEST_F(Connection, D4_FieldsNewerThanTheRevisionAreLeftOut) {
  struct Case {
    std::string_view version;
    std::vector<std::string> newer;  // members of an entry of tools/list that the revision does not have
    bool structured;
  };
  const Case cases[] = {
      {"2024-11-05", {"title", "outputSchema", "annotations", "icons", "execution", "_meta"}, false},
      {"2025-03-26", {"title", "outputSchema", "icons", "execution", "_meta"}, false},
      {"2025-06-18", {"icons", "execution"}, true},
      {"2025-11-25", {}, true},
  };
  for (const auto& [version, newer, structured] : cases) {
    SCOPED_TRACE(version);
    initialize(version);
    const auto list = result_of(legacy("tools/list"));
    for (const auto* member : {"ttlMs", "cacheScope", "resultType", "_meta"}) EXPECT_FALSE(list.contains(member));
    for (const auto& tool : list.at("tools").as_array()) {
      for (const auto& member : newer) EXPECT_FALSE(tool.as_object().contains(member)) << member;
      for (const auto* member : {"name", "description", "inputSchema"}) EXPECT_TRUE(tool.as_object().contains(member));
    }
    const auto result = result_of(legacy("tools/call", R"({"name":"echo","arguments":{"text":"x"}})"));
    EXPECT_EQ(result.contains("structuredContent"), structured);
    EXPECT_EQ(result.at("content").at(0).at("text"), R"({"text":"x"})");
    EXPECT_FALSE(result.contains("resultType"));
  }
}

TEST_F(Connection, D5_BeforeInitializeOnlyPingIsAnswered) {
  EXPECT_EQ(result_of(legacy("ping")), json::object());
  for (const auto* method : {"tools/list", "tools/call", "prompts/list", "no/such/method"}) {
    SCOPED_TRACE(method);
    const auto answer = answer_to(legacy(method, R"({"name":"echo","arguments":{"text":"x"}})"));
    EXPECT_EQ(answer.at("error").at("code"), -32600);
    EXPECT_NE(answer.at("error").at("data").at("hint").as_string().find("initialize"), std::string::npos);
  }
  EXPECT_EQ(echo_runs_, 0);
}

TEST_F(Connection, D5_AClientThatForgetsInitializedIsServed) {
  result_of(legacy("initialize", R"({"protocolVersion":"2025-11-25"})"));
  result_of(legacy("tools/list"));
}

TEST_F(Connection, P7_PingIsAnsweredWhileCallsRun) {
  initialize();
  client(wait_call("7"));
  EXPECT_EQ(result_of(legacy("ping")), json::object());
}

// ---- Tools

TEST_F(Connection, T2_TheListIsTheSameEachTimeAndInTheServersOrder) {
  initialize();
  const auto first = result_of(modern("tools/list"));
  std::vector<std::string> names;
  for (const auto& tool : first.at("tools").as_array()) names.emplace_back(tool.at("name").as_string());
  EXPECT_EQ(names, (std::vector<std::string>{"echo", "wait", "fail"}));
  EXPECT_EQ(json::serialize(result_of(modern("tools/list"))), json::serialize(first));
  EXPECT_EQ(result_of(legacy("tools/list")).at("tools"), first.at("tools"));
}

TEST_F(Connection, T5_AllFourHintsAreAlwaysTold) {
  const auto tools = result_of(modern("tools/list")).at("tools").as_array();
  for (const auto& tool : tools) {
    const auto& hints = tool.at("annotations");
    EXPECT_EQ(hints.at("readOnlyHint"), true);
    EXPECT_EQ(hints.at("destructiveHint"), false);
    EXPECT_EQ(hints.at("idempotentHint"), true);
    EXPECT_EQ(hints.at("openWorldHint"), false);
  }
}

TEST_F(Connection, T8_ArgumentsThatDoNotFitAreAToolErrorThatSaysWhatIsWrongAndTheToolDoesNotRun) {
  struct Case {
    std::string_view arguments;
    std::vector<std::string_view> said;
  };
  const Case cases[] = {
      {"{}", {"text", "required"}},
      {R"({"text":5})", {"text", "5", "string"}},
      {R"({"text":"x","limit":0})", {"limit", "0", "at least 1"}},
      {R"({"text":"x","limit":1001})", {"limit", "1001", "at most 1000"}},
      {R"({"text":"x","limit":"10"})", {"limit", "10", "integer"}},
      {R"({"text":"x","limit":1.5})", {"limit", "1.5", "integer"}},
      {R"({"text":"x","limit":null})", {"limit", "null", "integer"}},
      {R"({"text":"x","limt":5})", {"limt", "limit", "not known"}},
      {R"({"Text":"x"})", {"Text", "text", "not known"}},
  };
  initialize();
  for (const auto& [arguments, said] : cases) {
    SCOPED_TRACE(arguments);
    const auto old = legacy("tools/call", fmt::format(R"({{"name":"echo","arguments":{}}})", arguments));
    for (const auto& message : {echo_call(arguments), old}) {
      const auto result = result_of(message);
      ASSERT_TRUE(result.contains("isError"));
      EXPECT_EQ(result.at("isError"), true);
      const std::string text(result.at("content").at(0).at("text").as_string());
      for (const auto part : said) EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    }
  }
  EXPECT_EQ(echo_runs_, 0);
  EXPECT_EQ(connection_.running_calls(), 0u);
}

TEST_F(Connection, T8_AnUnknownArgumentIsToldWithTheNearestName) {
  const auto result = result_of(echo_call(R"({"text":"x","limt":5})"));
  EXPECT_EQ(result.at("structuredContent").at("error").at("nearest"), (json::array{"limit"}));
}

TEST_F(Connection, T9_AnUnknownToolIsInvalidParams) {
  initialize();
  for (const auto* name : {R"("no")", R"("")", R"("Echo")", R"("echo ")", "null", "5", R"(["echo"])"}) {
    SCOPED_TRACE(name);
    const auto params = fmt::format(R"("name":{},"arguments":{{"text":"x"}})", name);
    EXPECT_EQ(error_code_of(modern("tools/call", params)), -32602);
    EXPECT_EQ(error_code_of(legacy("tools/call", "{" + params + "}")), -32602);
  }
  EXPECT_EQ(error_code_of(modern("tools/call", R"("arguments":{})")), -32602) << "no name at all";
  EXPECT_EQ(echo_runs_, 0);
}

TEST_F(Connection, T9_TheErrorNamesTheUnknownToolTheNearestOneAndWhereAllAreListed) {
  struct Case {
    std::string_view name, message;
  };
  constexpr Case cases[] = {
      {"ecoh", R"(There is no tool "ecoh". Did you mean echo? tools/list shows what there is.)"},
      {"Echo", R"(There is no tool "Echo". Did you mean echo? tools/list shows what there is.)"},
      {"frobnicate", R"(There is no tool "frobnicate". tools/list shows what there is.)"},
  };
  for (const auto& [name, message] : cases) {
    SCOPED_TRACE(name);
    const auto answer = answer_to(modern("tools/call", fmt::format(R"("name":"{}")", name)));
    EXPECT_EQ(answer.at("error").at("message"), json::string(message));
  }
}

TEST_F(Connection, T9_MissingArgumentsAreAnEmptyObject) {
  const auto result = result_of(modern("tools/call", R"("name":"echo")"));
  EXPECT_EQ(result.at("isError"), true) << "the schema then wants text";
  client(modern("tools/call", R"("name":"wait")"));
  EXPECT_EQ(waiting_.size(), 1u) << "and a tool that needs none runs";
}

TEST_F(Connection, T9_ArgumentsThatAreNoObjectAreInvalidParams) {
  for (const auto* arguments : {R"("{\"text\":\"x\"}")", "[]", R"(["x"])", "5", "true"}) {
    SCOPED_TRACE(arguments);
    const auto answer = answer_to(echo_call(arguments));
    ASSERT_TRUE(answer.contains("error"));
    EXPECT_EQ(answer.at("error").at("code"), -32602);
    EXPECT_NE(answer.at("error").at("message").as_string().find("arguments"), std::string::npos);
  }
  EXPECT_EQ(echo_runs_, 0);
}

TEST_F(Connection, T10_WhatATextToolTellsStandsInBothForms) {
  const auto result = result_of(modern("tools/call", R"("name":"fail","arguments":{"code":-32000})"));
  const auto text = json::parse(result.at("content").at(0).at("text").as_string());
  EXPECT_EQ(text, result.at("structuredContent"));
  EXPECT_EQ(text.at("error").at("hint"), "Do something else");
}

TEST_F(Connection, T13_ASuccessHasATextBlockAndStructuredContentAndNoErrorFlag) {
  const auto same = result_of(echo_call(R"({"text":"a \"quote\" é\n"})"));
  EXPECT_FALSE(same.contains("isError") && same.at("isError").as_bool());
  ASSERT_EQ(same.at("content").as_array().size(), 1u);
  EXPECT_EQ(same.at("content").at(0).at("type"), "text");
  EXPECT_EQ(json::parse(same.at("content").at(0).at("text").as_string()), same.at("structuredContent"));
  client(wait_call("1"));
  end_wait(0);
  const auto own = take_one().at("result").as_object();
  EXPECT_EQ(own.at("content").at(0).at("text"), "It has waited") << "a text of the tool's own";
  EXPECT_EQ(own.at("structuredContent"), (json::value{{"waited", true}}));
}

TEST_F(Connection, CallsRunSideBySideAndAreAnsweredAsTheyEnd) {
  client(wait_call("1"));
  client(wait_call("2"));
  client(wait_call("3"));
  EXPECT_EQ(connection_.running_calls(), 3u);
  EXPECT_EQ(answer_to(echo_call(R"({"text":"x"})", "4")).at("id"), 4);
  for (const std::size_t index : {1u, 2u, 0u}) {
    end_wait(index);
    EXPECT_EQ(take_one().at("id"), index + 1);
  }
  EXPECT_EQ(connection_.running_calls(), 0u);
}

TEST_F(Connection, T17_ATaskIsRefusedWhereTheRevisionKnowsTasksAndIgnoredElsewhere) {
  constexpr std::string_view kCall = R"({"name":"echo","arguments":{"text":"x"},"task":{"ttl":1000}})";
  initialize("2025-11-25");
  EXPECT_EQ(error_code_of(legacy("tools/call", kCall)), -32601);
  EXPECT_EQ(echo_runs_, 0);
  initialize("2025-06-18");
  result_of(legacy("tools/call", kCall));
  result_of(modern("tools/call", R"("name":"echo","arguments":{"text":"x"},"task":{})"));
  EXPECT_EQ(echo_runs_, 2);
  EXPECT_EQ(json::serialize(result_of(modern("tools/list"))).find("taskSupport"), std::string::npos);
}

// ---- Cancelling

TEST_F(Connection, S5_ACancelledCallIsToldSoAndNeverAnswered) {
  initialize();
  const std::pair<std::string, std::string> calls[] = {
      {wait_call("7"), "7"},
      {wait_call("\"seven\""), "\"seven\""},
      {legacy("tools/call", R"({"name":"wait"})", "8"), "8"},
  };
  for (const auto& [call, id] : calls) {
    SCOPED_TRACE(id);
    client(call);
    ASSERT_EQ(connection_.running_calls(), 1u);
    EXPECT_FALSE(waiting_.back().context.cancelled());
    cancel(id);
    EXPECT_TRUE(waiting_.back().context.cancelled());
    EXPECT_EQ(connection_.running_calls(), 0u);
    expect_silence();
  }
}

TEST_F(Connection, S5_OtherCallsGoOn) {
  client(wait_call("1"));
  client(wait_call("2"));
  cancel("1");
  EXPECT_FALSE(waiting_[1].context.cancelled());
  end_wait(1);
  EXPECT_EQ(take_one().at("id"), 2);
}

TEST_F(Connection, S5_CancellingWhatIsUnknownFinishedOrUnnamedIsIgnored) {
  client(wait_call("7"));
  for (const auto* params : {R"({"requestId":8})", R"({"requestId":"7"})", R"({"requestId":7.0})",
                             R"({"requestId":null})", R"({"requestId":[7]})", R"({"id":7})", "{}"}) {
    SCOPED_TRACE(params);
    client(fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}})", params));
    EXPECT_FALSE(waiting_[0].context.cancelled());
  }
  expect_silence();
  end_wait(0);
  EXPECT_EQ(take_one().at("id"), 7);
  cancel("7");
  cancel("7");
  expect_silence();
  result_of(modern("tools/list"));
}

TEST_F(Connection, S5_ANotificationOfAnotherNameCancelsNothing) {
  client(wait_call("7"));
  client(R"({"jsonrpc":"2.0","method":"notifications/canceled","params":{"requestId":7}})");
  client(R"({"jsonrpc":"2.0","method":"notifications/initialized","params":{"requestId":7}})");
  EXPECT_FALSE(waiting_[0].context.cancelled());
}

// The tool of this test ends only when it is let, as one that is deep in a library's call.
TEST_F(Connection, S5_TheIdOfACancelledCallIsFreeThoughItsWorkHasNotEnded) {
  std::vector<io::OneShot<bool>> ends;
  auto stubborn = tool("stubborn", "{}", "[]", [&](RequestContext, json::object) {
    ends.emplace_back(loop_);
    return [](io::OneShot<bool> end) -> Task<ToolResult> {
      co_await end.wait();
      co_return tool_result("{}");
    }(ends.back());
  });
  const Server server({}, {stubborn});
  mcp::Connection connection(loop_, server, [this](Outgoing message) { lines_.push_back(std::move(message.line)); });
  const auto call = modern("tools/call", R"("name":"stubborn")", "7");
  const auto receive = [&](std::string_view message) {
    connection.receive(message);
    settle();
  };
  receive(call);
  receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})");
  EXPECT_EQ(connection.running_calls(), 1u);
  receive(call);
  expect_silence();
  EXPECT_EQ(connection.running_calls(), 2u);
  ends[0].set(true);
  settle();
  expect_silence();
  receive(call);
  EXPECT_EQ(take_one().at("error").at("code"), -32600) << "the second call still has the id";
  ends[1].set(true);
  settle();
  EXPECT_EQ(take_one().at("id"), 7);
  EXPECT_EQ(connection.running_calls(), 0u);
}

TEST_F(Connection, J3_AnExceptionInAToolCostsItsOwnCallAlone) {
  const auto broken = tool("broken", "{}", "[]", [](RequestContext, json::object) -> Task<ToolResult> {
    throw std::runtime_error("index 7 of a vector");
  });
  const Server server({}, {broken});
  mcp::Connection connection(loop_, server, [this](Outgoing message) { lines_.push_back(std::move(message.line)); });
  for (const auto* id : {"7", "8"}) {
    connection.receive(modern("tools/call", R"("name":"broken")", id));
    settle();
    const auto answer = take_one();
    EXPECT_EQ(answer.at("error").at("code"), -32603);
    EXPECT_EQ(json::serialize(answer).find("index 7 of a vector"), std::string::npos);
  }
  EXPECT_EQ(connection.running_calls(), 0u);
}

TEST_F(Connection, S3_CancelAllEndsEveryCallWithoutAnswersAndJoinWaitsForThem) {
  client(wait_call("1"));
  client(wait_call("2"));
  connection_.cancel_all();
  EXPECT_TRUE(waiting_[0].context.cancelled());
  EXPECT_TRUE(waiting_[1].context.cancelled());
  io::run_to_end(loop_, connection_.join());
  EXPECT_EQ(connection_.running_calls(), 0u);
  expect_silence();
  connection_.cancel_all();
}

// ---- What a transport with a stream for each request needs

TEST_F(Connection, H18_AReplyGoesWhereItsMessageCameFrom) {
  std::vector<std::string> first, second;
  const auto into = [](std::vector<std::string>& lines) {
    return [&lines](Outgoing message) { lines.push_back(std::move(message.line)); };
  };
  connection_.receive(wait_call("1"), into(first));
  connection_.receive(wait_call("2"), into(second));
  connection_.receive("{", into(second));
  settle();
  EXPECT_EQ(second.size(), 1u) << "the answer to what is no message";
  end_wait(1);
  EXPECT_EQ(second.size(), 2u);
  EXPECT_TRUE(first.empty());
  end_wait(0);
  EXPECT_EQ(first.size(), 1u);
  expect_silence();
}

TEST_F(Connection, H9_AnOutgoingMessageTellsItsKindAndItsError) {
  struct Case {
    std::string message;
    std::optional<ErrorCode> error;
  };
  const Case cases[] = {
      {modern("tools/list"), std::nullopt},
      {modern("ping"), ErrorCode::method_not_found},
      {legacy("server/discover"), ErrorCode::invalid_params},
      {echo_call("{}"), std::nullopt},  // a tool's failure is a result
      {"{", ErrorCode::parse_error},
  };
  for (const auto& [message, error] : cases) {
    SCOPED_TRACE(message);
    std::vector<Outgoing> sent;
    connection_.receive(message, [&sent](Outgoing outgoing) { sent.push_back(std::move(outgoing)); });
    settle();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].kind, Outgoing::Kind::response);
    EXPECT_EQ(sent[0].error, error);
  }
}

TEST_F(Connection, H13_ARequestCanBeCancelledByItsHandleAndOnlyThatOne) {
  const auto nothing = [](Outgoing message) { ADD_FAILURE() << message.line; };
  const auto first = connection_.receive(wait_call("7"), nothing);
  settle();
  first.cancel();
  settle();
  EXPECT_TRUE(waiting_.at(0).context.cancelled());
  // The id is used again: the old handle does not reach the new request.
  connection_.receive(wait_call("7"));
  settle();
  first.cancel();
  EXPECT_FALSE(waiting_.at(1).context.cancelled());
  end_wait(1);
  EXPECT_EQ(take_one().at("id"), 7);
  connection_.receive(modern("tools/list")).cancel();
  take_one();
}

TEST_F(Connection, TheOwnerTravelsWithEveryCall) {
  mcp::Connection connection(loop_, server_, [](Outgoing) {}, "session-1");
  connection.receive(wait_call("1"));
  settle();
  EXPECT_EQ(waiting_.at(0).context.owner(), "session-1");
  end_wait(0);
}

// ---- Progress

std::string with_token(std::string_view token, std::string_view id = "1") {
  return fmt::format(
      R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"wait","_meta":{{
          "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}},
          "progressToken":{}}}}}}})",
      id, token);
}

Progress progress(double seconds) { return {.elapsed_seconds = seconds, .fraction = {}, .message = "working"}; }

TEST_F(Connection, P1_WithATokenProgressIsSentWithItBeforeTheAnswer) {
  client(with_token("\"token\""));
  ASSERT_TRUE(waiting_.at(0).context.wants_progress());
  waiting_[0].context.report(progress(1));
  end_wait(0);
  const auto messages = take();
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].at("method"), "notifications/progress");
  EXPECT_EQ(messages[0].at("params").at("progressToken"), "token");
  EXPECT_TRUE(messages[0].at("params").at("progress").is_number());
  EXPECT_EQ(messages[1].at("id"), 1);
}

TEST_F(Connection, P1_InTheLegacyEraAsWell) {
  initialize();
  client(legacy("tools/call", R"({"name":"wait","_meta":{"progressToken":5}})"));
  waiting_.at(0).context.report(progress(1));
  EXPECT_EQ(take_one().at("params").at("progressToken"), 5);
}

TEST_F(Connection, P1_WithoutATokenNoProgressIsSent) {
  client(wait_call("1"));
  EXPECT_FALSE(waiting_.at(0).context.wants_progress());
  waiting_[0].context.report(progress(1));
  expect_silence();
}

TEST_F(Connection, P2_WhereOnlyTheAnswerCanBeSentThereIsNoProgress) {
  connection_.receive(
      with_token("1"), [this](Outgoing message) { lines_.push_back(std::move(message.line)); },
      mcp::Connection::ReplyForm::answer_only);
  settle();
  EXPECT_FALSE(waiting_.at(0).context.wants_progress());
  end_wait(0);
  EXPECT_EQ(take_one().at("id"), 1);
}

TEST_F(Connection, P1_EachCallHasItsOwnToken) {
  client(with_token("\"a\"", "1"));
  client(with_token("\"b\"", "2"));
  waiting_.at(1).context.report(progress(1));
  EXPECT_EQ(take_one().at("params").at("progressToken"), "b");
  waiting_.at(0).context.report(progress(1));
  EXPECT_EQ(take_one().at("params").at("progressToken"), "a");
}

TEST_F(Connection, P1_S5_AfterCancelNoProgressIsSent) {
  client(with_token("1"));
  cancel("1");
  waiting_.at(0).context.report(progress(1));
  expect_silence();
}

TEST_F(Connection, P1_AfterTheAnswerNoProgressIsSent) {
  client(with_token("1"));
  end_wait(0);
  EXPECT_EQ(take_one().at("id"), 1);
  waiting_.at(0).context.report(progress(1));  // a tool's helper that comes late
  expect_silence();
}

}  // namespace
}  // namespace adit::mcp
