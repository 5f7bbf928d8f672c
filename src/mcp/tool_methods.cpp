// tools/list and tools/call.
#include "adit/base/json_fields.h"
#include "adit/base/log.h"
#include "adit/base/nearest_name.h"
#include "adit/mcp/json_schema.h"
#include "dialogue_run.h"
#include "list_page.h"
#include "method_error.h"
#include "methods.h"

#include <fmt/format.h>

#include <cmath>

namespace adit::mcp {
namespace json = boost::json;
namespace asio = boost::asio;
namespace {

struct ToolCall {
  const Tool* tool = nullptr;
  json::object arguments;
};

// The next step is part of the message: clients show a model that and seldom the data beside it.
std::string unknown_tool(const Server& server, std::string_view name) {
  std::vector<std::string> known;
  for (const auto& tool : server.tools()) known.push_back(tool.name);
  const auto nearest = nearest_names(name, known, 1);
  return fmt::format("There is no tool {}.{} tools/list shows what there is.", shown_name(name),
                     nearest.empty() ? "" : fmt::format(" Did you mean {}?", nearest.front()));
}

Result<ToolCall> read_call(const Exchange& exchange) {
  const auto bad = [](std::string message, ErrorCode code = ErrorCode::invalid_params) {
    return Error{.code = code, .reason = "", .message = std::move(message), .hint = ""};
  };
  ToolCall call;
  const auto name = text_or(exchange.params, "name", "");
  call.tool = exchange.server.find_tool(name);
  if (call.tool == nullptr) {
    return bad(unknown_tool(exchange.server, name));
  }
  // T17: no tool of ours runs as a task, and only this revision knows them in a call.
  if (exchange.revision == Revision::v2025_11_25 && exchange.params.contains("task")) {
    return bad(fmt::format("The tool {} does not run as a task; call it without task", name),
               ErrorCode::method_not_found);
  }
  if (const auto* field = find_field(exchange.params, "arguments"); field != nullptr && !field->is_null()) {
    if (!field->is_object()) return bad("arguments must be a JSON object, not a text or a list");
    call.arguments = field->get_object();
  }
  return call;
}

Task<ToolResult> run_tool(const Tool* tool, Dialogue dialogue, json::object arguments) {
  // T8: the very schema that tools/list shows decides.
  ADIT_CO_CHECK(validate(arguments, tool->input_schema));
  auto running = tool->converse ? tool->converse(dialogue, std::move(arguments))
                                : tool->call(dialogue.context(), std::move(arguments));
  auto result = co_await std::move(running);
  co_return result;
}

// P4, P5: what a client that asked for debug messages is told of each call.
void log_call(const Exchange& exchange, const Tool& tool, RequestContext::Clock::time_point start, bool is_error) {
  if (!exchange.log->wants(LogLevel::debug)) return;
  const std::chrono::duration<double, std::milli> elapsed = RequestContext::Clock::now() - start;
  exchange.log->write(
      LogLevel::debug, exchange.server.info().name,
      json::object{{"tool", tool.name}, {"milliseconds", std::llround(elapsed.count())}, {"isError", is_error}});
}

}  // namespace

Answer list_tools(Exchange& exchange) {
  const auto name_of = [](const Tool& tool) { return tool.name; };
  return list_page(exchange, "tools", exchange.server.tools(), name_of, list_hint(exchange.server));
}

asio::awaitable<Answer> call_tool(std::shared_ptr<Exchange> exchange) {
  auto call = read_call(*exchange);
  if (!call.ok()) co_return failure(call.error());
  const auto& tool = *call->tool;
  // Only a tool that asks has a state to be told from those of other calls.
  auto started =
      DialogueRun::start(*exchange, tool.converse ? tool.name + "\n" + json::serialize(call->arguments) : tool.name);
  if (!started.ok()) co_return failure(started.error());
  const auto start = RequestContext::Clock::now();
  auto running = run_tool(call->tool, started->dialogue(), std::move(call->arguments));
  auto result = co_await std::move(running);
  if (exchange->context.cancelled()) co_return Answer();
  if (!result.ok()) {
    if (auto answer = started->answer(*exchange, result.error())) co_return std::move(*answer);
    if (result.error().code == ErrorCode::internal) log::error("{}: {}", tool.name, result.error().message);
  }
  const auto rendered = result.ok() ? std::move(*result) : tool.render_error(result.error());
  log_call(*exchange, tool, start, rendered.is_error);
  co_return success(tool_call_result(exchange->server, rendered, exchange->revision));
}

}  // namespace adit::mcp
