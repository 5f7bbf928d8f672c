// Prompts with each kind of content, with arguments, and one that asks the user.
#include "adit/base/json_fields.h"
#include "adit/mcp/content.h"
#include "fixtures.h"

#include <fmt/format.h>

namespace adit::conformance {
namespace json = boost::json;
namespace {

using mcp::Dialogue;
using mcp::Prompt;
using mcp::PromptArguments;
using mcp::PromptResult;

PromptResult user_messages(std::vector<json::object> contents) {
  PromptResult result;
  for (auto& content : contents) result.messages.push_back({.role = "user", .content = std::move(content)});
  return result;
}

Task<PromptResult> give(PromptResult result) { co_return result; }

Prompt answering(std::string name, PromptResult result) {
  Prompt prompt{.name = name, .title = name, .description = "A prompt for tests"};
  prompt.get = [result = std::move(result)](Dialogue, PromptArguments) { return give(result); };
  return prompt;
}

Task<std::vector<std::string>> words() { co_return std::vector<std::string>{"paris", "park", "party", "test"}; }

Prompt with_arguments() {
  Prompt prompt{.name = "test_prompt_with_arguments", .title = "With arguments", .description = "A prompt for tests"};
  const mcp::CompletionSource complete = [](RequestContext, mcp::CompletionRequest) { return words(); };
  for (const auto* name : {"arg1", "arg2"}) {
    prompt.arguments.push_back(
        {.name = name, .title = name, .description = "A test argument", .required = true, .complete = complete});
  }
  prompt.get = [](Dialogue, PromptArguments arguments) {
    const auto text =
        fmt::format("Prompt with arguments: arg1='{}', arg2='{}'", arguments.at("arg1"), arguments.at("arg2"));
    return give(user_messages({mcp::text_content(text)}));
  };
  return prompt;
}

Prompt with_embedded_resource() {
  Prompt prompt{.name = "test_prompt_with_embedded_resource", .title = "Embedded", .description = "A prompt for tests"};
  prompt.arguments.push_back(
      {.name = "resourceUri", .title = "Address", .description = "Address of the resource to embed", .required = true});
  prompt.get = [](Dialogue, PromptArguments arguments) {
    const mcp::ResourceContent content{.uri = arguments.at("resourceUri"),
                                       .mime_type = "text/plain",
                                       .text = "Embedded resource content for testing."};
    return give(user_messages(
        {mcp::embedded_resource(content), mcp::text_content("Please process the embedded resource above.")}));
  };
  return prompt;
}

Task<PromptResult> ask_for_context(Dialogue dialogue) {
  const json::object schema{{"type", "object"},
                            {"properties", json::object{{"context", json::object{{"type", "string"}}}}},
                            {"required", json::array{"context"}}};
  mcp::Question question{.key = "user_context",
                         .method = "elicitation/create",
                         .params = {{"message", "What context should the prompt use?"}, {"requestedSchema", schema}}};
  std::vector<mcp::Question> questions{std::move(question)};
  ADIT_CO_TRY(const auto answers, co_await dialogue.ask(std::move(questions)));
  const auto* content = find_field(answers.at("user_context"), "content");
  const auto context = content != nullptr ? text_or(content->get_object(), "context", "") : "";
  co_return user_messages({mcp::text_content(fmt::format("Use this context: {}", context))});
}

Prompt asking() {
  Prompt prompt{
      .name = "test_input_required_result_prompt", .title = "Asking", .description = "A prompt that asks the user"};
  prompt.get = [](Dialogue dialogue, PromptArguments) { return ask_for_context(std::move(dialogue)); };
  return prompt;
}

}  // namespace

std::vector<Prompt> prompts() {
  return {
      answering("test_simple_prompt", user_messages({mcp::text_content("This is a simple prompt for testing.")})),
      with_arguments(),
      with_embedded_resource(),
      answering("test_prompt_with_image", user_messages({mcp::image_content(small_png(), "image/png"),
                                                         mcp::text_content("Please analyze the image above.")})),
      asking(),
  };
}

}  // namespace adit::conformance
