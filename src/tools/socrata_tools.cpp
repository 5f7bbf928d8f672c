#include "adit/tools/socrata_tools.h"

namespace adit::tools {

std::vector<mcp::Tool> socrata_tools(socrata::Client& client, SocrataSetting setting) {
  std::vector<mcp::Tool> tools;
  tools.push_back(socrata_list_portals_tool(client));
  tools.push_back(socrata_find_datasets_tool(client, setting));
  tools.push_back(socrata_get_dataset_tool(client, setting));
  tools.push_back(socrata_query_dataset_tool(client, setting));
  return tools;
}

}  // namespace adit::tools
