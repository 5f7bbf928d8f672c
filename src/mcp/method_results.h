// The shells of results: discover, initialize, lists, tools/call, input_required. Each exists once, with the
// differences between the revisions inside.
#pragma once

#include "adit/mcp/server.h"
#include "era.h"
#include "modern_dialogue.h"

#include <boost/json.hpp>

#include <string>
#include <string_view>

namespace adit::mcp {

bool completes(const Server& server);  // some argument or variable can be completed

std::string discover_result(const Server& server);
std::string initialize_result(const Server& server, Revision revision);
std::string tool_call_result(const Server& server, const ToolResult& result, Revision revision);
std::string input_required_result(const Server& server, const std::vector<Question>& questions, std::string_view state);

// {} of its era: `resultType` and serverInfo in the modern one.
std::string empty_result(const Server& server, Revision revision);

// `members`, with what each result of the revision carries beside them.
std::string result_text(const Server& server, Revision revision, boost::json::object members);

// The same for a list or a read, which clients may keep for a while (R10).
std::string kept_result_text(const Server& server, Revision revision, boost::json::object members, CacheHint cache);

// What is the same for every caller and for the life of the process.
constexpr CacheHint kFixed{.ttl_ms = 3'600'000, .same_for_everyone = true};

// The hint for a list: what may change is not kept for long.
CacheHint list_hint(const Server& server);

}  // namespace adit::mcp
