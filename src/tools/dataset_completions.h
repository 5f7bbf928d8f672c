// Proposals for ids of datasets and names of relations, for the prompt and the resource.
#pragma once

#include "adit/mcp/completion.h"
#include "adit/workspace/workspaces.h"

#include <string>

namespace adit::tools {

// `workspaces` outlives the sources.
mcp::CompletionSource dataset_ids(workspace::Workspaces& workspaces);

// Of the dataset that the argument `dataset_argument` names; of the only open one when it is not filled in.
mcp::CompletionSource relation_names(workspace::Workspaces& workspaces, std::string dataset_argument);

}  // namespace adit::tools
