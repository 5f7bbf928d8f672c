#include "sources/exact_numbers.h"

#include "sources/day_order.h"
#include "sources/text_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace adit::worker {
namespace {

// The engine streams the columns once, whatever their number: aggregates over hundreds of them take it minutes to plan.
Result<std::vector<TextFacts>> facts_of(Engine& engine, const std::string& staging,
                                        const std::vector<std::string>& columns) {
  std::vector<std::string> quoted;
  for (const auto& column : columns) quoted.push_back(quoted_identifier(column));
  std::vector<TextFacts> facts(columns.size());
  ADIT_TRY(const auto statement,
           engine.prepare(fmt::format("SELECT {} FROM {}", fmt::join(quoted, ", "), quoted_identifier(staging))));
  ADIT_TRY(auto result, engine.stream(statement));
  for (;;) {
    ADIT_TRY(const auto chunk, engine.next_chunk(result));
    if (!chunk) return facts;
    const idx_t rows = duckdb_data_chunk_get_size(chunk.get());
    for (idx_t column = 0; column < columns.size(); ++column) {
      duckdb_vector vector = duckdb_data_chunk_get_vector(chunk.get(), column);
      uint64_t* validity = duckdb_vector_get_validity(vector);
      const auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
      for (idx_t row = 0; row < rows; ++row) {
        if (validity == nullptr || duckdb_validity_row_is_valid(validity, row)) {
          facts[column].add(text_view(texts[row]));
        }
      }
    }
  }
}

bool is_number(const ReaderColumn& column) {
  return column.type == "BIGINT" || column.type == "UBIGINT" || column.type == "HUGEINT" || column.type == "DOUBLE";
}

bool is_timestamp(const ReaderColumn& column) {
  const bool has_time =
      column.type == "TIME" || column.type == "TIMESTAMP" || column.type == "TIMESTAMP WITH TIME ZONE";
  return has_time && column.format.empty();
}

bool is_truth(const ReaderColumn& column) { return column.type == "BOOLEAN"; }

bool is_looked_at(const ReaderColumn& column) {
  return is_number(column) || is_truth(column) || is_timestamp(column) || column.may_be_time;
}

// The column's expression over the staging table. Every text fits the type, blank ones are NULL. Functions around
// the cast would make planning quadratic in the number of columns.
std::string cast_to(const std::string& type, const ReaderColumn& column, const TextFacts& facts) {
  auto quoted = quoted_identifier(column.name);
  if (type == "VARCHAR") return quoted;
  return fmt::format("{2}({0} AS {1}) AS {0}", quoted, type, facts.has_spaces() ? "TRY_CAST" : "CAST");
}

std::string number_expression(const ReaderColumn& column, const TextFacts& facts, std::size_t trusted_digits,
                              std::vector<TypingNote>& notes) {
  const auto type = facts.number_type(column.type == "DOUBLE", trusted_digits);
  if (type == "DOUBLE" && facts.rounded() > 0) {
    notes.push_back({.what = TypingNote::What::rounded,
                     .column = column.name,
                     .values = facts.rounded(),
                     .format = {},
                     .other = {}});
  }
  if (type == "VARCHAR" && facts.too_large() > 0) {
    notes.push_back({.what = TypingNote::What::too_large,
                     .column = column.name,
                     .values = facts.too_large(),
                     .format = {},
                     .other = {}});
  }
  return cast_to(type, column, facts);
}

Result<std::string> dated_expression(Engine& engine, const std::string& staging, const ReaderColumn& column,
                                     std::vector<TypingNote>& notes) {
  ADIT_TRY(const auto order, day_order(engine, staging, column.name, column.format));
  const auto quoted = quoted_identifier(column.name);
  if (order.fits && order.other.empty()) {
    notes.push_back(
        {.what = TypingNote::What::ordered, .column = column.name, .values = 0, .format = column.format, .other = {}});
    return fmt::format("CAST(strptime(nullif(trim({0}), ''), {1}) AS {2}) AS {0}", quoted,
                       quoted_literal(column.format), column.type);
  }
  if (order.fits) {
    notes.push_back({.what = TypingNote::What::ambiguous,
                     .column = column.name,
                     .values = 0,
                     .format = column.format,
                     .other = order.other});
  }
  return quoted;
}

}  // namespace

bool is_read_as_text(const ReaderColumn& column) { return is_looked_at(column) || !column.format.empty(); }

std::string staging_type(const ReaderColumn& column) { return is_read_as_text(column) ? "VARCHAR" : column.type; }

Result<void> type_columns(Engine& engine, const std::string& staging, const std::string& name,
                          const std::vector<ReaderColumn>& columns, std::size_t trusted_digits,
                          std::vector<TypingNote>& notes) {
  std::vector<std::string> looked_at;
  for (const auto& column : columns) {
    if (is_looked_at(column)) looked_at.push_back(column.name);
  }
  std::vector<TextFacts> facts;
  if (!looked_at.empty()) {
    ADIT_TRY(facts, facts_of(engine, staging, looked_at));
  }
  std::vector<std::string> items;
  bool all_as_staged = true;
  std::size_t at = 0;
  for (const auto& column : columns) {
    std::string item = quoted_identifier(column.name);
    if (is_number(column)) {
      item = number_expression(column, facts[at++], trusted_digits, notes);
    } else if (is_truth(column)) {
      item = cast_to(facts[at].truth_type(), column, facts[at]);
      ++at;
    } else if (is_timestamp(column)) {
      item = cast_to(facts[at].timestamp_type(column.type), column, facts[at]);
      ++at;
    } else if (column.may_be_time) {
      item = cast_to(facts[at].time_type(), column, facts[at]);
      ++at;
    } else if (!column.format.empty()) {
      ADIT_TRY(item, dated_expression(engine, staging, column, notes));
    }
    all_as_staged = all_as_staged && item == quoted_identifier(column.name);
    items.push_back(std::move(item));
  }
  if (all_as_staged) {
    return engine.execute(
        fmt::format("ALTER TABLE {} RENAME TO {}", quoted_identifier(staging), quoted_identifier(name)));
  }
  ADIT_CHECK(engine.execute(fmt::format("CREATE TABLE {} AS SELECT {} FROM {}", quoted_identifier(name),
                                        fmt::join(items, ", "), quoted_identifier(staging))));
  return engine.execute("DROP TABLE " + quoted_identifier(staging));
}

}  // namespace adit::worker
