// resources/list, resources/templates/list, resources/read.
#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"
#include "adit/mcp/content.h"
#include "list_page.h"
#include "method_error.h"
#include "methods.h"
#include "uri_template.h"

#include <algorithm>

namespace adit::mcp {
namespace json = boost::json;
namespace asio = boost::asio;
namespace {

constexpr std::size_t kShownUriBytes = 200;

struct Found {
  const Resource* resource = nullptr;
  const ResourceTemplate* resource_template = nullptr;
  UriVariables variables;
};

Found find_resource(const Offer& offer, const std::string& uri) {
  const auto same = [&uri](const Resource& resource) { return resource.uri == uri; };
  const auto resource = std::find_if(offer.resources.begin(), offer.resources.end(), same);
  if (resource != offer.resources.end()) return {.resource = &*resource, .variables = {}};
  for (const auto& one : offer.resource_templates) {
    if (auto variables = match_uri(one.uri_template, uri)) {
      return {.resource_template = &one, .variables = std::move(*variables)};
    }
  }
  return {.variables = {}};
}

Task<ResourceContents> read(Found found, RequestContext context, std::string uri) {
  auto reading = found.resource != nullptr
                     ? found.resource->read(context)
                     : found.resource_template->read(context, std::move(uri), std::move(found.variables));
  auto contents = co_await std::move(reading);
  co_return contents;
}

}  // namespace

bool has_resource(const Offer& offer, const std::string& uri) {
  const auto found = find_resource(offer, uri);
  return found.resource != nullptr || found.resource_template != nullptr;
}

// R4: the code differs between the eras, the address is told in both.
Answer resource_not_found(const Exchange& exchange, const std::string& uri) {
  const auto code = exchange.modern() ? ErrorCode::invalid_params : ErrorCode::resource_not_found;
  return failure({.code = code,
                  .reason = "",
                  .message = "There is no such resource",
                  .hint = "resources/list and resources/templates/list show what can be read."},
                 {{"uri", std::string(utf8_prefix(uri, kShownUriBytes))}});
}

Answer list_resources(Exchange& exchange) {
  const auto& offer = exchange.server.offer();
  auto resources = offer.resources;
  auto cache = list_hint(exchange.server);
  for (const auto& one : offer.resource_templates) {
    if (!one.list) continue;
    cache = CacheHint();  // it is the caller's own, and changes with what the caller does
    auto listed = one.list(exchange.context);
    resources.insert(resources.end(), std::make_move_iterator(listed.begin()), std::make_move_iterator(listed.end()));
  }
  const auto name_of = [](const Resource& resource) { return resource.uri; };
  return list_page(exchange, "resources", resources, name_of, cache);
}

Answer list_resource_templates(Exchange& exchange) {
  const auto name_of = [](const ResourceTemplate& one) { return one.uri_template; };
  return list_page(exchange, "resourceTemplates", exchange.server.offer().resource_templates, name_of,
                   list_hint(exchange.server));
}

asio::awaitable<Answer> read_resource(std::shared_ptr<Exchange> exchange) {
  const auto* field = find_field(exchange->params, "uri");
  if (field == nullptr || !field->is_string()) co_return invalid_params("uri must be the address of a resource");
  const std::string uri(field->get_string());
  auto found = find_resource(exchange->server.offer(), uri);
  if (found.resource == nullptr && found.resource_template == nullptr) co_return resource_not_found(*exchange, uri);
  const auto cache = found.resource != nullptr ? found.resource->cache : found.resource_template->cache;
  auto reading = read(std::move(found), exchange->context, uri);
  auto contents = co_await std::move(reading);
  if (!contents.ok() && contents.error().code == ErrorCode::not_found) co_return resource_not_found(*exchange, uri);
  if (!contents.ok())
    co_return failure(method_error(contents.error()), {{"uri", std::string(utf8_prefix(uri, kShownUriBytes))}});
  json::array array;
  for (const auto& content : *contents) array.push_back(resource_content(content));
  json::object result{{"contents", std::move(array)}};
  co_return success(kept_result_text(exchange->server, exchange->revision, std::move(result), cache));
}

}  // namespace adit::mcp
