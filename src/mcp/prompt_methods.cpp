// prompts/list and prompts/get.
#include "adit/base/json_fields.h"
#include "adit/base/nearest_name.h"
#include "dialogue_run.h"
#include "list_page.h"
#include "method_error.h"
#include "methods.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::mcp {
namespace json = boost::json;
namespace asio = boost::asio;
namespace {

Error bad_arguments(std::string message, std::string hint) {
  return Error{.code = ErrorCode::invalid_params, .reason = "", .message = std::move(message), .hint = std::move(hint)};
}

Result<const Prompt*> find_prompt(const Server& server, const std::string& name) {
  if (const auto* prompt = server.find_prompt(name)) return prompt;
  std::vector<std::string> known;
  for (const auto& prompt : server.offer().prompts) known.push_back(prompt.name);
  const auto nearest = nearest_names(name, known);
  return bad_arguments(
      fmt::format("There is no prompt {}", shown_name(name)),
      nearest.empty() ? "prompts/list shows what there is." : fmt::format("Did you mean {}?", nearest.front()));
}

Error unknown_argument(const Prompt& prompt, std::string_view name) {
  std::vector<std::string> known;
  for (const auto& argument : prompt.arguments) known.push_back(argument.name);
  const auto nearest = nearest_names(name, known);
  return bad_arguments(fmt::format("The prompt {} has no argument {}", prompt.name, shown_name(name)),
                       nearest.empty() ? fmt::format("Known: {}.", fmt::join(known, ", "))
                                       : fmt::format("Did you mean {}?", nearest.front()));
}

// R7. Text that is blank counts as absent.
Result<PromptArguments> read_arguments(const Prompt& prompt, const json::object& params) {
  PromptArguments arguments;
  const auto* field = find_field(params, "arguments");
  if (field != nullptr && !field->is_null()) {
    if (!field->is_object()) return bad_arguments("arguments must be an object of texts", "");
    const auto& given = field->get_object();
    for (const auto& member : given) {
      const auto same = [&member](const PromptArgument& argument) { return argument.name == member.key(); };
      if (std::none_of(prompt.arguments.begin(), prompt.arguments.end(), same)) {
        return unknown_argument(prompt, member.key());
      }
      if (!member.value().is_string()) {
        return bad_arguments(fmt::format("arguments.{} must be a text", std::string_view(member.key())), "");
      }
      if (auto text = optional_text(given, member.key())) arguments.emplace(member.key(), std::move(*text));
    }
  }
  for (const auto& argument : prompt.arguments) {
    if (argument.required && !arguments.contains(argument.name)) {
      return bad_arguments(fmt::format("The prompt {} needs the argument {}", prompt.name, argument.name),
                           argument.description);
    }
  }
  return arguments;
}

json::object prompt_members(const PromptResult& prompt) {
  json::array messages;
  for (const auto& message : prompt.messages) {
    messages.push_back({{"role", message.role}, {"content", message.content}});
  }
  json::object members;
  if (!prompt.description.empty()) members["description"] = prompt.description;
  members["messages"] = std::move(messages);
  return members;
}

std::string subject_of(const Prompt& prompt, const PromptArguments& arguments) {
  return prompt.name + "\n" + json::serialize(json::value_from(arguments));
}

}  // namespace

Answer list_prompts(Exchange& exchange) {
  const auto name_of = [](const Prompt& prompt) { return prompt.name; };
  return list_page(exchange, "prompts", exchange.server.offer().prompts, name_of, list_hint(exchange.server));
}

asio::awaitable<Answer> get_prompt(std::shared_ptr<Exchange> exchange) {
  const auto found = find_prompt(exchange->server, text_or(exchange->params, "name", ""));
  if (!found.ok()) co_return failure(found.error());
  const auto& prompt = **found;
  auto arguments = read_arguments(prompt, exchange->params);
  if (!arguments.ok()) co_return failure(arguments.error());
  auto started = DialogueRun::start(*exchange, subject_of(prompt, *arguments));
  if (!started.ok()) co_return failure(started.error());
  auto getting = prompt.get(started->dialogue(), std::move(*arguments));
  const auto result = co_await std::move(getting);
  if (!result.ok()) {
    if (auto answer = started->answer(*exchange, result.error())) co_return std::move(*answer);
    co_return failure(method_error(result.error()));
  }
  co_return success(result_text(exchange->server, exchange->revision, prompt_members(*result)));
}

}  // namespace adit::mcp
