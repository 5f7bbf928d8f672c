// Reading order: GeneratedDataset::answer, State::answer_rows, parse_query_of, and State::page at the end.
#include "support/generated_portal.h"

#include "adit/base/ascii_case.h"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <mutex>

namespace adit::test {
namespace json = boost::json;
namespace {

constexpr std::size_t kDefaultLimit = 1000;
constexpr std::int64_t kFirstUpdate = 1'700'000'000;
constexpr std::int64_t kBetweenUpdates = 60;
constexpr std::size_t kKeptOrders = 16;

struct Filter {
  GeneratedColumn column;
  std::string value;
};

struct RowsQuery {
  std::vector<GeneratedColumn> columns = {};  // none: all own ones
  std::optional<std::string> count_alias = {};
  std::vector<OrderTerm> order = {};
  std::optional<Filter> filter = {};
  std::size_t limit = kDefaultLimit, offset = 0;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto comma = text.find(',');
    parts.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

std::string_view without_backticks(std::string_view name) {
  return name.size() > 1 && name.front() == '`' && name.back() == '`' ? name.substr(1, name.size() - 2) : name;
}

bool is_name(std::string_view text) {
  if (text.starts_with(':')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
                              std::string_view::npos;
}

PortalAnswer refusal(json::object body) { return {.status = 400, .body = json::serialize(body)}; }

// As the query coordinator words it: the message repeats the query.
PortalAnswer coordinator_error(std::string_view code, const std::string& text, json::object data) {
  const std::string line = "SELECT * FROM it";
  auto message = fmt::format("Query coordinator error: {}; {}; position: Map(row -> 1, column -> 1, line -> {})", code,
                             text, json::serialize(json::value(line)));
  data["dataset"] = "alpha.1";
  data["position"] = json::object{{"row", 1}, {"column", 1}, {"line", line}};
  return refusal({{"message", std::move(message)}, {"errorCode", code}, {"data", std::move(data)}});
}

PortalAnswer no_such_column(std::string_view name) {
  return coordinator_error("query.soql.no-such-column", fmt::format("No such column: {}", name), {{"column", name}});
}

PortalAnswer type_mismatch(GeneratedColumn column) {
  return coordinator_error("query.soql.type-mismatch", fmt::format("Type mismatch for op$=, is {}", type_of(column)),
                           {{"function", "op$="}, {"type", type_of(column)}});
}

PortalAnswer malformed(std::string_view clause, std::string_view text) {
  const auto query = fmt::format("select * {} {}", clause, text);
  return refusal({{"code", "query.compiler.malformed"},
                  {"error", true},
                  {"message", fmt::format("Could not parse SoQL query \"{}\" at line 1 character {}: Expected an "
                                          "expression, but got `{}'",
                                          query, 11 + clause.size(), trimmed(text).substr(0, 20))},
                  {"data", json::object{{"query", query}}}});
}

// The parsers below give the refusal, or nothing and what they have read in `query`.
using Refusal = std::optional<PortalAnswer>;

Refusal parse_count(std::string_view text, RowsQuery& query) {
  constexpr std::string_view kCount = "count(*)";
  auto alias = trimmed(text.substr(kCount.size()));
  if (ascii_lower_case(alias.substr(0, 3)) == "as ") alias = without_backticks(trimmed(alias.substr(3)));
  else if (!alias.empty()) return malformed("", text);
  if (!alias.empty() && !is_name(alias)) return malformed("", text);
  query.count_alias = alias.empty() ? "count" : alias;
  return std::nullopt;
}

Refusal parse_select(std::string_view text, RowsQuery& query) {
  if (ascii_lower_case(trimmed(text)).starts_with("count(*)")) return parse_count(trimmed(text), query);
  if (trimmed(text) == "*") return std::nullopt;
  for (const auto part : split_list(text)) {
    const auto name = without_backticks(part);
    if (part == "*") {
      for (std::size_t i = 0; i < kGeneratedOwnColumns; ++i) query.columns.push_back(static_cast<GeneratedColumn>(i));
    } else if (part == ":*") {
      query.columns.push_back(GeneratedColumn::id);
    } else if (const auto column = find_column(name)) {
      query.columns.push_back(*column);
    } else {
      return is_name(name) ? no_such_column(name) : malformed("", text);
    }
  }
  return std::nullopt;
}

Refusal parse_order(std::string_view text, const GeneratedOptions& options, RowsQuery& query) {
  for (const auto part : split_list(text)) {
    const auto space = std::min(part.size(), part.find(' '));
    const auto name = without_backticks(part.substr(0, space));
    const auto direction = ascii_lower_case(trimmed(part.substr(space)));
    if (!is_name(name) || (direction != "" && direction != "asc" && direction != "desc")) {
      return malformed("order by", text);
    }
    const auto column = find_column(name);
    if (!column || (*column == GeneratedColumn::id && options.refuses_id_in_order)) return no_such_column(name);
    if (*column == GeneratedColumn::place) return type_mismatch(*column);
    query.order.push_back({*column, direction == "desc" ? Direction::descending : Direction::ascending});
  }
  return std::nullopt;
}

Refusal parse_filter(std::string_view name, std::string value, RowsQuery& query) {
  const auto column = find_column(name);
  if (!column) return no_such_column(name);
  if (*column == GeneratedColumn::open || *column == GeneratedColumn::place) return type_mismatch(*column);
  query.filter = {*column, std::move(value)};
  return std::nullopt;
}

// column = 'text', where '' is a quote.
Refusal parse_where(std::string_view text, RowsQuery& query) {
  const auto equals = std::min(text.size(), text.find('='));
  const auto name = without_backticks(trimmed(text.substr(0, equals)));
  const auto literal = trimmed(text.substr(std::min(text.size(), equals + 1)));
  if (!is_name(name) || literal.size() < 2 || literal.front() != '\'' || literal.back() != '\'') {
    return malformed("where", text);
  }
  std::string value;
  const auto inner = literal.substr(1, literal.size() - 2);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '\'' && (i + 1 == inner.size() || inner[++i] != '\'')) return malformed("where", text);
    value += inner[i];
  }
  return parse_filter(name, std::move(value), query);
}

Refusal parse_number(std::string_view name, std::string_view text, std::size_t& number) {
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end) return std::nullopt;
  return malformed(name.substr(1), text);
}

Refusal parse_parameter(const std::string& name, const std::string& value, const GeneratedOptions& options,
                        RowsQuery& query) {
  if (name == "$limit") return parse_number(name, value, query.limit);
  if (name == "$offset") return parse_number(name, value, query.offset);
  if (name == "$select") return parse_select(value, query);
  if (name == "$order") return parse_order(value, options, query);
  if (name == "$where") return parse_where(value, query);
  if (name == "$$app_token") return std::nullopt;
  if (name.starts_with('$')) return malformed(name.substr(1), value);
  return parse_filter(name, value, query);
}

std::string fields_header(const RowsQuery& query, std::string_view (*text_of)(GeneratedColumn)) {
  json::array list;
  for (const auto column : query.columns) list.emplace_back(text_of(column));
  for (std::size_t i = 0; query.columns.empty() && i < kGeneratedOwnColumns; ++i) {
    list.emplace_back(text_of(static_cast<GeneratedColumn>(i)));
  }
  return json::serialize(list);
}

// All that decides which rows come in which order.
std::string order_key(const RowsQuery& query) {
  std::string key;
  for (const auto& term : query.order) {
    key += fmt::format("{}{},", term.direction == Direction::ascending ? '+' : '-', name_of(term.column));
  }
  if (query.filter) key += fmt::format("{}={}", name_of(query.filter->column), query.filter->value);
  return key;
}

// Another one of the orders of a group for each turn: which of its `size` rows comes at `place`.
std::size_t shuffled(std::size_t place, std::size_t size, std::size_t turn) {
  constexpr std::size_t kStep = 7919;  // a prime: with a size that it does not divide, every row comes once
  const auto step = size % kStep == 0 ? 1 : kStep;
  return (place * step + turn * (size / 3 + 1)) % size;
}

}  // namespace

struct GeneratedDataset::State {
  explicit State(GeneratedOptions wanted) : options(std::move(wanted)), rows(options.rows, options.seed) {}

  PortalAnswer answer_rows(const PortalRequest& request) {
    RowsQuery query;
    for (const auto& [name, value] : request.query) {
      if (auto refused = parse_parameter(name, value, options, query)) return std::move(*refused);
    }
    const auto& ordered = find_order(query);
    if (query.count_alias) {
      return {.headers = {{"X-SODA2-Fields", json::serialize(json::array{*query.count_alias})},
                          {"X-SODA2-Types", R"(["number"])"}},
              .body = fmt::format("[{{\"{}\":\"{}\"}}]\n", *query.count_alias, ordered.rows.size())};
    }
    PortalAnswer answer{.headers = {{"X-SODA2-Fields", fields_header(query, name_of)},
                                    {"X-SODA2-Types", fields_header(query, type_of)}},
                        .body = page(query, ordered),
                        .fault = options.fault};
    ++pages;
    if (options.changes_after_page == pages) insert_row();
    return answer;
  }

  std::string page(const RowsQuery& query, const OrderedRows& ordered) const {
    const auto size = ordered.rows.size();
    const auto begin = std::min(query.offset, size);
    auto count = std::min(query.limit, size - begin);
    if (options.most_rows_in_page != 0) count = std::min(count, options.most_rows_in_page);
    std::string body = "[";
    body.reserve(count * 320 + 8);
    for (auto at = begin; at < begin + count; ++at) {
      if (at != begin) body += "\n,";
      auto place = at;
      if (options.shuffles_ties) {
        const std::size_t group = ordered.group_begin[at];
        place = group + shuffled(at - group, ordered.group_end[at] - group, pages);
      }
      rows.append_row(body, ordered.rows[place], query.columns);
    }
    return body += "]\n";
  }

  // Sorted once for all pages.
  const OrderedRows& find_order(const RowsQuery& query) {
    const auto key = order_key(query);
    if (const auto found = orders.find(key); found != orders.end()) return found->second;
    if (orders.size() >= kKeptOrders) orders.clear();
    const auto column = query.filter ? std::optional(query.filter->column) : std::nullopt;
    const auto value = query.filter ? std::string_view(query.filter->value) : std::string_view();
    return orders.emplace(key, rows.ordered(query.order, column, value)).first->second;
  }

  void insert_row() {
    rows.insert_first();
    updated_at += kBetweenUpdates;
    orders.clear();
  }

  PortalAnswer answer_views() const {
    json::array columns;
    for (std::size_t i = 0; i < kGeneratedOwnColumns; ++i) {
      const auto column = static_cast<GeneratedColumn>(i);
      const auto present = rows.present(column);
      columns.push_back({{"id", 1000 + i},
                         {"name", name_of(column)},
                         {"fieldName", name_of(column)},
                         {"dataTypeName", type_of(column)},
                         {"renderTypeName", type_of(column)},
                         {"position", i + 1},
                         {"cachedContents",
                          {{"non_null", std::to_string(present)},
                           {"null", std::to_string(rows.size() - present)},
                           {"count", std::to_string(rows.size())}}}});
    }
    return {.body = json::serialize(json::object{{"id", options.id},
                                                 {"name", "Generated cases"},
                                                 {"assetType", "dataset"},
                                                 {"category", "Tests"},
                                                 {"description", "Rows that are made up"},
                                                 {"viewType", "tabular"},
                                                 {"displayType", "table"},
                                                 {"newBackend", true},
                                                 {"license", {{"name", "Public Domain"}}},
                                                 {"tags", {"made up", "cases"}},
                                                 {"rowsUpdatedAt", updated_at},
                                                 {"columns", std::move(columns)}})};
  }

  const GeneratedOptions options;
  std::mutex mutex;  // guards all below
  GeneratedRows rows;
  std::map<std::string, OrderedRows> orders;
  std::size_t pages = 0;
  std::int64_t updated_at = kFirstUpdate;
};

GeneratedDataset::GeneratedDataset(GeneratedOptions options) : state_(std::make_shared<State>(std::move(options))) {}

void GeneratedDataset::serve_on(ReplayPortal& portal) const {
  portal.handle([dataset = *this](const PortalRequest& request) { return dataset.answer(request); });
}

std::optional<PortalAnswer> GeneratedDataset::answer(const PortalRequest& request) const {
  const auto& options = state_->options;
  if (request.host != options.host || request.method != "GET") return std::nullopt;
  const std::lock_guard lock(state_->mutex);
  if (request.path == fmt::format("/resource/{}.json", options.id)) return state_->answer_rows(request);
  if (request.path == fmt::format("/api/views/{}.json", options.id)) return state_->answer_views();
  return std::nullopt;
}

void GeneratedDataset::insert_row() {
  const std::lock_guard lock(state_->mutex);
  state_->insert_row();
}

std::size_t GeneratedDataset::rows() const {
  const std::lock_guard lock(state_->mutex);
  return state_->rows.size();
}

std::size_t GeneratedDataset::pages() const {
  const std::lock_guard lock(state_->mutex);
  return state_->pages;
}

std::int64_t GeneratedDataset::rows_updated_at() const {
  const std::lock_guard lock(state_->mutex);
  return state_->updated_at;
}

std::size_t GeneratedDataset::present(GeneratedColumn column) const {
  const std::lock_guard lock(state_->mutex);
  return state_->rows.present(column);
}

std::int64_t GeneratedDataset::amount_cents() const {
  const std::lock_guard lock(state_->mutex);
  return state_->rows.amount_cents();
}

std::map<std::string, std::size_t> GeneratedDataset::boroughs() const {
  const std::lock_guard lock(state_->mutex);
  return state_->rows.boroughs();
}

}  // namespace adit::test
