#include "fixtures.h"

#include "adit/base/base64.h"

namespace adit::conformance {
namespace json = boost::json;
namespace {

mcp::ToolResult render_error(const Error& error) {
  auto result = text_result(error.message);
  result.is_error = true;
  return result;
}

}  // namespace

mcp::Tool plain_tool(std::string name, std::string description) {
  mcp::Tool tool;
  tool.name = std::move(name);
  tool.title = tool.name;
  tool.description = std::move(description);
  tool.input_schema = {{"type", "object"}, {"properties", json::object()}, {"additionalProperties", false}};
  tool.annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = false};
  tool.render_error = render_error;
  return tool;
}

mcp::ToolResult content_result(json::array content) {
  mcp::ToolResult result;
  result.content = std::move(content);
  return result;
}

mcp::ToolResult text_result(std::string text) {
  mcp::ToolResult result;
  result.text = std::move(text);
  return result;
}

std::string small_png() {
  return decode_base64("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC")
      .value();
}

std::string small_wav() {
  return decode_base64("UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==").value();
}

}  // namespace adit::conformance
