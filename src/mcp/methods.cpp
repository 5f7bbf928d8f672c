#include "methods.h"

#include "adit/base/json_fields.h"
#include "method_results.h"

namespace adit::mcp {
namespace {

using Eras = Method::Eras;

bool always(const Server&) { return true; }
bool has_tools(const Server& server) { return !server.offer().tools.empty(); }
bool has_resources(const Server& server) {
  return !server.offer().resources.empty() || !server.offer().resource_templates.empty();
}
bool has_prompts(const Server& server) { return !server.offer().prompts.empty(); }
bool can_complete(const Server& server) { return completes(server); }
bool has_changes(const Server& server) { return server.offer().changes != nullptr; }
bool has_changing_resources(const Server& server) { return has_changes(server) && has_resources(server); }

Answer discover(Exchange& exchange) { return success(discover_result(exchange.server)); }

Answer set_log_level(Exchange& exchange) {
  const auto level = log_level_from_text(text_or(exchange.params, "level", ""));
  if (!level) {
    return invalid_params("level must be debug, info, notice, warning, error, critical, alert or emergency");
  }
  exchange.session->log_level = level;
  return success(empty_result(exchange.server, exchange.revision));
}

// initialize and ping are the connection's own: they need no session.
constexpr Method kMethods[] = {
    {.name = "server/discover", .eras = Eras::modern, .offered = always, .answer = discover},
    {.name = "tools/list", .eras = Eras::both, .offered = has_tools, .answer = list_tools},
    {.name = "tools/call", .eras = Eras::both, .offered = has_tools, .run = call_tool},
    {.name = "resources/list", .eras = Eras::both, .offered = has_resources, .answer = list_resources},
    {.name = "resources/templates/list",
     .eras = Eras::both,
     .offered = has_resources,
     .answer = list_resource_templates},
    {.name = "resources/read", .eras = Eras::both, .offered = has_resources, .run = read_resource},
    {.name = "prompts/list", .eras = Eras::both, .offered = has_prompts, .answer = list_prompts},
    {.name = "prompts/get", .eras = Eras::both, .offered = has_prompts, .run = get_prompt},
    {.name = "completion/complete", .eras = Eras::both, .offered = can_complete, .run = complete},
    {.name = "logging/setLevel", .eras = Eras::legacy, .offered = always, .answer = set_log_level},
    {.name = "subscriptions/listen", .eras = Eras::modern, .offered = has_changes, .run = listen},
    {.name = "resources/subscribe",
     .eras = Eras::legacy,
     .offered = has_changing_resources,
     .answer = subscribe_resource},
    {.name = "resources/unsubscribe",
     .eras = Eras::legacy,
     .offered = has_changing_resources,
     .answer = unsubscribe_resource},
};

}  // namespace

const Method* find_method(const Server& server, std::string_view name, Revision revision) {
  const auto other = revision == Revision::v2026_07_28 ? Eras::legacy : Eras::modern;
  for (const auto& method : kMethods) {
    if (method.name == name) return method.eras != other && method.offered(server) ? &method : nullptr;
  }
  return nullptr;
}

}  // namespace adit::mcp
