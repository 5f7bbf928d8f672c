// Tools that report while they work: progress, logs, changes of lists.
#include "fixtures.h"

namespace adit::conformance {
namespace json = boost::json;
namespace {

using mcp::Dialogue;
using mcp::Tool;
using mcp::ToolResult;

constexpr auto kStep = std::chrono::milliseconds(50);  // as the suite asks

boost::asio::awaitable<void> pause(io::EventLoop& loop) {
  co_await io::sleep_until(loop, io::EventLoop::Clock::now() + kStep);
}

Task<ToolResult> run_with_progress(io::EventLoop& loop, RequestContext context) {
  for (const int percent : {0, 50, 100}) {
    if (percent > 0) co_await pause(loop);
    context.report({.elapsed_seconds = percent / 1000.0, .fraction = percent / 100.0, .message = "Working"});
  }
  co_return text_result("Three steps are done");
}

Task<ToolResult> run_with_logging(io::EventLoop& loop, Dialogue dialogue) {
  dialogue.log(mcp::LogLevel::info, "test", "Tool execution started");
  co_await pause(loop);
  dialogue.log(mcp::LogLevel::info, "test", "Tool processing data");
  co_await pause(loop);
  dialogue.log(mcp::LogLevel::info, "test", "Tool execution completed");
  co_return text_result("Three messages were logged");
}

Tool logging_tool(std::string name, io::EventLoop& loop) {
  auto tool = plain_tool(std::move(name), "Logs three messages at level info");
  tool.converse = [&loop](Dialogue dialogue, json::object) { return run_with_logging(loop, std::move(dialogue)); };
  return tool;
}

Task<ToolResult> publish(mcp::ChangeFeed& changes, mcp::Change change) {
  changes.publish(change);
  co_return text_result("The change is published");
}

Tool changing_tool(std::string name, std::string description, mcp::ChangeFeed& changes, mcp::Change change) {
  auto tool = plain_tool(std::move(name), std::move(description));
  tool.call = [&changes, change = std::move(change)](RequestContext, json::object) { return publish(changes, change); };
  return tool;
}

}  // namespace

std::vector<Tool> reporting_tools(io::EventLoop& loop, mcp::ChangeFeed& changes) {
  auto progress = plain_tool("test_tool_with_progress", "Reports three steps");
  progress.call = [&loop](RequestContext context, json::object) { return run_with_progress(loop, std::move(context)); };
  return {
      std::move(progress),
      logging_tool("test_tool_with_logging", loop),
      logging_tool("test_logging_tool", loop),
      changing_tool("test_trigger_tool_change", "Tells listeners that the tools have changed", changes,
                    {.kind = mcp::Change::Kind::tools}),
      changing_tool("test_trigger_prompt_change", "Tells listeners that the prompts have changed", changes,
                    {.kind = mcp::Change::Kind::prompts}),
      changing_tool("test_trigger_resource_change", "Tells watchers that test://watched-resource has changed", changes,
                    {.kind = mcp::Change::Kind::resource, .uri = "test://watched-resource"}),
  };
}

}  // namespace adit::conformance
