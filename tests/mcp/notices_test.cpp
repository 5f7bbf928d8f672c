// What a server sends by itself: messages of a log, and notices of changes.
#include "mcp_client.h"

namespace adit::mcp {
namespace json = boost::json;
namespace {

ToolResult done() {
  ToolResult result;
  result.text = "done";
  return result;
}

Task<ToolResult> log_all(Dialogue dialogue) {
  for (int level = 0; level < 8; ++level) dialogue.log(static_cast<LogLevel>(level), "test", json::value(level));
  co_return done();
}

Task<ToolResult> wait_and_log(Dialogue dialogue, io::EventLoop& loop) {
  io::OneShot<bool> end(loop);
  const auto guard = dialogue.context().on_cancel([end] { end.set(true); });
  co_await end.wait();
  dialogue.log(LogLevel::emergency, "test", "too late");
  co_return done();
}

class Notices : public McpClient {
 protected:
  void SetUp() override {
    Offer offer;
    offer.tools = {tool("log_all"), tool("wait")};
    offer.tools[0].converse = [](Dialogue dialogue, json::object) { return log_all(std::move(dialogue)); };
    offer.tools[1].converse = [this](Dialogue dialogue, json::object) {
      return wait_and_log(std::move(dialogue), loop_);
    };
    offer.prompts = {{.name = "p", .title = "", .description = ""}};
    offer.resources = {{.uri = "test://r", .name = "r", .title = "", .description = "", .mime_type = ""}};
    offer.resource_templates = {
        {.uri_template = "test://t/{id}", .name = "t", .title = "", .description = "", .mime_type = ""}};
    offer.changes = &changes_;
    serve(std::move(offer));
  }

  static Tool tool(std::string name) {
    Tool made;
    made.name = std::move(name);
    made.input_schema = {{"type", "object"}};
    return made;
  }

  static std::string call(std::string_view level) {
    return modern("tools/call", R"("name":"log_all")",
                  level.empty() ? "" : fmt::format(R"("io.modelcontextprotocol/logLevel":{})", level));
  }

  // The levels of the tool's own messages among those that came.
  std::vector<std::string> levels() {
    std::vector<std::string> found;
    for (const auto& message : take()) {
      if (!message.contains("method")) continue;
      EXPECT_EQ(message.at("method"), "notifications/message");
      if (message.at("params").at("logger") == "test") found.emplace_back(message.at("params").at("level").as_string());
    }
    return found;
  }

  void listen(std::string_view filter, std::string_view id = "\"s\"") {
    send(modern("subscriptions/listen", fmt::format(R"("notifications":{})", filter), "", "{}", id));
  }

  void publish_all() {
    using Kind = Change::Kind;
    for (const auto kind : {Kind::tools, Kind::prompts, Kind::resources}) changes_.publish({.kind = kind});
    changes_.publish({.kind = Kind::resource, .uri = "test://r"});
    changes_.publish({.kind = Kind::resource, .uri = "test://other"});
    settle();
  }

  std::vector<std::string> methods() {
    std::vector<std::string> found;
    for (const auto& message : take()) found.emplace_back(message.at("method").as_string());
    return found;
  }
};

constexpr std::string_view kTools = "notifications/tools/list_changed";
constexpr std::string_view kPrompts = "notifications/prompts/list_changed";
constexpr std::string_view kResources = "notifications/resources/list_changed";
constexpr std::string_view kUpdated = "notifications/resources/updated";

// ---- Logs

TEST_F(Notices, P4_AModernRequestGetsMessagesFromItsLevelOnAndNoneWithoutOne) {
  struct Case {
    std::string_view level;
    std::size_t count;
  };
  constexpr Case cases[] = {
      {"", 0},           {R"("debug")", 8},    {R"("info")", 7},  {R"("notice")", 6},   {R"("warning")", 5},
      {R"("error")", 4}, {R"("critical")", 3}, {R"("alert")", 2}, {R"("emergency")", 1}};
  for (const auto& [level, count] : cases) {
    SCOPED_TRACE(level);
    send(call(level));
    EXPECT_EQ(levels().size(), count);
  }
}

TEST_F(Notices, P4_AnUnknownLevelIsABadParameter) {
  for (const auto* level : {R"("loud")", R"("DEBUG")", R"("")", "7", "null"}) {
    EXPECT_EQ(error_of(call(level)).at("code"), -32602) << level;
  }
}

TEST_F(Notices, P5_ALegacyClientSetsTheLevelAndGetsNothingBefore) {
  initialize();
  const auto request = legacy("tools/call", R"({"name":"log_all"})");
  send(request);
  EXPECT_TRUE(levels().empty());
  EXPECT_EQ(json::serialize(result_of(legacy("logging/setLevel", R"({"level":"alert"})"))), "{}");
  send(request);
  EXPECT_EQ(levels(), (std::vector<std::string>{"alert", "emergency"}));
  for (const auto* level : {R"({"level":"loud"})", R"({"level":7})", "{}"}) {
    EXPECT_EQ(error_of(legacy("logging/setLevel", level)).at("code"), -32602) << level;
  }
  send(request);
  EXPECT_EQ(levels().size(), 2u) << "a refused level changes nothing";
  initialize();
  send(request);
  EXPECT_TRUE(levels().empty()) << "a new session begins without one";
}

TEST_F(Notices, P4_AtDebugEachCallIsTold) {
  send(call(R"("debug")"));
  const auto messages = take();
  const auto& told = messages.at(messages.size() - 2).at("params").as_object();
  EXPECT_EQ(told.at("level"), "debug");
  EXPECT_EQ(told.at("logger"), "test-server");
  EXPECT_EQ(told.at("data").at("tool"), "log_all");
  EXPECT_EQ(told.at("data").at("isError"), false);
  EXPECT_TRUE(told.at("data").at("milliseconds").is_number());
  EXPECT_TRUE(messages.back().contains("result")) << "the answer comes last";
}

TEST_F(Notices, S5_AfterCancelNothingIsLogged) {
  send(modern("tools/call", R"("name":"wait")", R"("io.modelcontextprotocol/logLevel":"debug")"));
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_TRUE(take().empty());
}

TEST_F(Notices, P2_WhereOnlyTheAnswerCanBeSentNothingIsLogged) {
  send(call(R"("debug")"), Connection::ReplyForm::answer_only);
  EXPECT_TRUE(take_one().contains("result"));
}

// ---- subscriptions/listen

TEST_F(Notices, P6_TheFirstMessageAcknowledgesWhatIsAcceptedAndEveryOneNamesTheSubscription) {
  listen(R"({"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["test://r"],"weather":true})");
  const auto acknowledged = take_one();
  EXPECT_EQ(acknowledged.at("method"), "notifications/subscriptions/acknowledged");
  EXPECT_EQ(json::serialize(acknowledged.at("params").at("notifications")),
            R"({"toolsListChanged":true,"resourceSubscriptions":["test://r"]})");
  EXPECT_EQ(acknowledged.at("params").at("_meta").at("io.modelcontextprotocol/subscriptionId"), "s");
  publish_all();
  const auto notices = take();
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_EQ(notices[0].at("method").as_string(), kTools);
  EXPECT_EQ(notices[1].at("method").as_string(), kUpdated);
  EXPECT_EQ(notices[1].at("params").at("uri"), "test://r");
  for (const auto& notice : notices) {
    EXPECT_EQ(notice.at("params").at("_meta").at("io.modelcontextprotocol/subscriptionId"), "s");
  }
}

TEST_F(Notices, P6_NothingOutsideTheFilterIsSent) {
  const std::pair<std::string_view, std::vector<std::string_view>> cases[] = {
      {"{}", {}},
      {R"({"toolsListChanged":true})", {kTools}},
      {R"({"promptsListChanged":true})", {kPrompts}},
      {R"({"resourcesListChanged":true})", {kResources}},
      {R"({"resourceSubscriptions":["test://r","test://x"]})", {kUpdated}},
      {R"({"resourceSubscriptions":["test://other","test://x"]})", {}},
      {R"({"toolsListChanged":"true"})", {}},
  };
  for (const auto& [filter, wanted] : cases) {
    SCOPED_TRACE(filter);
    listen(filter);
    take_one();
    publish_all();
    EXPECT_EQ(methods(), std::vector<std::string>(wanted.begin(), wanted.end()));
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}})");
    EXPECT_TRUE(take().empty());
  }
}

TEST_F(Notices, P6_OnlyAddressesThatNameAResourceAreAcknowledged) {
  struct Case {
    std::string_view what, wanted, acknowledged;
  };
  constexpr Case cases[] = {
      {"one of the list", R"(["test://r"])", R"({"resourceSubscriptions":["test://r"]})"},
      {"what fits a template", R"(["test://t/7"])", R"({"resourceSubscriptions":["test://t/7"]})"},
      {"one of two", R"(["test://none","test://r"])", R"({"resourceSubscriptions":["test://r"]})"},
      {"none", R"(["test://none","test://t/7/8","nonsense",""])", "{}"},
      {"no address", "[]", "{}"},
  };
  for (const auto& [what, wanted, acknowledged] : cases) {
    SCOPED_TRACE(what);
    listen(fmt::format(R"({{"resourceSubscriptions":{}}})", wanted));
    EXPECT_EQ(json::serialize(take_one().at("params").at("notifications")), acknowledged);
    send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}})");
  }
}

TEST_F(Notices, P6_ACancelledSubscriptionIsSilentAndItsIdIsFree) {
  listen(R"({"toolsListChanged":true})");
  take_one();
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}})");
  publish_all();
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(connection_->running_calls(), 0u);
  listen("{}");
  EXPECT_EQ(take_one().at("method"), "notifications/subscriptions/acknowledged");
}

TEST_F(Notices, P6_AtTheServersEndASubscriptionGetsItsResult) {
  listen(R"({"toolsListChanged":true})", "7");
  take_one();
  connection_->finish();
  settle();
  const auto answer = take_one();
  EXPECT_EQ(answer.at("id"), 7);
  EXPECT_EQ(answer.at("result").at("resultType"), "complete");
  EXPECT_EQ(answer.at("result").at("_meta").at("io.modelcontextprotocol/subscriptionId"), 7);
}

TEST_F(Notices, P6_WhatIsNoFilterIsABadParameter) {
  std::string many = "[";
  for (int i = 0; i <= 1000; ++i) many += fmt::format("{}\"test://{}\"", i == 0 ? "" : ",", i);
  const std::string filters[] = {"null",
                                 "[]",
                                 "true",
                                 R"({"resourceSubscriptions":"test://r"})",
                                 R"({"resourceSubscriptions":[7]})",
                                 R"({"resourceSubscriptions":)" + many + "]}"};
  for (const auto& filter : filters) {
    listen(filter);
    EXPECT_EQ(take_one().at("error").at("code"), -32602) << filter.substr(0, 60);
  }
  EXPECT_EQ(error_of(modern("subscriptions/listen")).at("code"), -32602);
}

TEST_F(Notices, E4_EachErasWayToListenIsUnknownToTheOther) {
  initialize();
  for (const auto* method : {"resources/subscribe", "resources/unsubscribe", "logging/setLevel"}) {
    EXPECT_EQ(error_of(modern(method, R"("uri":"test://r","level":"info")")).at("code"), -32601) << method;
  }
}

// ---- Legacy notices

TEST_F(Notices, R5_ALegacyClientHearsOfListsAndOfTheResourcesItSubscribedTo) {
  publish_all();
  EXPECT_TRUE(take().empty()) << "nobody has said hello";
  initialize();
  publish_all();
  EXPECT_EQ(methods(), (std::vector<std::string>{std::string(kTools), std::string(kPrompts), std::string(kResources)}));
  EXPECT_EQ(json::serialize(result_of(legacy("resources/subscribe", R"({"uri":"test://r"})"))), "{}");
  publish_all();
  const auto notices = take();
  ASSERT_EQ(notices.size(), 4u);
  EXPECT_EQ(json::serialize(notices[3]),
            R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://r"}})");
  EXPECT_EQ(json::serialize(result_of(legacy("resources/unsubscribe", R"({"uri":"test://r"})"))), "{}");
  publish_all();
  EXPECT_EQ(take().size(), 3u);
}

TEST_F(Notices, R4_WhatDoesNotExistCannotBeSubscribedTo) {
  initialize();
  EXPECT_EQ(error_of(legacy("resources/subscribe", R"({"uri":"test://none"})")).at("code"), -32002);
  for (const auto* params : {"{}", R"({"uri":7})"}) {
    EXPECT_EQ(error_of(legacy("resources/subscribe", params)).at("code"), -32602) << params;
  }
}

TEST_F(Notices, D3_T18_ChangesAreDeclared) {
  EXPECT_EQ(
      json::serialize(result_of(modern("server/discover")).at("capabilities")),
      R"({"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true}})");
  EXPECT_EQ(result_of(modern("tools/list")).at("ttlMs"), 0) << "R10: what may change is not kept";
}

TEST(ChangeFeed, AListenerMayEndItselfAndOthersWhileItIsTold) {
  ChangeFeed feed;
  int heard = 0;
  std::vector<ChangeFeed::Guard> guards;
  guards.push_back(feed.listen([&](const Change&) {
    guards.clear();
    ++heard;
  }));
  guards.push_back(feed.listen([&](const Change&) { ++heard; }));
  feed.publish({.kind = Change::Kind::tools});
  feed.publish({.kind = Change::Kind::tools});
  EXPECT_EQ(heard, 1);
}

}  // namespace
}  // namespace adit::mcp
