#include "sources/exact_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

namespace adit::worker {
namespace {

constexpr std::size_t kMostDigits = 38;  // of DECIMAL and HUGEINT
constexpr std::size_t kMostPlaces = 18;  // behind the point
constexpr std::size_t kBigintDigits = 18;

// What all texts of one column have in common.
struct NumberFacts {
  bool all_plain = false;   // digits with an optional sign and point
  bool any_padded = false;  // 007
  std::size_t whole = 0;    // most digits before the point, leading zeros left out
  std::size_t places = 0;   // most digits behind it
};

// One aggregate row over the staging table gives the facts of all its numeric columns.
std::string facts_query(const std::string& staging, const std::vector<std::string>& columns) {
  std::vector<std::string> items;
  for (const auto& column : columns) {
    const auto text = fmt::format("trim({})", quoted_identifier(column));
    const auto bare = fmt::format("ltrim({}, '+-')", text);
    items.push_back(fmt::format(
        "coalesce(bool_and({0} = '' OR regexp_full_match({0}, '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)')), true)::VARCHAR",
        text));
    items.push_back(fmt::format("coalesce(bool_or(regexp_matches({0}, '^0[0-9]')), false)::VARCHAR", bare));
    items.push_back(fmt::format("coalesce(max(length(ltrim(split_part({0}, '.', 1), '0'))), 0)::VARCHAR", bare));
    items.push_back(fmt::format("coalesce(max(length(split_part({0}, '.', 2))), 0)::VARCHAR", bare));
  }
  return fmt::format("SELECT {} FROM {}", fmt::join(items, ", "), quoted_identifier(staging));
}

std::size_t to_count(const std::string& text) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string exact_type(const NumberFacts& facts, const std::string& found, std::size_t trusted_digits) {
  // What only looks like a whole number to the sniffer, 0x1F for one, is no number of the file's.
  if (!facts.all_plain) return found == "DOUBLE" ? found : "VARCHAR";
  if (facts.any_padded) return "VARCHAR";
  if (facts.places == 0) {
    if (facts.whole <= kBigintDigits || found == "BIGINT") return "BIGINT";
    return facts.whole <= kMostDigits ? "HUGEINT" : "DOUBLE";
  }
  const std::size_t digits = facts.whole + facts.places;
  if (facts.places > kMostPlaces || digits > kMostDigits || digits > trusted_digits) return "DOUBLE";
  return fmt::format("DECIMAL({},{})", std::max<std::size_t>(digits, 1), facts.places);
}

}  // namespace

bool is_read_as_text(const ReaderColumn& column) {
  return column.type == "BIGINT" || column.type == "UBIGINT" || column.type == "HUGEINT" || column.type == "DOUBLE";
}

std::string staging_type(const ReaderColumn& column) { return is_read_as_text(column) ? "VARCHAR" : column.type; }

Result<void> type_numbers(Engine& engine, const std::string& staging, const std::string& name,
                          const std::vector<ReaderColumn>& columns, std::size_t trusted_digits,
                          std::vector<std::string>& rounded) {
  std::vector<std::string> numeric;
  for (const auto& column : columns) {
    if (is_read_as_text(column)) numeric.push_back(column.name);
  }
  if (numeric.empty()) {
    return engine.execute(
        fmt::format("ALTER TABLE {} RENAME TO {}", quoted_identifier(staging), quoted_identifier(name)));
  }
  ADIT_TRY(const auto rows, engine.rows_as_text(facts_query(staging, numeric)));
  std::vector<std::string> items;
  std::size_t at = 0;
  for (const auto& column : columns) {
    const auto quoted = quoted_identifier(column.name);
    if (!is_read_as_text(column)) {
      items.push_back(quoted);
      continue;
    }
    const auto& row = rows.front();
    const NumberFacts facts{.all_plain = row[at] == "true",
                            .any_padded = row[at + 1] == "true",
                            .whole = to_count(row[at + 2]),
                            .places = to_count(row[at + 3])};
    at += 4;
    const auto type = exact_type(facts, column.type, trusted_digits);
    if (type == "DOUBLE" && facts.all_plain) rounded.push_back(column.name);
    items.push_back(type == "VARCHAR" ? quoted
                                      : fmt::format("CAST(nullif(trim({0}), '') AS {1}) AS {0}", quoted, type));
  }
  ADIT_CHECK(engine.execute(fmt::format("CREATE TABLE {} AS SELECT {} FROM {}", quoted_identifier(name),
                                        fmt::join(items, ", "), quoted_identifier(staging))));
  return engine.execute("DROP TABLE " + quoted_identifier(staging));
}

}  // namespace adit::worker
