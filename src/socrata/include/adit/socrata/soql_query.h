// The clauses of one SoQL query as SODA's URL parameters, and what has to be added to them so that pages agree.
// https://dev.socrata.com/docs/queries/
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace adit::socrata {

struct SoqlQuery {
  std::string search;  // $q
  std::string select, where, group, having, order;
  std::int64_t limit = 0;  // 0: not sent
  std::int64_t offset = 0;
};

// What the rows of an answer are, as far as the clauses tell.
enum class RowsKind {
  plain,       // rows of the dataset, columns or expressions of them
  grouped,     // $group, or DISTINCT: as many rows as there are values
  aggregated,  // an aggregate without $group: one row
};
RowsKind kind_of_rows(const SoqlQuery& query);

// The caller's order made total: plain rows are ordered by `:id` last, so that pages neither repeat nor lose rows.
// Grouped rows by all of what they are grouped by; an aggregate by nothing. A caller's order that names :id stays.
std::string total_order(const SoqlQuery& query);

// In the order select, q, where, group, having, order, limit, offset; what is empty is left out.
std::vector<std::pair<std::string, std::string>> parameters_of(const SoqlQuery& query);

// "$select=… $where=… $limit=100": the clauses as they are sent, unencoded, for people and models.
std::string assembled_query(const SoqlQuery& query);

}  // namespace adit::socrata
