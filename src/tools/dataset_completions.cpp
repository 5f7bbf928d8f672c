#include "dataset_completions.h"

#include <algorithm>

namespace adit::tools {
namespace {

using Values = std::vector<std::string>;

// The one that was used last is the likeliest.
Values ids_by_use(const workspace::Workspaces& workspaces, const std::string& owner) {
  auto listed = workspaces.list(owner);
  std::sort(listed.begin(), listed.end(), [](const auto& a, const auto& b) { return a.last_used > b.last_used; });
  Values ids;
  for (auto& dataset : listed) ids.push_back(std::move(dataset.id));
  return ids;
}

Task<Values> find_ids(const workspace::Workspaces& workspaces, RequestContext context) {
  co_return ids_by_use(workspaces, context.owner());
}

// From what is known here: a person is typing (R8), and a worker may be at work or would have to start first.
Task<Values> find_relations(const workspace::Workspaces& workspaces, RequestContext context, std::string id) {
  if (id.empty()) {
    const auto ids = ids_by_use(workspaces, context.owner());
    if (ids.size() != 1) co_return Values();
    id = ids.front();
  }
  co_return workspaces.known_names(context.owner(), id);
}

}  // namespace

mcp::CompletionSource dataset_ids(workspace::Workspaces& workspaces) {
  return [&workspaces](RequestContext context, mcp::CompletionRequest) {
    return find_ids(workspaces, std::move(context));
  };
}

mcp::CompletionSource relation_names(workspace::Workspaces& workspaces, std::string dataset_argument) {
  return [&workspaces, dataset_argument = std::move(dataset_argument)](RequestContext context,
                                                                       mcp::CompletionRequest request) {
    const auto id = request.others.find(dataset_argument);
    return find_relations(workspaces, std::move(context), id != request.others.end() ? id->second : "");
  };
}

}  // namespace adit::tools
