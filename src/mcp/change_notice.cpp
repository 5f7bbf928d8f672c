#include "change_notice.h"

#include "rpc_message.h"

namespace adit::mcp {
namespace json = boost::json;
namespace {

std::string_view method_of(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::tools: return "notifications/tools/list_changed";
    case Change::Kind::prompts: return "notifications/prompts/list_changed";
    case Change::Kind::resources: return "notifications/resources/list_changed";
    case Change::Kind::resource: return "notifications/resources/updated";
  }
  return "";
}

}  // namespace

Outgoing change_notice(const Change& change, const json::object& meta) {
  json::object params;
  if (change.kind == Change::Kind::resource) params["uri"] = change.uri;
  if (!meta.empty()) params["_meta"] = meta;
  return {.line = notification(method_of(change.kind), json::serialize(params)), .kind = Outgoing::Kind::notification};
}

}  // namespace adit::mcp
