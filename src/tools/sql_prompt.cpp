// The prompt that teaches the SQL tools, about one dataset or about datasets at large.
#include "adit/base/nearest_name.h"
#include "adit/mcp/content.h"
#include "adit/tools/sql_tools.h"
#include "dataset_completions.h"
#include "workspace_resource.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::tools {
namespace {

constexpr std::string_view kLesson =
    "Answer with the SQL tools of adit, from the data alone.\n"
    "1. open_dataset opens files once and answers a dataset_id with the relations, their columns and types. Read "
    "its issues: lines that were left out are listed there. describe_dataset tells the relations again, and "
    "list_datasets what is open.\n"
    "2. query runs one or more statements of DuckDB's SQL that read. Write values as 'text', names with other "
    "characters than letters, digits and _ as \"name\". Look at a few rows first, then count and group in SQL rather "
    "than by reading rows.\n"
    "3. Cells carry their type and an exact value; whole numbers and decimals are texts. total_rows is exact. When "
    "truncated is true, ask again with offset = next_offset, the same SQL and an ORDER BY that is unique.\n"
    "4. CREATE VIEW and CREATE TEMP TABLE … AS name a query for later statements; named_temp_queries does the same "
    "for one call.\n"
    "5. An error tells kind, place, near names and the next step: mend that statement and go on.\n"
    "6. Tell which relation and which statement each number comes from. close_dataset when all is answered.";

struct Subject {
  std::string question;
  std::string id;
  std::string relation;
};

std::string text_of(const mcp::PromptArguments& arguments, const std::string& name) {
  const auto argument = arguments.find(name);
  return argument != arguments.end() ? argument->second : "";
}

std::string lesson(const Subject& subject) {
  std::string text(kLesson);
  if (!subject.id.empty()) text += fmt::format("\n\nThe dataset is {}; its relations follow.", subject.id);
  if (!subject.relation.empty()) text += fmt::format(" Begin with the relation {}.", subject.relation);
  if (!subject.question.empty()) text += fmt::format("\n\nThe question: {}", subject.question);
  return text;
}

Error unknown_relation(const Subject& subject, const std::vector<std::string>& names) {
  auto nearest = nearest_names(subject.relation, names);
  return Error{.code = ErrorCode::invalid_params,
               .reason = "unknown_relation",
               .message = fmt::format("The dataset {} has no relation of this name", subject.id),
               .hint = nearest.empty() ? fmt::format("There are: {}.", fmt::join(names, ", "))
                                       : fmt::format("Did you mean {}?", nearest.front()),
               .nearest = nearest};
}

Result<void> check_relation(const Subject& subject, const workspace::DescribedDataset& dataset) {
  std::vector<std::string> names;
  for (const auto& relation : dataset.relations) names.push_back(relation.name);
  for (const auto& definition : dataset.definitions) names.push_back(definition.name);
  if (subject.relation.empty() || std::find(names.begin(), names.end(), subject.relation) != names.end()) return {};
  return unknown_relation(subject, names);
}

Task<mcp::PromptResult> get(workspace::Workspaces& workspaces, RequestContext context, mcp::PromptArguments arguments) {
  const Subject subject{.question = text_of(arguments, "question"),
                        .id = text_of(arguments, "dataset_id"),
                        .relation = text_of(arguments, "relation")};
  mcp::PromptResult prompt;
  prompt.description = "How to answer a question with SQL over datasets";
  prompt.messages.push_back({.role = "user", .content = mcp::text_content(lesson(subject))});
  if (!subject.id.empty()) {
    ADIT_CO_TRY(const auto dataset, co_await workspaces.describe(context, subject.id));
    ADIT_CO_CHECK(check_relation(subject, dataset));
    const auto content = workspace_content(workspace_uri(subject.id), subject.id, dataset);
    prompt.messages.push_back({.role = "user", .content = mcp::embedded_resource(content)});
  }
  co_return prompt;
}

}  // namespace

mcp::Prompt sql_prompt(workspace::Workspaces& workspaces) {
  return {.name = "query_with_sql",
          .title = "Answer a question with SQL",
          .description =
              "Teaches the tools for SQL over datasets; with dataset_id it brings the dataset's relations along.",
          .arguments =
              {{.name = "question", .title = "Question", .description = "What is to be found out.", .required = false},
               {.name = "dataset_id",
                .title = "Dataset",
                .description = "An open dataset, as open_dataset named it.",
                .required = false,
                .complete = dataset_ids(workspaces)},
               {.name = "relation",
                .title = "Relation",
                .description = "The relation of the dataset to begin with.",
                .required = false,
                .complete = relation_names(workspaces, "dataset_id")}},
          .get = [&workspaces](mcp::Dialogue dialogue, mcp::PromptArguments arguments) {
            return get(workspaces, dialogue.context(), std::move(arguments));
          }};
}

}  // namespace adit::tools
