// Handlers that ask their client: the same handlers in both eras.
#include "adit/base/json_fields.h"
#include "mcp_client.h"
#include "round_state.h"

namespace adit::mcp {
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;

Question name_question(std::string key = "name") {
  return {
      .key = std::move(key),
      .method = "elicitation/create",
      .params = parse_object(
          R"({"message":"Your name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}})")};
}

Question sampling_question() {
  return {.key = "text", .method = "sampling/createMessage", .params = {{"maxTokens", 5}}};
}
Question roots_question() { return {.key = "roots", .method = "roots/list", .params = {}}; }

ToolResult text(std::string text) {
  ToolResult result;
  result.text = std::move(text);
  return result;
}

Task<ToolResult> run(Dialogue dialogue, std::vector<std::vector<Question>> rounds) {
  std::string told;
  for (auto& questions : rounds) {
    ADIT_CO_TRY(const auto answers, co_await dialogue.ask(std::move(questions)));
    for (const auto& [key, answer] : answers) told += fmt::format("{}={};", key, json::serialize(answer));
  }
  co_return text(told);
}

Tool asking(std::string name, std::vector<std::vector<Question>> rounds) {
  Tool tool;
  tool.name = std::move(name);
  tool.input_schema = {{"type", "object"}};
  tool.converse = [rounds = std::move(rounds)](Dialogue dialogue, json::object) { return run(dialogue, rounds); };
  tool.render_error = [](const Error& error) {
    auto result = text(error.message);
    result.is_error = true;
    return result;
  };
  return tool;
}

// Asks when it should have ended already.
Task<ToolResult> ask_too_late(Dialogue dialogue, io::EventLoop& loop, Question question) {
  io::OneShot<bool> cancelled(loop);
  const auto guard = dialogue.context().on_cancel([cancelled] { cancelled.set(true); });
  co_await cancelled.wait();
  std::vector<Question> questions{std::move(question)};
  ADIT_CO_TRY(const auto answers, co_await dialogue.ask(std::move(questions)));
  co_return text("answered");
}

class DialogueTest : public McpClient {
 protected:
  void SetUp() override {
    Offer offer;
    offer.tools = {asking("once", {{name_question()}}),
                   asking("twice", {{name_question("one")}, {name_question("two")}}),
                   asking("three", {{name_question(), sampling_question(), roots_question()}}),
                   asking("sample", {{sampling_question()}}), asking("late", {})};
    offer.tools.back().converse = [this](Dialogue dialogue, json::object) {
      return ask_too_late(std::move(dialogue), loop_, name_question());
    };
    serve(std::move(offer));
  }

  static std::string call(std::string_view tool, std::string_view members = "", std::string_view capabilities = kAll) {
    return modern("tools/call", fmt::format(R"("name":"{}"{}{})", tool, members.empty() ? "" : ",", members), "",
                  capabilities);
  }

  static std::string legacy_call(std::string_view tool, std::string_view id = "1") {
    return legacy("tools/call", fmt::format(R"({{"name":"{}"}})", tool), id);
  }

  static std::string with_state(std::string_view responses, std::string_view state) {
    return fmt::format(R"("inputResponses":{},"requestState":"{}")", responses, state);
  }

  static std::string text_of(const Object& result) {
    return std::string(result.at("content").at(0).at("text").as_string());
  }

  static constexpr std::string_view kAll = R"({"elicitation":{},"sampling":{},"roots":{}})";
  static constexpr std::string_view kAda = R"({"name":{"action":"accept","content":{"name":"Ada"}}})";
};

// ---- Modern

TEST_F(DialogueTest, I1_AQuestionWithoutAnAnswerIsAnInputRequiredResult) {
  const auto result = result_of(call("once"));
  EXPECT_EQ(result.at("resultType"), "input_required");
  EXPECT_EQ(result.at("inputRequests").at("name").at("method"), "elicitation/create");
  EXPECT_EQ(result.at("inputRequests").at("name").at("params").at("message"), "Your name?");
  EXPECT_TRUE(result.at("requestState").is_string());
  EXPECT_TRUE(result.at("_meta").as_object().contains("io.modelcontextprotocol/serverInfo"));
  EXPECT_FALSE(result.contains("content"));
  EXPECT_FALSE(result.contains("ttlMs")) << "R10: never kept";
}

TEST_F(DialogueTest, I4_TheRetryWithAnswerAndStateIsComplete) {
  const auto first = result_of(call("once"));
  const auto result = result_of(call("once", with_state(kAda, first.at("requestState").as_string())));
  EXPECT_EQ(result.at("resultType"), "complete");
  EXPECT_EQ(text_of(result), R"(name={"action":"accept","content":{"name":"Ada"}};)");
}

TEST_F(DialogueTest, I4_RoundsFollowEachOtherAndEarlierAnswersAreKeptInTheState) {
  const auto first = result_of(call("twice"));
  EXPECT_TRUE(first.at("inputRequests").as_object().contains("one"));
  constexpr std::string_view kOne = R"({"one":{"action":"decline"}})", kTwo = R"({"two":{"action":"cancel"}})";
  const auto second = result_of(call("twice", with_state(kOne, first.at("requestState").as_string())));
  EXPECT_EQ(second.at("resultType"), "input_required");
  EXPECT_FALSE(second.at("inputRequests").as_object().contains("one"));
  EXPECT_TRUE(second.at("inputRequests").as_object().contains("two"));
  EXPECT_NE(second.at("requestState"), first.at("requestState"));
  const auto last = result_of(call("twice", with_state(kTwo, second.at("requestState").as_string())));
  EXPECT_EQ(text_of(last), R"(one={"action":"decline"};two={"action":"cancel"};)");
}

TEST_F(DialogueTest, I5_MissingKeysAreAskedAgainAndOtherKeysAreIgnored) {
  const auto all = result_of(call("three"));
  EXPECT_EQ(all.at("inputRequests").as_object().size(), 3u);
  constexpr std::string_view kSome =
      R"({"name":{"action":"accept","content":{"name":"Ada"}},"other":{"action":"accept"},"more":7})";
  const auto rest = result_of(call("three", with_state(kSome, all.at("requestState").as_string())));
  EXPECT_EQ(rest.at("resultType"), "input_required");
  EXPECT_EQ(rest.at("inputRequests").as_object().size(), 2u);
  constexpr std::string_view kRest =
      R"({"text":{"role":"assistant","content":{"type":"text","text":"t"}},"roots":{"roots":[]}})";
  const auto last = result_of(call("three", with_state(kRest, rest.at("requestState").as_string())));
  EXPECT_EQ(last.at("resultType"), "complete");
}

TEST_F(DialogueTest, I5_AnAnswerOfTheWrongShapeIsAskedForAgain) {
  for (const auto* answer : {"12345", "null", "{}", R"({"action":"perhaps"})", R"({"action":"accept"})",
                             R"({"action":"accept","content":{}})", R"({"action":"accept","content":{"name":7}})"}) {
    SCOPED_TRACE(answer);
    const auto result = result_of(call("once", fmt::format(R"("inputResponses":{{"name":{}}})", answer)));
    EXPECT_EQ(result.at("resultType"), "input_required");
  }
}

TEST_F(DialogueTest, I5_ResponsesAndStateOfTheWrongKindAreBadParameters) {
  for (const auto* members :
       {R"("inputResponses":null)", R"("inputResponses":[])", R"("inputResponses":"x")", R"("requestState":null)",
        R"("requestState":7)", R"("requestState":"")", R"("requestState":"AAAA")"}) {
    EXPECT_EQ(error_of(call("once", members)).at("code"), -32602) << members;
  }
}

TEST_F(DialogueTest, I4_AStateThatWasChangedOrIsForAnotherCallIsRefused) {
  const std::string state(result_of(call("once")).at("requestState").as_string());
  auto flipped = state;
  flipped[50] = flipped[50] == 'A' ? 'B' : 'A';
  for (const auto& bad : {state + "-TAMPERED", state.substr(1), state.substr(0, state.size() - 4), flipped}) {
    EXPECT_EQ(error_of(call("once", with_state(kAda, bad))).at("code"), -32602) << bad;
  }
  EXPECT_EQ(error_of(call("twice", with_state(kAda, state))).at("code"), -32602) << "of another tool";
  EXPECT_EQ(error_of(call("once", with_state(kAda, state) + R"(,"arguments":{"x":1})")).at("code"), -32602)
      << "of other arguments";
  EXPECT_EQ(result_of(call("once", with_state(kAda, state))).at("resultType"), "complete");
}

TEST_F(DialogueTest, D7_I3_ACapabilityThatTheRequestLacksIsNamedAsAnObject) {
  struct Case {
    std::string_view tool, capabilities, required;
  };
  constexpr Case cases[] = {
      {"sample", "{}", R"({"sampling":{}})"},
      {"once", R"({"sampling":{}})", R"({"elicitation":{}})"},
      {"once", R"({"elicitation":{"url":{}}})", R"({"elicitation":{}})"},
      {"three", "{}", R"({"elicitation":{},"sampling":{},"roots":{}})"},
  };
  for (const auto& [tool, capabilities, required] : cases) {
    SCOPED_TRACE(required);
    const auto error = error_of(call(tool, "", capabilities));
    EXPECT_EQ(error.at("code"), -32021);
    EXPECT_EQ(json::serialize(error.at("data").at("requiredCapabilities")), required);
  }
  for (const auto* forms :
       {R"({"elicitation":{}})", R"({"elicitation":{"form":{}}})", R"({"elicitation":{"form":{},"url":{}}})"}) {
    EXPECT_EQ(result_of(call("once", "", forms)).at("resultType"), "input_required") << forms;
  }
}

TEST_F(DialogueTest, S6_InTheModernEraNoRequestIsSent) {
  send(call("three"));
  const auto message = take_one();
  EXPECT_FALSE(message.contains("method"));
}

TEST(RoundState, I4_AStateHoldsForItsCallAndForAnHour) {
  const auto now = WallClock::now();
  const RoundState state{.round = 3, .answers = {{"a", {{"action", "accept"}}}}};
  const auto sealed = seal_round_state("key", "call", state, now);
  const auto opened = open_round_state("key", "call", sealed, now + 59min);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->round, 3);
  EXPECT_EQ(opened->answers, state.answers);
  EXPECT_FALSE(open_round_state("key", "call", sealed, now + 61min).ok());
  EXPECT_FALSE(open_round_state("other", "call", sealed, now).ok());
  EXPECT_FALSE(open_round_state("key", "other", sealed, now).ok());
  EXPECT_FALSE(open_round_state("key", "call", "", now).ok());
  const auto endless = seal_round_state("key", "call", {.round = 32}, now);
  EXPECT_FALSE(open_round_state("key", "call", endless, now).ok());
}

// ---- Legacy

TEST_F(DialogueTest, I6_AQuestionIsARequestOnTheCallsStreamAndItsAnswerGoesOnWithTheCall) {
  initialize(kAll);
  send(legacy_call("once"));
  const auto question = take_one();
  EXPECT_EQ(question.at("method"), "elicitation/create");
  EXPECT_EQ(question.at("params").at("message"), "Your name?");
  send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"action":"accept","content":{{"name":"Ada"}}}}}})",
                   json::serialize(question.at("id"))));
  const auto answer = take_one();
  EXPECT_EQ(answer.at("id"), 1);
  EXPECT_EQ(text_of(answer.at("result").as_object()), R"(name={"action":"accept","content":{"name":"Ada"}};)");
}

TEST_F(DialogueTest, I6_EachQuestionHasAnIdOfItsOwnAndCallsDoNotMixThemUp) {
  initialize(kAll);
  send(legacy_call("once", "1"));
  const auto first = take_one();
  send(legacy_call("once", "2"));
  const auto second = take_one();
  EXPECT_NE(first.at("id"), second.at("id"));
  send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"action":"decline"}}}})", json::serialize(second.at("id"))));
  EXPECT_EQ(take_one().at("id"), 2);
  send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"action":"cancel"}}}})", json::serialize(first.at("id"))));
  EXPECT_EQ(take_one().at("id"), 1);
}

TEST_F(DialogueTest, I6_ARefusalAndAnAnswerThatDoesNotFitAreFailuresOfTheTool) {
  initialize(kAll);
  for (const auto* response : {R"("error":{"code":-1,"message":"the user is away"})", R"("result":{})",
                               R"("result":{"action":"accept","content":{}})", R"("result":7)"}) {
    SCOPED_TRACE(response);
    send(legacy_call("once"));
    const auto question = take_one();
    send(fmt::format(R"({{"jsonrpc":"2.0","id":{},{}}})", json::serialize(question.at("id")), response));
    EXPECT_EQ(take_one().at("result").at("isError"), true);
  }
}

TEST_F(DialogueTest, I3_S6_WhatTheClientDoesNotDeclareIsNotAsked) {
  initialize(R"({"roots":{}})");
  for (const auto* tool : {"once", "sample"}) {
    const auto result = result_of(legacy_call(tool));
    EXPECT_EQ(result.at("isError"), true) << tool;
  }
}

TEST_F(DialogueTest, I6_WhereOnlyTheAnswerCanBeSentNothingIsAsked) {
  initialize(kAll);
  send(legacy_call("once"), Connection::ReplyForm::answer_only);
  EXPECT_EQ(take_one().at("result").at("isError"), true);
}

TEST_F(DialogueTest, S5_ACallThatWaitsForItsClientCanBeCancelled) {
  initialize(kAll);
  send(legacy_call("once"));
  const auto question = take_one();
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_EQ(connection_->running_calls(), 0u);
  send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"action":"decline"}}}})",
                   json::serialize(question.at("id"))));
  EXPECT_TRUE(take().empty());
}

TEST_F(DialogueTest, S5_ACallThatWasCancelledAsksNothing) {
  initialize(kAll);
  send(legacy_call("late"));
  EXPECT_EQ(connection_->running_calls(), 1u);
  send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(connection_->running_calls(), 0u) << "it waits for an answer to what was never asked";
}

TEST_F(DialogueTest, I6_AQuestionOutlivesASecondInitializeAndItsIdIsNotGivenOutAgain) {
  initialize(kAll);
  send(legacy_call("once", "7"));
  const auto first = take_one();
  initialize(kAll);
  send(legacy_call("once", "8"));
  const auto second = take_one();
  EXPECT_NE(first.at("id"), second.at("id"));
  send(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{"action":"decline"}}}})", json::serialize(first.at("id"))));
  EXPECT_EQ(take_one().at("id"), 7);
}

TEST_F(DialogueTest, J2_AResponseThatAnswersNothingIsIgnored) {
  send(R"({"jsonrpc":"2.0","id":"adit-1","result":{}})");
  initialize(kAll);
  for (const auto* response :
       {R"({"jsonrpc":"2.0","id":"adit-1","result":{}})", R"({"jsonrpc":"2.0","id":null,"result":{}})",
        R"({"jsonrpc":"2.0","result":{}})", R"({"jsonrpc":"2.0","error":{}})"}) {
    send(response);
  }
  EXPECT_TRUE(take().empty());
}

}  // namespace
}  // namespace adit::mcp
