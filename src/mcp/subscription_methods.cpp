// subscriptions/listen of the modern era (P6), resources/subscribe and unsubscribe of the legacy one (R5).
#include "adit/base/json_fields.h"
#include "change_notice.h"
#include "method_results.h"
#include "methods.h"

#include <set>

namespace adit::mcp {
namespace json = boost::json;
namespace asio = boost::asio;
namespace {

constexpr std::size_t kMostResources = 1000;  // that one client may watch
constexpr std::string_view kMetaSubscriptionId = "io.modelcontextprotocol/subscriptionId";

// What a listener wants to hear of, as far as the server has it.
struct Filter {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::set<std::string> watched;

  bool takes(const Change& change) const {
    switch (change.kind) {
      case Change::Kind::tools: return tools;
      case Change::Kind::prompts: return prompts;
      case Change::Kind::resources: return resources;
      case Change::Kind::resource: return watched.contains(change.uri);
    }
    return false;
  }
};

bool has_resources(const Server& server) {
  return !server.offer().resources.empty() || !server.offer().resource_templates.empty();
}

Result<Filter> read_filter(const Server& server, const json::object& params) {
  const auto bad = [](std::string message) {
    return Error{.code = ErrorCode::invalid_params, .reason = "", .message = std::move(message), .hint = ""};
  };
  const auto* field = find_field(params, "notifications");
  if (field == nullptr || !field->is_object()) return bad("notifications must be an object");
  const auto& wanted = field->get_object();
  Filter filter;
  filter.tools = !server.offer().tools.empty() && boolean_or(wanted, "toolsListChanged", false);
  filter.prompts = !server.offer().prompts.empty() && boolean_or(wanted, "promptsListChanged", false);
  filter.resources = has_resources(server) && boolean_or(wanted, "resourcesListChanged", false);
  const auto* watched = find_field(wanted, "resourceSubscriptions");
  if (watched == nullptr || !has_resources(server)) return filter;
  if (!watched->is_array()) return bad("notifications.resourceSubscriptions must be a list of addresses");
  for (const auto& uri : watched->get_array()) {
    if (!uri.is_string()) return bad("notifications.resourceSubscriptions must be a list of addresses");
    filter.watched.emplace(uri.get_string());
  }
  if (filter.watched.size() > kMostResources) return bad("At most 1000 resources can be watched");
  // P6: what the server agrees to is told; it cannot agree to an address that names nothing here.
  std::erase_if(filter.watched, [&server](const auto& uri) { return !has_resource(server.offer(), uri); });
  return filter;
}

json::object accepted(const Filter& filter) {
  json::object object;
  if (filter.tools) object["toolsListChanged"] = true;
  if (filter.prompts) object["promptsListChanged"] = true;
  if (filter.resources) object["resourcesListChanged"] = true;
  if (!filter.watched.empty()) object["resourceSubscriptions"] = json::value_from(filter.watched);
  return object;
}

}  // namespace

asio::awaitable<Answer> listen(std::shared_ptr<Exchange> exchange) {
  auto filter = read_filter(exchange->server, exchange->params);
  if (!filter.ok()) co_return failure(filter.error());
  if (!exchange->reply.streams())
    co_return invalid_params("A subscription needs a stream", "Accept text/event-stream.");
  const json::object meta{{kMetaSubscriptionId, json::parse(exchange->reply.id())}};
  const json::object acknowledged{{"notifications", accepted(*filter)}, {"_meta", meta}};
  const auto& send = exchange->reply.send();
  send({.line = notification("notifications/subscriptions/acknowledged", json::serialize(acknowledged)),
        .kind = Outgoing::Kind::notification});
  io::OneShot<bool> ended(exchange->loop);
  const auto cancelled = exchange->context.on_cancel([ended] { ended.set(true); });
  const auto finished = exchange->finishing.on_cancel([ended] { ended.set(true); });
  const auto listening = exchange->server.offer().changes->listen([&](const Change& change) {
    if (filter->takes(change) && !ended.is_set()) send(change_notice(change, meta));
  });
  co_await ended.wait();
  auto result = json::parse(empty_result(exchange->server, exchange->revision)).get_object();
  result["_meta"].get_object()[kMetaSubscriptionId] = meta.at(kMetaSubscriptionId);
  co_return success(json::serialize(result));
}

Answer subscribe_resource(Exchange& exchange) {
  const auto uri = text_or(exchange.params, "uri", "");
  auto& subscriptions = exchange.session->subscriptions;
  if (uri.empty()) return invalid_params("uri must be the address of a resource");
  if (!has_resource(exchange.server.offer(), uri)) return resource_not_found(exchange, uri);
  if (subscriptions.size() >= kMostResources) return invalid_params("At most 1000 resources can be watched");
  subscriptions.insert(uri);
  return success(empty_result(exchange.server, exchange.revision));
}

Answer unsubscribe_resource(Exchange& exchange) {
  exchange.session->subscriptions.erase(text_or(exchange.params, "uri", ""));
  return success(empty_result(exchange.server, exchange.revision));
}

}  // namespace adit::mcp
