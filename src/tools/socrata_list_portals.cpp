#include "adit/base/ascii_case.h"
#include "adit/base/json_fields.h"
#include "adit/tools/socrata_tools.h"
#include "asset_json.h"
#include "socrata_answer.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kDescription =
    "Lists government open-data portals that run on Socrata: domain, organization and how many datasets each publishes "
    "(counted by the discovery catalog, about once a day). It is a curated list of 39 well-known portals, after the "
    "ones "
    "that this server's own configuration names; socrata_find_datasets and socrata_query_dataset take any other "
    "Socrata "
    "portal's domain as well. Start here when you do not know which portal to ask, then pass a domain to "
    "socrata_find_datasets. Not for finding datasets by subject: socrata_find_datasets searches all portals at once. "
    "Example: {\"query\": \"chicago\"}.";

constexpr std::string_view kInput = R"({
  "query": {"type": "string", "description": "Part of a domain or of an organization's name, without regard to case. Leave it out for all portals.", "examples": ["seattle", "state of"]},
  "limit": {"default": 50, "description": "Most portals in the answer, 1 to 200.", "type": "integer", "minimum": 1, "maximum": 200},
  "offset": {"default": 0, "description": "Portals to skip, for the next page.", "type": "integer", "minimum": 0, "maximum": 9007199254740991}
})";

constexpr std::string_view kOutput = R"({
  "portals": {
    "type": "array",
    "description": "The portals that match, in a fixed order; empty when none does.",
    "items": {
      "type": "object",
      "properties": {
        "domain": {"type": "string", "description": "Host of the portal, to be passed as domain to the other tools."},
        "organization": {"type": "string", "description": "Who runs it, when known."},
        "dataset_count": {"type": ["number", "null"], "description": "Assets of the kind dataset that it shows in the catalog, as counted within the last day. 0: none; null: could not be counted now."}
      },
      "required": ["domain", "dataset_count"],
      "additionalProperties": false
    }
  },
  "totalCount": {"type": "number", "description": "Portals that match, on all pages together; 0 when none does."},
  "notice": {"type": "string", "description": "What to try when no portal is shown; absent otherwise."}
})";

bool matches(const socrata::PortalEntry& portal, const std::string& wanted) {
  return portal.domain.find(wanted) != std::string::npos ||
         ascii_lower_case(portal.organization).find(wanted) != std::string::npos;
}

std::string line_of(const socrata::PortalEntry& portal) {
  auto line = portal.domain;
  if (!portal.organization.empty()) line += " - " + portal.organization;
  line += portal.dataset_count ? fmt::format(" - {} datasets", *portal.dataset_count) : " - datasets not counted";
  if (portal.mapped) line += " (answered by a host of this server's configuration)";
  return line;
}

Task<mcp::ToolResult> call(socrata::Client& client, RequestContext context, json::object arguments) {
  ADIT_CO_TRY(auto portals, co_await client.portals(std::move(context)));
  const auto query = optional_text(arguments, "query");
  if (query)
    std::erase_if(portals,
                  [wanted = ascii_lower_case(*query)](const auto& portal) { return !matches(portal, wanted); });
  const auto total = portals.size();
  const auto begin = std::min(total, static_cast<std::size_t>(integer_or(arguments, "offset", 0)));
  const auto end = std::min(total, begin + static_cast<std::size_t>(integer_or(arguments, "limit", 50)));

  json::array entries;
  std::string text = fmt::format("{} portals", total);
  if (begin < end && end - begin < total) text += fmt::format(", {} to {} shown", begin + 1, end);
  for (std::size_t i = begin; i < end; ++i) {
    entries.push_back(portal_object(portals[i]));
    text += "\n" + line_of(portals[i]);
  }
  json::object answer{{"portals", std::move(entries)}, {"totalCount", total}};
  if (begin == end) {
    const auto notice = total == 0
                            ? fmt::format(
                                  "No portal's domain or organization contains {}: try a shorter word, or leave query "
                                  "out. socrata_find_datasets searches portals that are not in this list, too.",
                                  json::serialize(json::value(query.value_or(""))))
                            : fmt::format("The list has {} portals: offset is behind its end.", total);
    answer["notice"] = notice;
    text += "\n" + notice;
  }
  co_return mcp::ToolResult{.structured = json::serialize(answer), .text = std::move(text), .is_error = false};
}

}  // namespace

mcp::Tool socrata_list_portals_tool(socrata::Client& client) {
  return {.name = "socrata_list_portals",
          .title = "List open-data portals",
          .description = std::string(kDescription),
          .input_schema = input_schema(kInput, "[]"),
          .output_schema = socrata_output_schema(kOutput, R"(["portals", "totalCount"])",
                                                 "none, since a count that cannot be had is null."),
          .annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = true},
          .call = [&client](RequestContext context,
                            json::object arguments) { return call(client, context, std::move(arguments)); },
          .render_error = socrata_error_result};
}

}  // namespace adit::tools
