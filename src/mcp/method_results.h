// The results of the methods that answer from what the server is: discover, initialize, tools/list, and the shell of
// tools/call. Each exists once, with the differences between the revisions inside.
#pragma once

#include "adit/mcp/server.h"
#include "era.h"

#include <string>

namespace adit::mcp {

std::string discover_result(const Server& server);
std::string initialize_result(const Server& server, Revision revision);
std::string tools_list_result(const Server& server, Revision revision);
std::string tool_call_result(const Server& server, const ToolResult& result, Revision revision);

// {} of its era: `resultType` and serverInfo in the modern one.
std::string empty_result(const Server& server, Revision revision);

}  // namespace adit::mcp
