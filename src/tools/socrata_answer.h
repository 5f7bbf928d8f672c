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

// The reasons of the tools that ask for one dataset.
inline constexpr std::string_view kDatasetReasons =
    "`invalid_id`: dataset_id has not the form of an id. `not_found`: the portal has no such dataset, or a gateway "
    "answers HTTP 403 for it. `unknown_domain`: the host does not serve the Socrata API: it has no address, answers "
    "HTTP "
    "404 without an error of Socrata's, redirects to a host that does not answer with Socrata's data, or a gateway "
    "refuses what the catalog lists there. `invalid_domain`: the domain is not a public host name. `rate_limited`: the "
    "portal answers HTTP 429.";

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
