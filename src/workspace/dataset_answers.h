// What a worker tells of relations, as callers of Workspaces get it.
#pragma once

#include "adit/worker_protocol/messages.h"
#include "adit/workspace/workspaces.h"

#include <vector>

namespace adit::workspace {

std::vector<Relation> to_relations(std::vector<worker_protocol::Relation> relations);
std::vector<Issue> to_issues(std::vector<worker_protocol::Issue> issues);
DescribedDataset to_dataset(worker_protocol::Described described);

}  // namespace adit::workspace
