#include "dataset_answers.h"

#include <utility>

namespace adit::workspace {
namespace protocol = worker_protocol;

std::vector<Relation> to_relations(std::vector<protocol::Relation> relations) {
  std::vector<Relation> converted;
  for (auto& relation : relations) {
    auto& made = converted.emplace_back();
    made.name = std::move(relation.name);
    made.source = std::move(relation.source);
    made.row_count = relation.row_count;
    for (auto& column : relation.columns) made.columns.push_back({std::move(column.name), std::move(column.type)});
  }
  return converted;
}

std::vector<Issue> to_issues(std::vector<protocol::Issue> issues) {
  std::vector<Issue> converted;
  for (auto& issue : issues) {
    converted.push_back({.severity = std::move(issue.severity),
                         .code = std::move(issue.code),
                         .source = std::move(issue.source),
                         .line = issue.line,
                         .message = std::move(issue.message)});
  }
  return converted;
}

DescribedDataset to_dataset(protocol::Described described) {
  DescribedDataset dataset;
  dataset.relations = to_relations(std::move(described.relations));
  for (auto& definition : described.definitions) {
    dataset.definitions.push_back({std::move(definition.name), std::move(definition.kind), std::move(definition.sql)});
  }
  return dataset;
}

}  // namespace adit::workspace
