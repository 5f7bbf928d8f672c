// prompts/list, prompts/get and completion/complete.
#include "adit/mcp/content.h"
#include "mcp_client.h"

namespace adit::mcp {
namespace json = boost::json;
namespace {

Task<PromptResult> greet(PromptArguments arguments) {
  PromptResult result;
  result.description = "A greeting";
  const auto other = arguments.find("other");
  result.messages = {{.role = "user", .content = text_content("Hello, " + arguments.at("name"))},
                     {.role = "assistant", .content = text_content(other != arguments.end() ? other->second : "none")}};
  co_return result;
}

Task<PromptResult> fail() {
  co_return Error{.code = ErrorCode::not_found, .reason = "", .message = "No such thing", .hint = "Take another"};
}

Task<std::vector<std::string>> give(std::vector<std::string> values) { co_return values; }

Task<std::vector<std::string>> refuse() { co_return internal_error("no values"); }

class PromptMethods : public McpClient {
 protected:
  void SetUp() override {
    Offer offer;
    Prompt greeting{.name = "greeting", .title = "Greeting", .description = "Greets"};
    greeting.arguments = {
        {.name = "name", .title = "Name", .description = "Who", .required = true, .complete = names()},
        {.name = "other", .title = "", .description = "What else", .required = false},
        {.name = "broken", .title = "", .description = "", .required = false, .complete = broken()}};
    greeting.get = [](Dialogue, PromptArguments arguments) { return greet(std::move(arguments)); };
    Prompt failing{.name = "failing", .title = "", .description = ""};
    failing.get = [](Dialogue, PromptArguments) { return fail(); };
    offer.prompts = {greeting, failing};
    offer.resource_templates = {{.uri_template = "test://{host}/{id}",
                                 .name = "",
                                 .title = "",
                                 .description = "",
                                 .mime_type = "",
                                 .completions = {{"id", names()}}}};
    serve(std::move(offer));
  }

  CompletionSource names() {
    return [this](RequestContext context, CompletionRequest request) {
      EXPECT_TRUE(context.deadline().has_value()) << "a person is typing";
      asked_.push_back(request);
      return give(candidates_);
    };
  }

  static CompletionSource broken() {
    return [](RequestContext, CompletionRequest) { return refuse(); };
  }

  static std::string get(std::string_view name, std::string_view arguments) {
    return modern("prompts/get", fmt::format(R"("name":"{}","arguments":{})", name, arguments));
  }

  static std::string complete(std::string_view ref, std::string_view argument, std::string_view value,
                              std::string_view more = "") {
    return modern("completion/complete",
                  fmt::format(R"("ref":{},"argument":{{"name":"{}","value":"{}"}}{})", ref, argument, value, more));
  }

  std::vector<std::string> candidates_ = {"Beta", "alpha", "alphabet", "gamma"};
  std::vector<CompletionRequest> asked_;
};

constexpr std::string_view kPrompt = R"({"type":"ref/prompt","name":"greeting"})";
constexpr std::string_view kTemplate = R"({"type":"ref/resource","uri":"test://{host}/{id}"})";

TEST_F(PromptMethods, R7_TheListTellsNamesTextsAndArguments) {
  const auto list = result_of(modern("prompts/list"));
  EXPECT_EQ(json::serialize(list.at("prompts").at(0)),
            R"({"name":"greeting","title":"Greeting","description":"Greets","arguments":[)"
            R"({"name":"name","title":"Name","description":"Who","required":true},)"
            R"({"name":"other","description":"What else","required":false},)"
            R"({"name":"broken","description":"","required":false}]})");
  EXPECT_EQ(list.at("ttlMs"), 3'600'000) << "R10";
  EXPECT_EQ(list.at("cacheScope"), "public");
}

TEST_F(PromptMethods, R7_GetGivesMessages) {
  const auto prompt = result_of(get("greeting", R"({"name":"Ada"})"));
  EXPECT_EQ(prompt.at("description"), "A greeting");
  EXPECT_EQ(json::serialize(prompt.at("messages")), R"([{"role":"user","content":{"type":"text","text":"Hello, Ada"}},)"
                                                    R"({"role":"assistant","content":{"type":"text","text":"none"}}])");
  EXPECT_EQ(prompt.at("resultType"), "complete");
  EXPECT_FALSE(prompt.contains("ttlMs")) << "a prompt is no list";
}

TEST_F(PromptMethods, R7_BlankTextCountsAsAbsent) {
  const auto prompt = result_of(get("greeting", R"({"name":"Ada","other":"  "})"));
  EXPECT_EQ(prompt.at("messages").at(1).at("content").at("text"), "none");
}

TEST_F(PromptMethods, R7_WhatIsWrongWithAGetIsABadParameterThatNamesIt) {
  struct Case {
    std::string request;
    std::string_view in_message, in_hint;
  };
  const Case cases[] = {
      {get("greeting", "{}"), "name", "Who"},
      {get("greeting", R"({"name":" "})"), "name", "Who"},
      {get("greeting", R"({"name":7})"), "arguments.name", ""},
      {get("greeting", R"(["name"])"), "arguments", ""},
      {get("greeting", R"({"name":"x","othr":"y"})"), "othr", "other"},
      {get("greetin", "{}"), "greetin", "greeting"},
      {modern("prompts/get"), "prompt", "prompts/list"},
      {get("failing", "{}"), "No such thing", "Take another"},
  };
  for (const auto& [request, in_message, in_hint] : cases) {
    SCOPED_TRACE(request);
    const auto error = error_of(request);
    EXPECT_EQ(error.at("code"), -32602);
    EXPECT_NE(error.at("message").as_string().find(in_message), json::string::npos) << error;
    if (!in_hint.empty()) EXPECT_NE(error.at("data").at("hint").as_string().find(in_hint), json::string::npos) << error;
  }
}

TEST_F(PromptMethods, R8_WhatBeginsAsTypedComesBeforeWhatHoldsIt) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", R"(["Beta","alpha","alphabet","gamma"])"},
      {"al", R"(["alpha","alphabet"])"},
      {"AL", R"(["alpha","alphabet"])"},
      {"b", R"(["Beta","alphabet"])"},
      {"ma", R"(["gamma"])"},
      {"x", "[]"},
  };
  for (const auto& [typed, values] : cases) {
    SCOPED_TRACE(typed);
    const auto completion = result_of(complete(kPrompt, "name", typed)).at("completion").as_object();
    EXPECT_EQ(json::serialize(completion.at("values")), values);
    EXPECT_EQ(completion.at("total"), completion.at("values").as_array().size());
    EXPECT_EQ(completion.at("hasMore"), false);
    EXPECT_EQ(asked_.back().value, typed);
  }
}

TEST_F(PromptMethods, R8_AtMostAHundredAreGivenAndTheRestIsCounted) {
  candidates_.clear();
  for (int i = 0; i < 150; ++i) candidates_.push_back(fmt::format("value{}", i));
  const auto completion = result_of(complete(kTemplate, "id", "v")).at("completion").as_object();
  EXPECT_EQ(completion.at("values").as_array().size(), 100u);
  EXPECT_EQ(completion.at("total"), 150);
  EXPECT_EQ(completion.at("hasMore"), true);
}

TEST_F(PromptMethods, R8_WhatIsFilledInAlreadyReachesTheSource) {
  result_of(complete(kTemplate, "id", "a", R"(,"context":{"arguments":{"host":"data.example","n":7}})"));
  EXPECT_EQ(asked_.at(0).others, (std::map<std::string, std::string>{{"host", "data.example"}}));
}

TEST_F(PromptMethods, R8_WithoutASourceOrWithAFailingOneThereAreNoValues) {
  for (const auto* name : {"other", "broken"}) {
    const auto completion = result_of(complete(kPrompt, name, "a")).at("completion").as_object();
    EXPECT_TRUE(completion.at("values").as_array().empty()) << name;
    EXPECT_EQ(completion.at("total"), 0);
  }
  EXPECT_TRUE(result_of(complete(kTemplate, "host", "a")).at("completion").at("values").as_array().empty());
}

TEST_F(PromptMethods, R8_WhatIsUnknownIsABadParameter) {
  const std::string cases[] = {
      complete(R"({"type":"ref/prompt","name":"none"})", "name", ""),
      complete(R"({"type":"ref/resource","uri":"test://x"})", "id", ""),
      complete(R"({"type":"ref/tool","name":"greeting"})", "name", ""),
      complete(R"("greeting")", "name", ""),
      complete(kPrompt, "nam", ""),
      complete(kTemplate, "nam", ""),
      modern("completion/complete"),
      modern("completion/complete", fmt::format(R"("ref":{})", kPrompt)),
      modern("completion/complete", fmt::format(R"("ref":{},"argument":"name")", kPrompt)),
  };
  for (const auto& request : cases) EXPECT_EQ(error_of(request).at("code"), -32602) << request;
}

TEST_F(PromptMethods, D3_PromptsAndCompletionsAreDeclaredWhereTheRevisionKnowsThem) {
  const auto declared = [this](std::string_view version) {
    auto result = result_of(legacy("initialize", fmt::format(R"({{"protocolVersion":"{}"}})", version)));
    return json::serialize(result.at("capabilities"));
  };
  EXPECT_EQ(declared("2024-11-05"), R"({"prompts":{},"resources":{},"logging":{}})");
  EXPECT_EQ(declared("2025-11-25"), R"({"prompts":{},"resources":{},"logging":{},"completions":{}})");
  EXPECT_EQ(json::serialize(result_of(modern("server/discover")).at("capabilities")),
            R"({"prompts":{},"resources":{},"completions":{}})");
}

}  // namespace
}  // namespace adit::mcp
