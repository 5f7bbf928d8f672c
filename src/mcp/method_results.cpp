#include "method_results.h"

#include "adit/base/json_text.h"

namespace adit::mcp {
namespace json = boost::json;
namespace {

// tools/list and discover are the same for every caller and for the life of the process.
constexpr std::int64_t kListTtlMs = 3'600'000;

json::object implementation(const ServerInfo& info) {
  return {{"name", info.name}, {"title", info.title}, {"version", info.version}, {"description", info.description}};
}

json::object capabilities() { return {{"tools", json::object()}}; }

// D2, and rule "every result has resultType": what a modern result carries beside its own members.
json::object modern_members(const Server& server) {
  return {{"resultType", "complete"}, {"_meta", json::object{{kMetaServerInfo, implementation(server.info())}}}};
}

void add_cache_hints(json::object& result) {
  result["ttlMs"] = kListTtlMs;
  result["cacheScope"] = "public";
}

json::object annotations_of(const Tool& tool) {
  return {{"title", tool.title},
          {"readOnlyHint", tool.annotations.read_only},
          {"destructiveHint", tool.annotations.destructive},
          {"idempotentHint", tool.annotations.idempotent},
          {"openWorldHint", tool.annotations.open_world}};
}

json::object list_entry(const Tool& tool, Revision revision) {
  json::object entry{{"name", tool.name}};
  if (revision >= Revision::v2025_06_18) entry["title"] = tool.title;
  entry["description"] = tool.description;
  entry["inputSchema"] = tool.input_schema;
  if (revision >= Revision::v2025_06_18) entry["outputSchema"] = tool.output_schema;
  if (revision >= Revision::v2025_03_26) entry["annotations"] = annotations_of(tool);
  return entry;
}

}  // namespace

std::string discover_result(const Server& server) {
  auto result = modern_members(server);
  result["supportedVersions"] = json::array{json::string(revision_text(Revision::v2026_07_28))};
  result["capabilities"] = capabilities();
  result["instructions"] = server.info().instructions;
  add_cache_hints(result);
  return json::serialize(result);
}

std::string initialize_result(const Server& server, Revision revision) {
  return json::serialize(json::object{{"protocolVersion", revision_text(revision)},
                                      {"capabilities", capabilities()},
                                      {"serverInfo", implementation(server.info())},
                                      {"instructions", server.info().instructions}});
}

std::string tools_list_result(const Server& server, Revision revision) {
  json::object result;
  if (revision == Revision::v2026_07_28) {
    result = modern_members(server);
    add_cache_hints(result);
  }
  json::array tools;
  for (const auto& tool : server.tools()) tools.push_back(list_entry(tool, revision));
  result["tools"] = std::move(tools);
  return json::serialize(result);
}

std::string tool_call_result(const Server& server, const ToolResult& result, Revision revision) {
  const std::string_view text = result.text.empty() ? result.structured : result.text;
  std::string json = R"({"content":[{"type":"text","text":)";
  json.reserve(text.size() + text.size() / 4 + result.structured.size() + 512);
  append_json_string(json, text);
  json += "}]";
  // D4: revisions before 2025-06-18 do not know structuredContent.
  if (revision >= Revision::v2025_06_18) json.append(R"(,"structuredContent":)").append(result.structured);
  if (result.is_error) json += R"(,"isError":true)";
  if (revision == Revision::v2026_07_28) {
    const auto members = json::serialize(modern_members(server));
    json.append(",").append(members, 1, members.size() - 2);
  }
  return json + "}";
}

std::string empty_result(const Server& server, Revision revision) {
  return revision == Revision::v2026_07_28 ? json::serialize(modern_members(server)) : "{}";
}

}  // namespace adit::mcp
