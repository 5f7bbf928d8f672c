// Tools that answer each kind of content at once.
#include "adit/mcp/content.h"
#include "fixtures.h"

namespace adit::conformance {
namespace json = boost::json;
namespace {

using mcp::Tool;
using mcp::ToolResult;

constexpr std::string_view kSchema2020 = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": {
      "$anchor": "addressDef",
      "type": "object",
      "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
    }
  },
  "properties": {
    "name": {"type": "string"},
    "address": {"$ref": "#/$defs/address"},
    "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    "phone": {"type": "string"},
    "email": {"type": "string"}
  },
  "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
  "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
  "then": {"required": ["phone"]},
  "else": {"required": ["email"]},
  "additionalProperties": false
})";

Task<ToolResult> give(ToolResult result) { co_return result; }

Tool answering(std::string name, std::string description, ToolResult result) {
  auto tool = plain_tool(std::move(name), std::move(description));
  tool.call = [result = std::move(result)](RequestContext, json::object) { return give(result); };
  return tool;
}

Task<ToolResult> fail() {
  co_return Error{.code = ErrorCode::unavailable,
                  .reason = "",
                  .message = "This tool intentionally returns an error for testing",
                  .hint = ""};
}

Tool failing() {
  auto tool = plain_tool("test_error_handling", "Fails always");
  tool.call = [](RequestContext, json::object) { return fail(); };
  return tool;
}

Tool with_schema() {
  auto tool = answering("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", text_result("Called"));
  tool.input_schema = json::parse({kSchema2020.data(), kSchema2020.size()}).as_object();
  return tool;
}

}  // namespace

std::vector<Tool> content_tools() {
  const mcp::ResourceContent embedded{
      .uri = "test://embedded-resource", .mime_type = "text/plain", .text = "This is an embedded resource content."};
  const mcp::ResourceContent mixed{.uri = "test://mixed-content-resource",
                                   .mime_type = "application/json",
                                   .text = R"({"test":"data","value":123})"};
  const auto picture = mcp::image_content(small_png(), "image/png");
  return {
      answering("test_simple_text", "Answers a text", text_result("This is a simple text response for testing.")),
      answering("test_image_content", "Answers a picture", content_result({picture})),
      answering("test_audio_content", "Answers a sound",
                content_result({mcp::audio_content(small_wav(), "audio/wav")})),
      answering("test_embedded_resource", "Answers a resource", content_result({mcp::embedded_resource(embedded)})),
      answering(
          "test_multiple_content_types", "Answers a text, a picture and a resource",
          content_result({mcp::text_content("Multiple content types test:"), picture, mcp::embedded_resource(mixed)})),
      failing(),
      with_schema(),
  };
}

}  // namespace adit::conformance
