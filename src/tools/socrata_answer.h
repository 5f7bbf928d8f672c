// What the Socrata tools share: their error object, and reading the arguments that all of them have.
#pragma once

#include "adit/base/result.h"
#include "adit/mcp/tool.h"
#include "adit/socrata/dataset_id.h"
#include "tool_schema.h"

#include <string>
#include <string_view>

namespace adit::tools {

// The output schema with the family's `error`; `reasons` describes the tool's own ("`not_found`: …. `…").
boost::json::object socrata_output_schema(std::string_view properties, std::string_view required,
                                          std::string_view reasons);

// {"error": {code, message, data {reason, recovery {hint}, retryable, …}}} and the same as text.
mcp::ToolResult socrata_error_result(const Error& error);

// A host or an https URL of a portal; `fallback` when it is absent or blank. Error: invalid_domain, with the hint.
Result<std::string> read_domain(const boost::json::object& arguments, std::string_view fallback);

// Error: invalid_id, with the hint.
Result<socrata::DatasetId> read_dataset_id(const boost::json::object& arguments);

// Text of a portal inside a line of ours: no line breaks, no control characters.
std::string one_line(std::string_view text);

// The same as a block of its own, every line behind "> ".
std::string quoted_block(std::string_view text);

}  // namespace adit::tools
