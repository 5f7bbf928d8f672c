#include "sources/day_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace adit::worker {
namespace {

// The same format with its day, month and two-digit year in every other order. A year of four digits keeps its place.
std::vector<std::string> other_orders(const std::string& format) {
  std::vector<std::size_t> places;
  std::string letters;
  for (std::size_t i = 0; i + 1 < format.size(); ++i) {
    if (format[i] != '%') continue;
    const char letter = format[++i];
    if (letter == 'd' || letter == 'm' || letter == 'y') {
      places.push_back(i);
      letters += letter;
    }
  }
  std::vector<std::string> formats;
  for (const std::string_view order : {"dm", "md", "ymd", "dmy", "mdy"}) {
    if (order == letters || order.size() != letters.size()) continue;
    auto other = format;
    for (std::size_t i = 0; i < places.size(); ++i) other[places[i]] = order[i];
    formats.push_back(std::move(other));
  }
  return formats;
}

}  // namespace

bool has_one_meaning(const std::string& format) { return format.starts_with("%Y"); }

Result<DayOrder> day_order(Engine& engine, const std::string& staging, const std::string& column,
                           const std::string& format) {
  const auto text = fmt::format("trim({})", quoted_identifier(column));
  const auto read = fmt::format("try_strptime({}, {})", text, quoted_literal(format));
  const auto others = other_orders(format);
  auto query = fmt::format("SELECT coalesce(bool_and({} IS NOT NULL), true)::VARCHAR", read);
  for (const auto& other : others) {
    const auto read_otherwise = fmt::format("try_strptime({}, {})", text, quoted_literal(other));
    query += fmt::format(", coalesce(bool_and({0} IS NOT NULL) AND bool_or({0} <> {1}), false)::VARCHAR",
                         read_otherwise, read);
  }
  ADIT_TRY(const auto rows,
           engine.rows_as_text(fmt::format("{} FROM {} WHERE {} <> ''", query, quoted_identifier(staging), text)));
  const auto& row = rows.front();
  DayOrder order{.fits = row[0] == "true", .other = {}};
  for (std::size_t i = 0; i < others.size() && order.other.empty(); ++i) {
    if (row[i + 1] == "true") order.other = others[i];
  }
  return order;
}

}  // namespace adit::worker
