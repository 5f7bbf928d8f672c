#include "support/generated_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace adit::test {
namespace {

struct ColumnFacts {
  std::string_view name, type;
};
constexpr ColumnFacts kColumns[] = {
    {"case_id", "number"}, {"borough", "text"},   {"amount", "number"},      {"opened_at", "floating_timestamp"},
    {"open", "checkbox"},  {"place", "location"}, {":id", "row_identifier"},
};
static_assert(std::size(kColumns) == kGeneratedColumns);

constexpr std::string_view kBoroughs[] = {"Center",  "Harbour",  "Käfertal",    "North",
                                          "O'Neill", "Quote\"d", "South, East", "West"};
constexpr std::uint64_t kIdBits = (std::uint64_t{1} << 60) - 1;
constexpr std::uint64_t kIdStep = 0x9E3779B97F4A7C15;  // odd, so that no two rows have one id
constexpr std::int64_t kFirstSecond = 1'420'070'400;   // 2015-01-01
constexpr std::uint64_t kSeconds = 10ull * 365 * 24 * 3600;

std::uint64_t next_random(std::uint64_t& state) {  // splitmix64
  state += 0x9E3779B97F4A7C15;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31);
}

// Twelve digits whose order is the numbers' order.
std::string id_text(std::uint64_t id) {
  constexpr std::string_view kDigits = "23456789abcdefghijkmnpqrstuvwxyz";
  std::string digits(12, '2');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, id >>= 5) *digit = kDigits[id & 31];
  return fmt::format("row-{}_{}~{}", digits.substr(0, 4), digits.substr(4, 4), digits.substr(8));
}

std::string amount_text(std::int32_t cents) {
  auto text = fmt::format("{}.{:02}", cents / 100, cents % 100);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string time_text(std::int64_t second) {
  const std::chrono::sys_seconds time{std::chrono::seconds(second)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.000", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// An address is JSON inside of JSON.
std::string place_text(std::uint64_t random) {
  const auto latitude = 47'000'000 + random % 1'000'000, longitude = 122'000'000 + (random >> 20) % 1'000'000;
  const auto address = fmt::format(R"({{"address": "{} Main St", "city": "", "state": "", "zip": ""}})", random >> 52);
  return fmt::format(R"({{"latitude":"{}.{:06}","longitude":"-{}.{:06}","human_address":{}}})", latitude / 1'000'000,
                     latitude % 1'000'000, longitude / 1'000'000, longitude % 1'000'000, json_text(address));
}

template <class T>
int three_way(T a, T b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

// A missing value is behind all others.
template <class T>
int missing_last(T a, T b) {
  if ((a < 0) != (b < 0)) return a < 0 ? 1 : -1;
  return three_way(a, b);
}

bool is_missing_possible(GeneratedColumn column) {
  return column == GeneratedColumn::amount || column == GeneratedColumn::open || column == GeneratedColumn::place;
}

}  // namespace

std::string_view name_of(GeneratedColumn column) { return kColumns[static_cast<std::size_t>(column)].name; }
std::string_view type_of(GeneratedColumn column) { return kColumns[static_cast<std::size_t>(column)].type; }

std::optional<GeneratedColumn> find_column(std::string_view name) {
  for (std::size_t i = 0; i < kGeneratedColumns; ++i) {
    if (kColumns[i].name == name) return static_cast<GeneratedColumn>(i);
  }
  return std::nullopt;
}

GeneratedRows::GeneratedRows(std::size_t count, std::uint64_t seed) : random_(seed) {
  constexpr std::size_t kRowBytes = 320;
  rows_.reserve(count + 1);
  storage_.reserve(count + 1);
  text_.reserve(count * kRowBytes);
  for (std::size_t i = 0; i < count; ++i) {
    storage_.push_back(static_cast<std::uint32_t>(i));
    add(static_cast<std::uint32_t>(i + 1), ((i + 1) * kIdStep) & kIdBits);
  }
}

void GeneratedRows::insert_first() {
  const auto number = static_cast<std::uint32_t>(rows_.size());
  // Each one before those inserted earlier.
  add(number + 1, 0xFFFFFF - number);
  storage_.insert(storage_.begin(), number);
}

void GeneratedRows::add(std::uint32_t case_id, std::uint64_t id) {
  const auto random = next_random(random_), more = next_random(random_);
  const auto borough = static_cast<std::uint8_t>(std::min(random % 8, (random >> 3) % 8));  // some have many rows
  const auto open = static_cast<std::int8_t>((more >> 40) % 10 == 0 ? -1 : static_cast<int>((more >> 50) % 2));
  Row row{.id = id,
          .opened_at = kFirstSecond + static_cast<std::int64_t>((random >> 6) % kSeconds),
          .case_id = case_id,
          .amount = more % 16 == 0 ? -1 : static_cast<std::int32_t>((more >> 4) % 1'000'000),
          .borough = borough,
          .open = open,
          .has_place = (more >> 32) % 8 != 0,
          .begin = static_cast<std::uint32_t>(text_.size()),
          .member_end = {}};
  const auto add_member = [&](GeneratedColumn column, bool is_present, const std::string& value) {
    if (is_present) {
      if (text_.size() > row.begin) text_ += ',';
      text_.append("\"").append(name_of(column)).append("\":").append(value);
    }
    row.member_end[static_cast<std::size_t>(column)] = static_cast<std::uint16_t>(text_.size() - row.begin);
  };
  add_member(GeneratedColumn::case_id, true, fmt::format("\"{}\"", case_id));
  add_member(GeneratedColumn::borough, true, json_text(kBoroughs[borough]));
  add_member(GeneratedColumn::amount, row.amount >= 0, json_text(amount_text(row.amount)));
  add_member(GeneratedColumn::opened_at, true, json_text(time_text(row.opened_at)));
  add_member(GeneratedColumn::open, row.open >= 0, row.open == 1 ? "true" : "false");
  add_member(GeneratedColumn::place, row.has_place, place_text(random));
  add_member(GeneratedColumn::id, true, json_text(id_text(id)));
  rows_.push_back(row);
}

std::string_view GeneratedRows::member(const Row& row, GeneratedColumn column) const {
  const auto number = static_cast<std::size_t>(column);
  const std::size_t begin = number == 0 ? 0 : row.member_end[number - 1];
  auto text = std::string_view(text_).substr(row.begin + begin, row.member_end[number] - begin);
  if (text.starts_with(',')) text.remove_prefix(1);
  return text;
}

void GeneratedRows::append_row(std::string& out, std::uint32_t number, std::span<const GeneratedColumn> columns) const {
  const auto& row = rows_[number];
  out += '{';
  if (columns.empty()) {
    out.append(text_, row.begin, row.member_end[kGeneratedOwnColumns - 1]);
  } else {
    bool is_first = true;
    for (const auto column : columns) {
      const auto text = member(row, column);
      if (text.empty()) continue;
      if (!is_first) out += ',';
      out += text;
      is_first = false;
    }
  }
  out += '}';
}

int GeneratedRows::compare(const Row& a, const Row& b, GeneratedColumn column) {
  switch (column) {
    case GeneratedColumn::case_id: return three_way(a.case_id, b.case_id);
    case GeneratedColumn::borough: return three_way(a.borough, b.borough);  // the list is in order
    case GeneratedColumn::amount: return missing_last(a.amount, b.amount);
    case GeneratedColumn::opened_at: return three_way(a.opened_at, b.opened_at);
    case GeneratedColumn::open: return missing_last(a.open, b.open);
    case GeneratedColumn::place: return 0;
    case GeneratedColumn::id: return three_way(a.id, b.id);
  }
  return 0;
}

OrderedRows GeneratedRows::ordered(std::span<const OrderTerm> terms, std::optional<GeneratedColumn> column,
                                   std::string_view value) const {
  OrderedRows ordered;
  const auto wanted = column ? fmt::format("\"{}\":{}", name_of(*column), json_text(value)) : "";
  for (const auto number : storage_) {
    if (!column || member(rows_[number], *column) == wanted) ordered.rows.push_back(number);
  }
  const auto compare_all = [&](std::uint32_t a, std::uint32_t b) {
    for (const auto& term : terms) {
      const int found = compare(rows_[a], rows_[b], term.column);
      if (found != 0) return term.direction == Direction::ascending ? found : -found;
    }
    return 0;
  };
  auto& rows = ordered.rows;
  if (!terms.empty()) {
    std::vector<std::uint32_t> stored_at(rows_.size());
    for (std::uint32_t i = 0; i < storage_.size(); ++i) stored_at[storage_[i]] = i;
    std::sort(rows.begin(), rows.end(), [&](auto a, auto b) {
      const int found = compare_all(a, b);
      return found != 0 ? found < 0 : stored_at[a] < stored_at[b];
    });
  }
  ordered.group_begin.resize(rows.size());
  ordered.group_end.resize(rows.size());
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && compare_all(rows[begin], rows[end]) == 0) ++end;
    for (auto i = begin; i < end; ++i) {
      ordered.group_begin[i] = static_cast<std::uint32_t>(begin);
      ordered.group_end[i] = static_cast<std::uint32_t>(end);
    }
  }
  return ordered;
}

std::size_t GeneratedRows::present(GeneratedColumn column) const {
  if (!is_missing_possible(column)) return rows_.size();
  return static_cast<std::size_t>(
      std::count_if(rows_.begin(), rows_.end(), [&](const Row& row) { return !member(row, column).empty(); }));
}

std::int64_t GeneratedRows::amount_cents() const {
  std::int64_t sum = 0;
  for (const auto& row : rows_) sum += std::max(row.amount, 0);
  return sum;
}

std::map<std::string, std::size_t> GeneratedRows::boroughs() const {
  std::map<std::string, std::size_t> counts;
  for (const auto& row : rows_) ++counts[std::string(kBoroughs[row.borough])];
  return counts;
}

}  // namespace adit::test
