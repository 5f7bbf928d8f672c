// An answer of the tool `query` as the lines that tests/sql/*.test expect (README.md describes them).
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace adit::test::sql_text {
namespace json = boost::json;

using Lines = std::vector<std::string>;

constexpr std::size_t kMostRows = 100;     // a longer page is shown as its first two rows, a count, and its last
constexpr std::size_t kLongestText = 500;  // a longer text is shown as its beginning and its size

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The text itself, or a JSON string where one could not see what it is: "", "a | b", a line break, spaces outside.
inline std::string shown(std::string_view text) {
  if (text.size() > kLongestText) {
    std::size_t end = 40;
    while ((text[end] & 0xC0) == 0x80) --end;  // not inside a character
    return fmt::format("{}… ({} bytes)", text.substr(0, end), text.size());
  }
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
  const bool odd = text.empty() || text.front() == ' ' || text.back() == ' ' || text.front() == '"' || text == "*" ||
                   text.find(" | ") != std::string_view::npos || std::any_of(text.begin(), text.end(), is_control);
  return odd ? json::serialize(json::string(text)) : std::string(text);
}

inline bool is_json(std::string_view text) {
  json::error_code error;
  json::parse(text, error, {}, {.max_depth = 1000});
  return !error;
}

inline std::string shown_cell(const json::value& cell) {
  const std::string_view type = cell.at("type").as_string();
  const auto& value = cell.at("value");
  if (type == "null" && value.is_null()) return "null";
  if (type == "boolean" && value.is_bool()) return fmt::format("boolean {}", value.get_bool());
  const std::string_view text = value.is_string() ? value.get_string() : std::string_view();
  if (type == "float64" && text.starts_with('#')) return fmt::format("float64 {}", text.substr(1));  // quoted_floats
  const bool known = type == "json"      ? is_json(text)
                     : type == "float64" ? is_one_of(text, {"NaN", "Infinity", "-Infinity"})
                                         : value.is_string() && !is_one_of(type, {"null", "boolean"});
  if (!known) ADD_FAILURE() << "a cell that the contract does not know: " << json::serialize(cell);
  return fmt::format("{} {}", type, type == "json" && text.size() <= kLongestText ? text : shown(text));
}

template <class Show>
std::string joined(const json::array& items, std::string_view between, const Show& show) {
  Lines texts;
  for (const auto& item : items) texts.push_back(show(item));
  return fmt::format("{}", fmt::join(texts, between));
}

inline Lines statement_lines(const json::object& statement) {
  Lines lines;
  const std::string_view kind = statement.at("kind").as_string();
  if (kind != "select") lines.push_back(fmt::format("kind {}", kind));
  lines.push_back("columns " + joined(statement.at("columns").as_array(), " | ", [](const json::value& column) {
                    return shown(column.at("name").as_string()) + " " + shown(column.at("type").as_string());
                  }));
  lines.push_back(fmt::format("total {}", statement.at("total_rows").as_int64()));
  if (statement.at("truncated").as_bool()) {
    lines.push_back("truncated next " + json::serialize(statement.at("next_offset")));
  }
  const auto& rows = statement.at("rows").as_array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.size() > kMostRows && i == 2) {
      lines.push_back(fmt::format("… {} rows", rows.size() - 3));
      i = rows.size() - 1;
    }
    lines.push_back(joined(rows[i].as_array(), " | ", shown_cell));
  }
  return lines;
}

inline std::string error_line(const json::object& error) {
  auto line = fmt::format("error {} stage {}", std::string_view(error.at("kind").as_string()),
                          std::string_view(error.at("stage").as_string()));
  if (const auto* position = error.if_contains("position")) line += fmt::format(" position {}", position->as_int64());
  if (error.contains("retryable") && error.at("retryable").as_bool()) line += " retryable";
  if (const auto* nearest = error.if_contains("nearest")) {
    line += " nearest " + joined(nearest->as_array(), ", ", [](const auto& name) { return shown(name.as_string()); });
  }
  return line;
}

// The lines of each statement; what belongs to the whole call stands behind those of its last one.
inline std::vector<Lines> answer_lines(const json::object& answer, std::size_t count) {
  std::vector<Lines> lines(count);
  Lines of_call;
  const auto place = [&](const json::object& object, const std::string& line) {
    const auto* index = object.if_contains("statement_index");
    if (index != nullptr) lines.at(index->to_number<std::size_t>()).push_back(line);
    else of_call.push_back("call " + line);
  };
  const auto list = [&](std::string_view name) {
    const auto* found = answer.if_contains(name);
    return found != nullptr ? found->as_array() : json::array();
  };
  for (const auto& statement : list("statements")) {
    lines.at(statement.at("statement_index").to_number<std::size_t>()) = statement_lines(statement.as_object());
  }
  if (const auto* error = answer.if_contains("error")) place(error->as_object(), error_line(error->as_object()));
  for (auto& of_statement : lines) {
    if (of_statement.empty()) of_statement.push_back("not run");
  }
  for (const auto& diagnostic : list("diagnostics")) {
    const bool info = diagnostic.at("severity").as_string() == "info";
    place(diagnostic.as_object(), (info ? "diagnostic " : "warning ") + std::string(diagnostic.at("code").as_string()));
  }
  if (answer.contains("timing")) of_call.push_back("call timing " + json::serialize(answer.at("timing")));
  lines.back().insert(lines.back().end(), of_call.begin(), of_call.end());
  return lines;
}

// ---- open_dataset, describe_dataset, list_datasets

inline std::string relation_line(const json::object& relation) {
  const auto& count = relation.at("row_count");
  const auto columns = joined(relation.at("columns").as_array(), " | ", [](const json::value& column) {
    return shown(column.at("name").as_string()) + " " + shown(column.at("type").as_string());
  });
  return fmt::format("relation {} ({}), {} rows: {}", shown(relation.at("name").as_string()),
                     shown(relation.at("source").as_string()),
                     count.is_null() ? "unknown" : std::to_string(count.as_int64()), columns);
}

inline std::string issue_line(const json::object& issue) {
  auto line = fmt::format("issue {} {}", std::string_view(issue.at("severity").as_string()),
                          std::string_view(issue.at("code").as_string()));
  if (const auto* number = issue.if_contains("line")) line += fmt::format(" line {}", number->as_int64());
  if (const auto* source = issue.if_contains("source")) line += fmt::format(" of {}", shown(source->as_string()));
  return line + ": " + shown(issue.at("message").as_string());
}

inline Lines opening_lines(const json::object& answer) {
  if (const auto* error = answer.if_contains("error")) return {error_line(error->as_object())};
  Lines lines;
  for (const auto& relation : answer.at("relations").as_array()) lines.push_back(relation_line(relation.as_object()));
  for (const auto& issue : answer.at("issues").as_array()) lines.push_back(issue_line(issue.as_object()));
  return lines;
}

inline Lines description_lines(const json::object& answer) {
  if (const auto* error = answer.if_contains("error")) return {error_line(error->as_object())};
  Lines lines;
  for (const auto& relation : answer.at("relations").as_array()) lines.push_back(relation_line(relation.as_object()));
  for (const auto& definition : answer.at("definitions").as_array()) {
    lines.push_back(fmt::format("definition {} {}: {}", std::string_view(definition.at("kind").as_string()),
                                shown(definition.at("name").as_string()), shown(definition.at("sql").as_string())));
  }
  lines.push_back(fmt::format("example {}", shown(answer.at("example_query").as_string())));
  return lines;
}

inline Lines list_lines(const json::object& answer) {
  Lines lines;
  for (const auto& dataset : answer.at("datasets").as_array()) {
    const auto sources = joined(dataset.at("sources").as_array(), ", ",
                                [](const json::value& source) { return shown(source.as_string()); });
    lines.push_back(fmt::format("dataset {}: {}", std::string_view(dataset.at("dataset_id").as_string()), sources));
  }
  return lines;
}

// A parsed double would hide how it was printed: the number of a float64 cell becomes a text, "#" and its bytes.
inline std::string quoted_floats(std::string_view message) {
  constexpr std::string_view kCell = R"({"type":"float64","value":)";
  std::string out;
  for (auto at = message.find(kCell); at != std::string_view::npos; at = message.find(kCell)) {
    out += message.substr(0, at + kCell.size());
    message.remove_prefix(at + kCell.size());
    if (message.starts_with('"')) continue;
    const auto end = message.find('}');
    out.append("\"#").append(message.substr(0, end)).append("\"");
    message.remove_prefix(end);
  }
  return out.append(message);
}

}  // namespace adit::test::sql_text
