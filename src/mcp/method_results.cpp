#include "method_results.h"

#include "adit/base/json_text.h"
#include "list_entries.h"

#include <algorithm>

namespace adit::mcp {
namespace json = boost::json;
namespace {

json::object implementation(const ServerInfo& info, Revision revision) {
  json::object object{
      {"name", info.name}, {"title", info.title}, {"version", info.version}, {"description", info.description}};
  if (revision >= Revision::v2025_11_25 && !info.icons.empty()) object["icons"] = icons_array(info.icons);
  return object;
}

// D3: what is declared here is what find_method() finds.
json::object capabilities(const Server& server, Revision revision) {
  const auto& offer = server.offer();
  const bool changes = offer.changes != nullptr;
  json::object declared, of_list;
  if (changes) of_list["listChanged"] = true;
  if (!offer.tools.empty()) declared["tools"] = of_list;
  if (!offer.prompts.empty()) declared["prompts"] = of_list;
  if (!offer.resources.empty() || !offer.resource_templates.empty()) {
    if (changes) of_list["subscribe"] = true;
    declared["resources"] = of_list;
  }
  // P4: the modern era has no switch for logs; a request asks for them by itself.
  if (revision <= kNewestLegacy) declared["logging"] = json::object();
  if (revision >= Revision::v2025_03_26 && completes(server)) declared["completions"] = json::object();
  return declared;
}

// D2, and rule "every result has resultType": what a modern result carries beside its own members. The picture is
// told once, by discover.
void add_modern_members(json::object& result, const Server& server, std::string_view type) {
  result["resultType"] = type;
  result["_meta"] = json::object{{kMetaServerInfo, implementation(server.info(), Revision::v2025_06_18)}};
}

}  // namespace

bool completes(const Server& server) {
  const auto& offer = server.offer();
  const auto prompt_completes = [](const Prompt& prompt) {
    return std::any_of(prompt.arguments.begin(), prompt.arguments.end(),
                       [](const PromptArgument& argument) { return static_cast<bool>(argument.complete); });
  };
  const auto template_completes = [](const ResourceTemplate& one) { return !one.completions.empty(); };
  return std::any_of(offer.prompts.begin(), offer.prompts.end(), prompt_completes) ||
         std::any_of(offer.resource_templates.begin(), offer.resource_templates.end(), template_completes);
}

std::string discover_result(const Server& server) {
  constexpr auto kRevision = Revision::v2026_07_28;
  json::object result;
  add_modern_members(result, server, "complete");
  result["_meta"] = json::object{{kMetaServerInfo, implementation(server.info(), kRevision)}};
  result["supportedVersions"] = json::array{json::string(revision_text(kRevision))};
  result["capabilities"] = capabilities(server, kRevision);
  result["instructions"] = server.info().instructions;
  result["ttlMs"] = kFixed.ttl_ms;
  result["cacheScope"] = "public";
  return json::serialize(result);
}

std::string initialize_result(const Server& server, Revision revision) {
  return json::serialize(json::object{{"protocolVersion", revision_text(revision)},
                                      {"capabilities", capabilities(server, revision)},
                                      {"serverInfo", implementation(server.info(), revision)},
                                      {"instructions", server.info().instructions}});
}

std::string tool_call_result(const Server& server, const ToolResult& result, Revision revision) {
  const std::string_view text = result.text.empty() ? result.structured : result.text;
  std::string json = R"({"content":[)";
  json.reserve(text.size() + text.size() / 4 + result.structured.size() + 512);
  if (!text.empty()) {
    json += R"({"type":"text","text":)";
    append_json_string(json, text);
    json += "}";
  }
  for (const auto& block : result.content) json.append(json.back() == '[' ? "" : ",").append(json::serialize(block));
  json += "]";
  // D4: revisions before 2025-06-18 do not know structuredContent.
  if (revision >= Revision::v2025_06_18 && !result.structured.empty()) {
    json.append(R"(,"structuredContent":)").append(result.structured);
  }
  if (result.is_error) json += R"(,"isError":true)";
  if (revision == Revision::v2026_07_28) {
    const auto members = empty_result(server, revision);
    json.append(",").append(members, 1, members.size() - 2);
  }
  return json + "}";
}

std::string input_required_result(const Server& server, const std::vector<Question>& questions,
                                  std::string_view state) {
  json::object result, requests;
  for (const auto& question : questions) {
    requests[question.key] = json::object{{"method", question.method}, {"params", question.params}};
  }
  result["inputRequests"] = std::move(requests);
  result["requestState"] = state;
  add_modern_members(result, server, "input_required");
  return json::serialize(result);
}

std::string empty_result(const Server& server, Revision revision) { return result_text(server, revision, {}); }

std::string result_text(const Server& server, Revision revision, json::object members) {
  if (revision == Revision::v2026_07_28) add_modern_members(members, server, "complete");
  return json::serialize(members);
}

std::string kept_result_text(const Server& server, Revision revision, json::object members, CacheHint cache) {
  if (revision == Revision::v2026_07_28) {
    members["ttlMs"] = cache.ttl_ms;
    members["cacheScope"] = cache.same_for_everyone ? "public" : "private";
  }
  return result_text(server, revision, std::move(members));
}

CacheHint list_hint(const Server& server) {
  return server.offer().changes == nullptr ? kFixed : CacheHint{.ttl_ms = 0, .same_for_everyone = true};
}

}  // namespace adit::mcp
