// A dataset's relations as one JSON object: what the resource of a workspace holds, and what the prompt embeds.
#pragma once

#include "adit/mcp/resource.h"
#include "adit/workspace/workspaces.h"

#include <string>

namespace adit::tools {

std::string workspace_uri(const std::string& id);

mcp::ResourceContent workspace_content(const std::string& uri, const std::string& id,
                                       const workspace::DescribedDataset& dataset);

}  // namespace adit::tools
