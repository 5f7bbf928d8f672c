// A text, a picture, one that can be watched, and a template.
#include "fixtures.h"

#include <fmt/format.h>
#include <boost/json.hpp>

namespace adit::conformance {
namespace {

using mcp::ResourceContents;

Task<ResourceContents> give(ResourceContents contents) { co_return contents; }

mcp::Resource fixed(std::string name, mcp::ResourceContent content) {
  mcp::Resource resource{.uri = content.uri,
                         .name = name,
                         .title = name,
                         .description = fmt::format("{} for tests", name),
                         .mime_type = content.mime_type};
  resource.cache = {.ttl_ms = 60'000, .same_for_everyone = true};
  resource.read = [content = std::move(content)](RequestContext) { return give({content}); };
  return resource;
}

Task<ResourceContents> read_template(std::string uri, std::string id) {
  const boost::json::object data{{"id", id}, {"templateTest", true}, {"data", fmt::format("Data for ID: {}", id)}};
  co_return ResourceContents{
      {.uri = std::move(uri), .mime_type = "application/json", .text = boost::json::serialize(data)}};
}

}  // namespace

std::vector<mcp::Resource> resources() {
  return {
      fixed("Static text", {.uri = "test://static-text",
                            .mime_type = "text/plain",
                            .text = "This is the content of the static text resource."}),
      fixed("Static picture",
            {.uri = "test://static-binary", .mime_type = "image/png", .text = "", .bytes = small_png()}),
      fixed("Watched resource",
            {.uri = "test://watched-resource", .mime_type = "text/plain", .text = "Watched resource content"}),
  };
}

std::vector<mcp::ResourceTemplate> resource_templates() {
  mcp::ResourceTemplate one{.uri_template = "test://template/{id}/data",
                            .name = "Template",
                            .title = "Template",
                            .description = "A resource for each id",
                            .mime_type = "application/json"};
  one.read = [](RequestContext, std::string uri, mcp::UriVariables variables) {
    return read_template(std::move(uri), variables.at("id"));
  };
  return {std::move(one)};
}

}  // namespace adit::conformance
