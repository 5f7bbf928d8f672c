#include "table.h"

#include "adit/base/json_fields.h"

#include <fmt/format.h>

namespace adit::app {
namespace json = boost::json;
namespace {

struct Cell {
  std::string text;
  std::size_t width = 0;
  bool right = false;
};

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

std::string cut_to(std::string_view text, std::size_t widest) {
  std::string kept;
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && ++count > widest) return kept + "…";
    // A control character would move the cursor or worse.
    kept += static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7f ? ' ' : text[i];
  }
  return kept;
}

Cell make_cell(std::string_view text, bool right, std::size_t widest) {
  auto cut = cut_to(text, widest);
  const auto width = character_count(cut);
  return {.text = std::move(cut), .width = width, .right = right};
}

Cell make_cell(const json::object& cell, std::size_t widest) {
  const auto type = text_or(cell, "type", "");
  const auto& value = cell.at("value");
  const bool number = type == "int64" || type == "uint64" || type == "int128" || type == "uint128" ||
                      type == "float64" || type == "decimal";
  if (value.is_null()) return make_cell("NULL", false, widest);
  if (value.is_string()) return make_cell(value.get_string(), number, widest);
  if (value.is_double()) return make_cell(fmt::format("{}", value.get_double()), number, widest);
  return make_cell(json::serialize(value), number, widest);
}

std::string line_of(const std::vector<Cell>& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - cells[i].width, ' ');
    line += "  ";
    line += cells[i].right ? padding + cells[i].text : cells[i].text + padding;
  }
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

}  // namespace

std::string statement_table(const json::object& statement, std::size_t widest) {
  std::vector<std::vector<Cell>> lines(1);
  for (const auto& column : statement.at("columns").get_array()) {
    lines[0].push_back(make_cell(text_or(column.get_object(), "name", ""), false, widest));
  }
  for (const auto& row : statement.at("rows").get_array()) {
    auto& line = lines.emplace_back();
    for (const auto& cell : row.get_array()) line.push_back(make_cell(cell.get_object(), widest));
  }
  std::vector<std::size_t> widths(lines[0].size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].width);
  }
  if (lines.size() > 1) {
    for (std::size_t i = 0; i < widths.size(); ++i) lines[0][i].right = lines[1][i].right;
  }
  std::string text = line_of(lines[0], widths);
  std::vector<Cell> rule;
  for (const auto width : widths) {
    std::string bar;
    for (std::size_t i = 0; i < width; ++i) bar += "─";
    rule.push_back({.text = std::move(bar), .width = width, .right = false});
  }
  text += line_of(rule, widths);
  for (std::size_t i = 1; i < lines.size(); ++i) text += line_of(lines[i], widths);
  return text;
}

}  // namespace adit::app
