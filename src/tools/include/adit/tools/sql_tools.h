// The tools over SQL datasets, and the resource and the prompt beside them. Each is one file named after it: its texts,
// its schemas, its handler.
#pragma once

#include "adit/mcp/prompt.h"
#include "adit/mcp/resource.h"
#include "adit/mcp/tool.h"
#include "adit/tools/answer_budget.h"
#include "adit/workspace/workspaces.h"

#include <vector>

namespace adit::tools {

// In the order in which tools/list shows them. `workspaces` outlives the tools.
std::vector<mcp::Tool> sql_tools(workspace::Workspaces& workspaces, AnswerBudget budget);

mcp::Tool open_dataset_tool(workspace::Workspaces& workspaces);
mcp::Tool describe_dataset_tool(workspace::Workspaces& workspaces);
mcp::Tool list_datasets_tool(workspace::Workspaces& workspaces);
mcp::Tool query_tool(workspace::Workspaces& workspaces, AnswerBudget budget);
mcp::Tool close_dataset_tool(workspace::Workspaces& workspaces);

mcp::ResourceTemplate workspace_resource(workspace::Workspaces& workspaces);
mcp::Prompt sql_prompt(workspace::Workspaces& workspaces);

}  // namespace adit::tools
