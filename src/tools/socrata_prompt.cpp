// The prompt that leads from a topic to numbers: portal, dataset, columns, rows, aggregates, answer.
#include "adit/mcp/content.h"
#include "adit/socrata/portals.h"
#include "adit/tools/socrata_tools.h"
#include "socrata_completions.h"

#include <fmt/format.h>

namespace adit::tools {
namespace {

std::string text_of(const mcp::PromptArguments& arguments, const std::string& name) {
  const auto argument = arguments.find(name);
  return argument != arguments.end() ? argument->second : "";
}

std::string steps(const std::string& topic, const std::string& portal, const std::string& geography) {
  const auto where = geography.empty() ? std::string() : fmt::format(" in {}", geography);
  const auto first = portal.empty()
                         ? std::string(
                               "socrata_list_portals names well-known portals; choose the ones whose area fits, or "
                               "search all of them in the next step.")
                         : fmt::format("Use the portal {}.", portal);
  return fmt::format(
      "Find out about {}{} with open government data.\n"
      "1. Portal: {}\n"
      "2. Datasets: socrata_find_datasets with words of the topic{}, only=\"datasets\". Compare names, descriptions "
      "and "
      "data_updated_at; keep dataset_id and domain together.\n"
      "3. Columns: socrata_get_dataset for each candidate. Note field names, types, row_count and how fresh the data "
      "is.\n"
      "4. A first look: socrata_query_dataset with a few columns, limit 100 to 500{}. Number columns take bare values, "
      "Text columns values in single quotes; every value arrives as text.\n"
      "5. Numbers: let the portal count and group (select with aggregates, group, order). If truncated is true, the "
      "rows are "
      "not all: say so, or go on with offset.\n"
      "6. Answer: tell each number with its dataset, portal, filter and date of update. Say what the data does not "
      "cover, and that "
      "texts were read as numbers where they were.",
      topic, where, first, portal.empty() ? "" : fmt::format(" and domain={}", portal),
      geography.empty() ? "" : fmt::format(", filtered to {}", geography));
}

Task<mcp::PromptResult> get(mcp::PromptArguments arguments) {
  auto portal = text_of(arguments, "portal");
  if (!portal.empty()) {
    ADIT_CO_TRY(portal, socrata::parse_portal_host(portal));
  }
  mcp::PromptResult prompt;
  prompt.description = "How to explore a topic with open data";
  prompt.messages.push_back(
      {.role = "user",
       .content = mcp::text_content(steps(text_of(arguments, "topic"), portal, text_of(arguments, "geography")))});
  co_return prompt;
}

}  // namespace

mcp::Prompt socrata_prompt(socrata::Client& client) {
  return {
      .name = "explore_open_data",
      .title = "Explore a topic in open data",
      .description = "Leads from a topic to numbers with their sources: portal, datasets, columns, rows, aggregates.",
      .arguments = {{.name = "topic",
                     .title = "Topic",
                     .description = "What is to be found out, such as building permits.",
                     .required = true,
                     .complete = seen_topics(client)},
                    {.name = "portal",
                     .title = "Portal",
                     .description = "Domain of the portal to use; without it one is chosen.",
                     .required = false,
                     .complete = portal_domains(client)},
                    {.name = "geography",
                     .title = "Area",
                     .description = "Place or area that the question is about.",
                     .required = false}},
      .get = [](mcp::Dialogue, mcp::PromptArguments arguments) { return get(std::move(arguments)); }};
}

}  // namespace adit::tools
