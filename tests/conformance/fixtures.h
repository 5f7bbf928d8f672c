// The tools, resources and prompts that the official conformance suite wants to find on a server. Their names, texts
// and schemas are the suite's; they say nothing about adit's own.
#pragma once

#include "adit/io/event_loop.h"
#include "adit/mcp/server.h"

#include <string>
#include <string_view>
#include <vector>

namespace adit::conformance {

std::vector<mcp::Tool> content_tools();                                                 // content_tools.cpp
std::vector<mcp::Tool> reporting_tools(io::EventLoop& loop, mcp::ChangeFeed& changes);  // reporting_tools.cpp
std::vector<mcp::Tool> asking_tools();                                                  // asking_tools.cpp
std::vector<mcp::Resource> resources();                                                 // resources.cpp
std::vector<mcp::ResourceTemplate> resource_templates();
std::vector<mcp::Prompt> prompts();  // prompts.cpp

// A tool without arguments, whose schema and hints the caller may change.
mcp::Tool plain_tool(std::string name, std::string description);

// A result of blocks of content only.
mcp::ToolResult content_result(boost::json::array content);
mcp::ToolResult text_result(std::string text);

std::string small_png();  // one red point
std::string small_wav();  // a millisecond of silence

}  // namespace adit::conformance
