// completion/complete (R8).
#include "adit/base/ascii_case.h"
#include "adit/base/json_fields.h"
#include "method_results.h"
#include "methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace adit::mcp {
namespace json = boost::json;
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMostValues = 100;
constexpr auto kLongestWait = std::chrono::milliseconds(250);  // R8: a person is typing

// What is to be completed: a source, or nothing where the argument is known and has none.
Result<CompletionSource> find_source(const Server& server, const json::object& params) {
  const auto bad = [](std::string message, std::string hint = "") {
    return Error{
        .code = ErrorCode::invalid_params, .reason = "", .message = std::move(message), .hint = std::move(hint)};
  };
  const auto* ref_field = find_field(params, "ref");
  const auto* argument_field = find_field(params, "argument");
  if (ref_field == nullptr || !ref_field->is_object()) return bad("ref must be an object");
  if (argument_field == nullptr || !argument_field->is_object()) return bad("argument must be an object");
  const auto& ref = ref_field->get_object();
  const auto name = text_or(argument_field->get_object(), "name", "");
  const auto type = text_or(ref, "type", "");
  if (type == "ref/prompt") {
    const auto* prompt = server.find_prompt(text_or(ref, "name", ""));
    if (prompt == nullptr) return bad("There is no prompt of this name", "prompts/list shows what there is.");
    for (const auto& argument : prompt->arguments) {
      if (argument.name == name) return argument.complete;
    }
    return bad(fmt::format("The prompt {} has no such argument", prompt->name));
  }
  if (type != "ref/resource") return bad("ref.type must be ref/prompt or ref/resource");
  const auto uri = text_or(ref, "uri", "");
  for (const auto& one : server.offer().resource_templates) {
    if (one.uri_template != uri) continue;
    const auto source = one.completions.find(name);
    if (source != one.completions.end()) return source->second;
    if (uri.find(fmt::format("{{{}}}", name)) != std::string::npos) return CompletionSource();
    return bad(fmt::format("The template {} has no such variable", uri));
  }
  return bad("There is no resource template of this address", "resources/templates/list shows what there is.");
}

CompletionRequest read_request(const json::object& params) {
  CompletionRequest request;
  request.value = text_or(params.at("argument").get_object(), "value", "");
  const auto* context = find_field(params, "context");
  const auto* others =
      context != nullptr && context->is_object() ? find_field(context->get_object(), "arguments") : nullptr;
  if (others == nullptr || !others->is_object()) return request;
  for (const auto& member : others->get_object()) {
    if (member.value().is_string()) request.others.emplace(member.key(), member.value().get_string());
  }
  return request;
}

// Those that begin with what was typed, then those that hold it elsewhere; each in the source's order.
std::vector<std::string> fitting(const std::vector<std::string>& candidates, std::string_view typed) {
  const auto wanted = ascii_lower_case(typed);
  std::vector<std::string> fits, holds;
  for (const auto& candidate : candidates) {
    const auto at = ascii_lower_case(candidate).find(wanted);
    if (at == 0) fits.push_back(candidate);
    else if (at != std::string::npos) holds.push_back(candidate);
  }
  fits.insert(fits.end(), holds.begin(), holds.end());
  return fits;
}

}  // namespace

asio::awaitable<Answer> complete(std::shared_ptr<Exchange> exchange) {
  const auto source = find_source(exchange->server, exchange->params);
  if (!source.ok()) co_return failure(source.error());
  const auto request = read_request(exchange->params);
  std::vector<std::string> values;
  if (*source) {
    exchange->context.limit_to(RequestContext::Clock::now() + kLongestWait);
    auto looking = (*source)(exchange->context, request);
    const auto candidates = co_await std::move(looking);
    if (candidates.ok()) values = fitting(*candidates, request.value);
  }
  const auto total = values.size();
  values.resize(std::min(total, kMostValues));
  const json::object completion{
      {"values", json::value_from(values)}, {"total", total}, {"hasMore", total > values.size()}};
  co_return success(result_text(exchange->server, exchange->revision, {{"completion", completion}}));
}

}  // namespace adit::mcp
