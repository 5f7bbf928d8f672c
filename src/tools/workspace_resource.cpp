// adit://workspaces/{id}: the relations and definitions of an open dataset.
#include "workspace_resource.h"

#include "adit/tools/sql_tools.h"
#include "dataset_completions.h"
#include "relation_json.h"

#include <fmt/format.h>

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kUriTemplate = "adit://workspaces/{id}";
constexpr std::string_view kJson = "application/json";

constexpr std::string_view kDescription =
    "Relations (tables and views) of an open dataset with their columns, types and row counts, and the definitions "
    "that were made in it. id is a dataset_id of open_dataset.";

Task<mcp::ResourceContents> read(workspace::Workspaces& workspaces, RequestContext context, std::string uri,
                                 std::string id) {
  ADIT_CO_TRY(const auto dataset, co_await workspaces.describe(context, id));
  co_return mcp::ResourceContents{workspace_content(uri, id, dataset)};
}

std::vector<mcp::Resource> list(const workspace::Workspaces& workspaces, const std::string& owner) {
  std::vector<mcp::Resource> resources;
  for (const auto& dataset : workspaces.list(owner)) {
    resources.push_back({.uri = workspace_uri(dataset.id),
                         .name = dataset.id,
                         .title = fmt::format("Dataset {}", dataset.id),
                         .description = fmt::format("Relations of {}", fmt::join(dataset.sources, ", ")),
                         .mime_type = std::string(kJson)});
  }
  return resources;
}

}  // namespace

std::string workspace_uri(const std::string& id) { return "adit://workspaces/" + id; }

mcp::ResourceContent workspace_content(const std::string& uri, const std::string& id,
                                       const workspace::DescribedDataset& dataset) {
  json::array relations, definitions;
  for (const auto& relation : dataset.relations) relations.push_back(relation_object(relation));
  for (const auto& definition : dataset.definitions) {
    definitions.push_back({{"name", definition.name}, {"kind", definition.kind}, {"sql", definition.sql}});
  }
  const json::object object{
      {"dataset_id", id}, {"relations", std::move(relations)}, {"definitions", std::move(definitions)}};
  return {.uri = uri, .mime_type = std::string(kJson), .text = json::serialize(object)};
}

mcp::ResourceTemplate workspace_resource(workspace::Workspaces& workspaces) {
  return {.uri_template = std::string(kUriTemplate),
          .name = "workspace",
          .title = "Open dataset",
          .description = std::string(kDescription),
          .mime_type = std::string(kJson),
          .annotations = {.audience = {"user", "assistant"}, .priority = 0.8},
          .read =
              [&workspaces](RequestContext context, std::string uri, mcp::UriVariables variables) {
                return read(workspaces, std::move(context), std::move(uri), variables.at("id"));
              },
          .list = [&workspaces](RequestContext context) { return list(workspaces, context.owner()); },
          .completions = {{"id", dataset_ids(workspaces)}}};
}

}  // namespace adit::tools
