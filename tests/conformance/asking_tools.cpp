// Tools that ask the client: in the legacy era while they run, in the modern one from round to round.
#include "adit/base/json_fields.h"
#include "fixtures.h"

#include <fmt/format.h>

namespace adit::conformance {
namespace json = boost::json;
namespace {

using mcp::Dialogue;
using mcp::Question;
using mcp::Tool;
using mcp::ToolResult;

constexpr std::string_view kDefaultsForm = R"({
  "type": "object",
  "properties": {
    "name": {"type": "string", "description": "User name", "default": "John Doe"},
    "age": {"type": "integer", "description": "User age", "default": 30},
    "score": {"type": "number", "description": "User score", "default": 95.5},
    "status": {"type": "string", "description": "User status", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "description": "Verification status", "default": true}
  },
  "required": []
})";

constexpr std::string_view kEnumsForm = R"({
  "type": "object",
  "properties": {
    "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
    "titledSingle": {
      "type": "string",
      "oneOf": [
        {"const": "value1", "title": "First Option"},
        {"const": "value2", "title": "Second Option"},
        {"const": "value3", "title": "Third Option"}
      ]
    },
    "legacyEnum": {
      "type": "string",
      "enum": ["opt1", "opt2", "opt3"],
      "enumNames": ["Option One", "Option Two", "Option Three"]
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
    "titledMulti": {
      "type": "array",
      "items": {
        "anyOf": [
          {"const": "value1", "title": "First Choice"},
          {"const": "value2", "title": "Second Choice"},
          {"const": "value3", "title": "Third Choice"}
        ]
      }
    }
  },
  "required": []
})";

constexpr std::string_view kUserForm = R"({
  "type": "object",
  "properties": {
    "username": {"type": "string", "description": "User's response"},
    "email": {"type": "string", "description": "User's email address"}
  },
  "required": ["username", "email"]
})";

json::object parsed(std::string_view text) { return json::parse({text.data(), text.size()}).as_object(); }

Question form(std::string key, std::string_view message, json::object schema) {
  return {.key = std::move(key),
          .method = "elicitation/create",
          .params = {{"message", message}, {"requestedSchema", std::move(schema)}}};
}

// A form of one required field.
Question field(std::string key, std::string_view message, std::string_view name, std::string_view type) {
  return form(std::move(key), message,
              {{"type", "object"},
               {"properties", json::object{{name, json::object{{"type", type}}}}},
               {"required", json::array{json::string(name)}}});
}

Question sample(std::string key, std::string_view text, int most_tokens) {
  const json::object content{{"type", "text"}, {"text", text}};
  const json::object message{{"role", "user"}, {"content", content}};
  return {.key = std::move(key),
          .method = "sampling/createMessage",
          .params = {{"messages", json::array{message}}, {"maxTokens", most_tokens}}};
}

Question roots(std::string key) { return {.key = std::move(key), .method = "roots/list", .params = {}}; }

Question name_question() { return field("user_name", "What is your name?", "name", "string"); }

std::string content_text(const json::object& answer) {
  const auto* content = find_field(answer, "content");
  return content != nullptr ? json::serialize(*content) : "{}";
}

std::string elicited(std::string_view prefix, const json::object& answer) {
  return fmt::format("{}action={}, content={}", prefix, text_or(answer, "action", ""), content_text(answer));
}

// Asks all questions at once and tells the answers behind `prefix`.
Task<ToolResult> ask(Dialogue dialogue, std::vector<Question> questions, std::string prefix) {
  ADIT_CO_TRY(const auto answers, co_await dialogue.ask(std::move(questions)));
  std::string text = prefix;
  for (const auto& [key, answer] : answers) text += fmt::format(" {}: {}", key, json::serialize(answer));
  co_return text_result(text);
}

Tool asking(std::string name, std::string description, std::vector<Question> questions, std::string prefix) {
  auto tool = plain_tool(std::move(name), std::move(description));
  tool.converse = [questions = std::move(questions), prefix = std::move(prefix)](Dialogue dialogue, json::object) {
    return ask(std::move(dialogue), questions, prefix);
  };
  return tool;
}

Task<ToolResult> ask_form(Dialogue dialogue, Question question, std::string prefix) {
  const auto key = question.key;
  std::vector<Question> questions{std::move(question)};
  ADIT_CO_TRY(const auto answers, co_await dialogue.ask(std::move(questions)));
  co_return text_result(elicited(prefix, answers.at(key)));
}

Tool form_tool(std::string name, std::string description, std::string_view schema) {
  auto tool = plain_tool(std::move(name), std::move(description));
  tool.converse = [schema](Dialogue dialogue, json::object) {
    return ask_form(std::move(dialogue), form("form", "Please review and update the form", parsed(schema)),
                    "Elicitation completed: ");
  };
  return tool;
}

void add_text_argument(Tool& tool, std::string_view name, std::string_view description) {
  tool.input_schema["properties"].get_object()[name] = json::object{{"type", "string"}, {"description", description}};
  tool.input_schema["required"] = json::array{json::string(name)};
}

Tool elicitation() {
  auto tool = plain_tool("test_elicitation", "Asks the user for a name and an address");
  add_text_argument(tool, "message", "The message to show the user");
  tool.converse = [](Dialogue dialogue, json::object arguments) {
    return ask_form(std::move(dialogue), form("user", text_or(arguments, "message", ""), parsed(kUserForm)),
                    "User response: ");
  };
  return tool;
}

Task<ToolResult> run_sampling(Dialogue dialogue, std::string prompt) {
  std::vector<Question> questions{sample("answer", prompt, 100)};
  ADIT_CO_TRY(const auto answers, co_await dialogue.ask(std::move(questions)));
  const auto& content = answers.at("answer").at("content");
  const bool is_text = content.is_object() && content.get_object().contains("text");
  co_return text_result(
      fmt::format("LLM response: {}", is_text ? text_or(content.get_object(), "text", "") : json::serialize(content)));
}

Tool sampling() {
  auto tool = plain_tool("test_sampling", "Asks the client's model");
  add_text_argument(tool, "prompt", "The prompt to send to the model");
  tool.converse = [](Dialogue dialogue, json::object arguments) {
    return run_sampling(std::move(dialogue), text_or(arguments, "prompt", ""));
  };
  return tool;
}

Task<ToolResult> run_greeting(Dialogue dialogue) {
  std::vector<Question> questions{name_question()};
  ADIT_CO_TRY(const auto answers, co_await dialogue.ask(std::move(questions)));
  const auto& answer = answers.at("user_name");
  const auto* content = find_field(answer, "content");
  if (content == nullptr) co_return text_result("Hello!");
  co_return text_result(fmt::format("Hello, {}!", text_or(content->get_object(), "name", "")));
}

Tool greeting(std::string name) {
  auto tool = plain_tool(std::move(name), "Asks for a name and greets");
  tool.converse = [](Dialogue dialogue, json::object) { return run_greeting(std::move(dialogue)); };
  return tool;
}

Task<ToolResult> run_rounds(Dialogue dialogue) {
  std::vector<Question> first{field("step1", "Step 1: What is your name?", "name", "string")};
  ADIT_CO_TRY(const auto name, co_await dialogue.ask(std::move(first)));
  std::vector<Question> second{field("step2", "Step 2: What is your favorite color?", "color", "string")};
  ADIT_CO_TRY(const auto color, co_await dialogue.ask(std::move(second)));
  co_return text_result(
      fmt::format("Name {}, color {}", content_text(name.at("step1")), content_text(color.at("step2"))));
}

Tool rounds() {
  auto tool = plain_tool("test_input_required_result_multi_round", "Asks in two rounds");
  tool.converse = [](Dialogue dialogue, json::object) { return run_rounds(std::move(dialogue)); };
  return tool;
}

// Asks only for what the client declares.
Task<ToolResult> run_with_what_there_is(Dialogue dialogue) {
  std::vector<Question> questions;
  if (dialogue.client_can("elicitation")) questions.push_back(name_question());
  if (dialogue.client_can("sampling")) questions.push_back(sample("greeting", "Generate a greeting", 50));
  auto asking = ask(dialogue, std::move(questions), "Answers:");
  auto result = co_await std::move(asking);
  co_return result;
}

Tool by_capabilities() {
  auto tool = plain_tool("test_input_required_result_capabilities", "Asks for what the client can answer");
  tool.converse = [](Dialogue dialogue, json::object) { return run_with_what_there_is(std::move(dialogue)); };
  return tool;
}

}  // namespace

std::vector<Tool> asking_tools() {
  const auto confirm = field("confirm", "Please confirm", "ok", "boolean");
  return {
      elicitation(),
      sampling(),
      form_tool("test_elicitation_sep1034_defaults", "Asks with a default for each type", kDefaultsForm),
      form_tool("test_elicitation_sep1330_enums", "Asks with each kind of choice", kEnumsForm),
      asking("test_missing_capability", "Needs a client that can sample",
             {sample("answer", "What is the capital of France?", 100)}, "The model answers:"),
      greeting("test_streaming_elicitation"),
      greeting("test_input_required_result_elicitation"),
      asking("test_input_required_result_sampling", "Asks the client's model",
             {sample("capital_question", "What is the capital of France?", 100)}, "The model answers:"),
      asking("test_input_required_result_list_roots", "Asks for the client's roots", {roots("client_roots")}, "Roots:"),
      asking("test_input_required_result_request_state", "Asks for a confirmation", {confirm}, "state-ok"),
      asking("test_input_required_result_multiple_inputs", "Asks three things at once",
             {name_question(), sample("greeting", "Generate a greeting", 50), roots("client_roots")}, "Answers:"),
      rounds(),
      asking("test_input_required_result_tampered_state", "Asks for a confirmation", {confirm}, "Confirmed:"),
      by_capabilities(),
  };
}

}  // namespace adit::conformance
