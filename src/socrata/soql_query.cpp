#include "adit/socrata/soql_query.h"

#include "adit/base/ascii_case.h"
#include "adit/soql/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace adit::socrata {
namespace {

using soql::Token;
using soql::TokenKind;

// https://dev.socrata.com/docs/functions/, the aggregates.
constexpr std::string_view kAggregates[] = {"avg",        "bool_and",   "bool_or",       "count",      "count_distinct",
                                            "extent",     "max",        "median",        "min",        "regr_intercept",
                                            "regr_r2",    "regr_slope", "spatial_union", "stddev_pop", "stddev_samp",
                                            "string_agg", "sum",        "var_pop",       "var_samp"};

bool is_name(const Token& token, std::string_view name) {
  return (token.kind == TokenKind::identifier || token.kind == TokenKind::keyword) && !token.quoted &&
         ascii_lower_case(token.value) == name;
}

bool is_symbol(const Token& token, std::string_view symbol) {
  return token.kind == TokenKind::symbol && token.value == symbol;
}

// The place behind the bracket that closes the one at `at`.
std::size_t behind_brackets(const std::vector<Token>& tokens, std::size_t at) {
  int depth = 0;
  for (; at < tokens.size(); ++at) {
    if (is_symbol(tokens[at], "(")) ++depth;
    if (is_symbol(tokens[at], ")") && --depth == 0) return at + 1;
  }
  return at;
}

// A window function (sum(x) over (…)) gives a value for every row and is no aggregate.
bool has_aggregate(const std::vector<Token>& tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const bool call = tokens[i].kind == TokenKind::identifier && is_symbol(tokens[i + 1], "(");
    if (!call) continue;
    const auto name = ascii_lower_case(tokens[i].value);
    if (std::find(std::begin(kAggregates), std::end(kAggregates), name) == std::end(kAggregates)) continue;
    const auto behind = behind_brackets(tokens, i + 1);
    const bool window =
        behind < tokens.size() && (is_name(tokens[behind], "over") || is_name(tokens[behind], "filter"));
    if (!window) return true;
    // count(*) filter (where …) is one as well, unless a window follows it.
    if (is_name(tokens[behind], "filter")) {
      const auto after = behind_brackets(tokens, behind + 1);
      if (after >= tokens.size() || !is_name(tokens[after], "over")) return true;
    }
  }
  return false;
}

// The items of a list at its top level, without their aliases.
std::vector<std::string> items_of(std::string_view text, const std::vector<Token>& tokens) {
  std::vector<std::string> items;
  int depth = 0;
  std::size_t begin = 0, end = 0;
  bool open = false, in_alias = false;
  const auto finish = [&] {
    if (open) items.emplace_back(text.substr(begin, end - begin));
    open = in_alias = false;
  };
  for (const auto& token : tokens) {
    if (token.kind == TokenKind::end) break;
    if (is_symbol(token, "(")) ++depth;
    if (is_symbol(token, ")")) --depth;
    if (depth == 0 && is_symbol(token, ",")) {
      finish();
      continue;
    }
    if (depth == 0 && is_name(token, "as")) in_alias = true;
    if (in_alias) continue;
    if (!open) begin = token.span.begin;
    open = true;
    end = token.span.end;
  }
  finish();
  return items;
}

// One of the items is :id itself, not an expression that mentions it.
bool orders_by_id(const std::vector<Token>& tokens) {
  int depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_symbol(tokens[i], "(")) ++depth;
    if (is_symbol(tokens[i], ")")) --depth;
    const bool at_begin = depth == 0 && (i == 0 || is_symbol(tokens[i - 1], ","));
    const bool id = tokens[i].kind == TokenKind::system_identifier && tokens[i].value == ":id";
    if (!at_begin || !id) continue;
    if (i + 1 == tokens.size()) return true;
    const auto& next = tokens[i + 1];
    if (next.kind == TokenKind::end || is_symbol(next, ",") || is_name(next, "asc") || is_name(next, "desc"))
      return true;
  }
  return false;
}

std::vector<Token> tokens_of(std::string_view text) {
  auto tokens = soql::tokenize(text);
  // What cannot be read is the portal's to refuse; here it only means that nothing is known.
  return tokens.ok() ? std::move(*tokens) : std::vector<Token>{};
}

// Without what stands behind the last token: a comment would swallow what is added.
std::string without_end(const std::string& text, const std::vector<Token>& tokens) {
  std::size_t end = 0;
  for (const auto& token : tokens) {
    if (token.kind != TokenKind::end) end = token.span.end;
  }
  return tokens.empty() ? text : text.substr(0, end);
}

std::string join_order(const std::string& order, const std::vector<std::string>& further) {
  if (further.empty()) return order;
  std::string joined = without_end(order, tokens_of(order));
  for (const auto& item : further) joined += (joined.empty() ? "" : ", ") + item;
  return joined;
}

}  // namespace

RowsKind kind_of_rows(const SoqlQuery& query) {
  if (!query.group.empty()) return RowsKind::grouped;
  const auto tokens = tokens_of(query.select);
  if (!tokens.empty() && is_name(tokens.front(), "distinct")) return RowsKind::grouped;
  return has_aggregate(tokens) || !query.having.empty() ? RowsKind::aggregated : RowsKind::plain;
}

std::string total_order(const SoqlQuery& query) {
  const auto order_tokens = tokens_of(query.order);
  switch (kind_of_rows(query)) {
    case RowsKind::aggregated: return query.order;
    case RowsKind::plain: return orders_by_id(order_tokens) ? query.order : join_order(query.order, {":id"});
    case RowsKind::grouped: break;
  }
  // What is already ordered by need not be named again.
  std::vector<std::string> missing;
  const auto ordered = query.order;
  const auto has = [&](const std::string& item) {
    const auto wanted = tokens_of(item);
    for (std::size_t i = 0; i + wanted.size() <= order_tokens.size() + 1; ++i) {
      bool same = i == 0 || is_symbol(order_tokens[i - 1], ",");
      for (std::size_t k = 0; same && k + 1 < wanted.size(); ++k) {
        same = i + k < order_tokens.size() && order_tokens[i + k].value == wanted[k].value;
      }
      const auto next = i + wanted.size() - 1;
      const bool ends = next >= order_tokens.size() || order_tokens[next].kind == TokenKind::end ||
                        is_symbol(order_tokens[next], ",") || is_name(order_tokens[next], "asc") ||
                        is_name(order_tokens[next], "desc");
      if (same && ends) return true;
    }
    return false;
  };
  std::vector<std::string> values;
  if (!query.group.empty()) {
    values = items_of(query.group, tokens_of(query.group));
  } else {
    auto tokens = tokens_of(query.select);
    tokens.erase(tokens.begin());  // DISTINCT
    values = items_of(query.select, tokens);
    // A star names no column that can be ordered by, and DISTINCT ON has its own list.
    const bool star = std::any_of(values.begin(), values.end(), [](const auto& v) { return v.find('*') != v.npos; });
    if (star || (!tokens.empty() && is_name(tokens.front(), "on"))) values.clear();
  }
  for (auto& value : values) {
    if (!has(value)) missing.push_back(std::move(value));
  }
  return join_order(ordered, missing);
}

std::vector<std::pair<std::string, std::string>> parameters_of(const SoqlQuery& query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) parameters.emplace_back(name, value);
  };
  add("$select", query.select);
  add("$q", query.search);
  add("$where", query.where);
  add("$group", query.group);
  add("$having", query.having);
  add("$order", query.order);
  if (query.limit > 0) add("$limit", std::to_string(query.limit));
  if (query.offset > 0) add("$offset", std::to_string(query.offset));
  return parameters;
}

std::string assembled_query(const SoqlQuery& query) {
  std::string text;
  for (const auto& [name, value] : parameters_of(query))
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

}  // namespace adit::socrata
