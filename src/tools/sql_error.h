// An Error as the SQL tools tell it: {kind, stage, message, …}, in the result's structured form and as its text.
#pragma once

#include "adit/mcp/tool.h"

namespace adit::tools {

boost::json::object sql_error_object(const Error& error);

// {"error": …} with isError: for failures that leave nothing else to tell.
mcp::ToolResult sql_error_result(const Error& error);

}  // namespace adit::tools
