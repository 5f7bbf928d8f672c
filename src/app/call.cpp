// adit call TOOL key=value…: one tool call from the shell, answered as JSON on standard output.
#include "commands.h"

#include "adit/base/json_fields.h"
#include "adit/base/nearest_name.h"
#include "adit/mcp/json_schema.h"
#include "wiring.h"

#include <fmt/format.h>

#include <cstdio>

namespace adit::app {
namespace json = boost::json;
namespace {

// A value is JSON where the schema wants something else than a text, and where it is written as an array or object.
Result<json::object> read_arguments(const std::vector<std::string>& words, const json::object& schema) {
  json::object arguments;
  const auto& properties = schema.at("properties").get_object();
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{.code = ErrorCode::invalid_params,
                   .reason = "invalid_arguments",
                   .message = fmt::format("{} is not of the form key=value", word),
                   .hint = "Write name=value; lists and objects as JSON, for example sql='[\"SELECT 1\"]'."};
    }
    const auto name = word.substr(0, equals);
    const auto text = word.substr(equals + 1);
    const auto* property = properties.if_contains(name);
    const auto type = property != nullptr ? text_or(property->get_object(), "type", "") : "";
    auto value = type == "string" ? Result<json::value>(Error{}) : parse_json(text);
    arguments[name] = value.ok() ? std::move(*value) : json::value(text);
  }
  return arguments;
}

struct CallOutcome {
  int exit_code = 1;
};

boost::asio::awaitable<void> run_call(Service& service, const mcp::Tool& tool, json::object arguments,
                                      CallOutcome& outcome) {
  RequestContext context;
  auto valid = mcp::validate(arguments, tool.input_schema);
  Result<mcp::ToolResult> result = internal_error("the tool gave no result");
  if (valid.ok()) result = co_await tool.call(context, std::move(arguments));
  else result = valid.error();
  const auto rendered = result.ok() ? std::move(*result) : tool.render_error(result.error());
  fmt::print("{}\n", rendered.structured);
  outcome.exit_code = rendered.is_error ? 1 : 0;
  co_await service.shut_down();
}

}  // namespace

int call(const ServerOptions& options, const CallOptions& call) {
  io::EventLoop loop;
  auto service = make_service(loop, options);
  if (!service.ok()) {
    fmt::print(stderr, "adit: {}. {}\n", service.error().message, service.error().hint);
    return 1;
  }
  const auto* tool = service->server->find_tool(call.tool);
  if (tool == nullptr) {
    std::vector<std::string> names;
    for (const auto& known : service->server->tools()) names.push_back(known.name);
    const auto nearest = nearest_names(call.tool, names);
    fmt::print(stderr, "adit: there is no tool {}{}\nTools: {}\n", call.tool,
               nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest.front()), fmt::join(names, ", "));
    return 2;
  }
  auto arguments = read_arguments(call.arguments, tool->input_schema);
  if (!arguments.ok()) {
    fmt::print(stderr, "adit: {}. {}\n", arguments.error().message, arguments.error().hint);
    return 2;
  }
  CallOutcome outcome;
  io::run_to_end(loop, run_call(*service, *tool, std::move(*arguments), outcome));
  return outcome.exit_code;
}

}  // namespace adit::app
