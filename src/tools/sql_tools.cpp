#include "adit/tools/sql_tools.h"

namespace adit::tools {

std::vector<mcp::Tool> sql_tools(workspace::Workspaces& workspaces, AnswerBudget budget) {
  std::vector<mcp::Tool> tools;
  tools.push_back(open_dataset_tool(workspaces));
  tools.push_back(describe_dataset_tool(workspaces));
  tools.push_back(query_tool(workspaces, budget));
  tools.push_back(list_datasets_tool(workspaces));
  tools.push_back(close_dataset_tool(workspaces));
  return tools;
}

}  // namespace adit::tools
