// The tools over Socrata portals, and the resources and the prompt beside them. Each is one file named after it: its
// texts, its schemas, its handler.
#pragma once

#include "adit/mcp/prompt.h"
#include "adit/mcp/resource.h"
#include "adit/mcp/tool.h"
#include "adit/socrata/client.h"
#include "adit/tools/answer_budget.h"

#include <string>
#include <vector>

namespace adit::tools {

struct SocrataSetting {
  std::string default_domain = "data.seattle.gov";  // SOCRATA_DEFAULT_DOMAIN
  AnswerBudget budget;
};

// In the order in which tools/list shows them. `client` outlives the tools.
std::vector<mcp::Tool> socrata_tools(socrata::Client& client, SocrataSetting setting);

mcp::Tool socrata_list_portals_tool(socrata::Client& client);
mcp::Tool socrata_find_datasets_tool(socrata::Client& client, SocrataSetting setting);
mcp::Tool socrata_get_dataset_tool(socrata::Client& client, SocrataSetting setting);
mcp::Tool socrata_query_dataset_tool(socrata::Client& client, SocrataSetting setting);

mcp::Resource portals_resource(socrata::Client& client);
mcp::ResourceTemplate dataset_resource(socrata::Client& client);
mcp::Prompt socrata_prompt(socrata::Client& client);

}  // namespace adit::tools
