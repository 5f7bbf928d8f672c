#include "engine_error.h"

#include "adit/base/json_fields.h"
#include "gate/functions.h"

#include <fmt/format.h>

#include <charconv>

namespace adit::worker {
namespace json = boost::json;
namespace {

// Advice of the engine that the gate would refuse: settings, pragmas, extensions, other catalogs.
bool is_refused_advice(std::string_view line) {
  for (const std::string_view word :
       {"SET ", "set ", "PRAGMA", "LOAD ", "INSTALL ", "https://", "pg_", "duckdb_", "information_schema", "sqlite_"}) {
    if (line.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool is_refused_function(std::string_view name) {
  return scalar_function_rule(name) == FunctionRule::refused || table_function_rule(name) == FunctionRule::refused;
}

bool has_text(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// `Did you mean "x"?` with an x that is there to be used.
bool is_useless_proposal(std::string_view line) {
  constexpr std::string_view kBegin = "Did you mean \"";
  if (!line.starts_with(kBegin)) return line.starts_with("Possible solutions:") || line.starts_with("Try ");
  const auto name = line.substr(kBegin.size(), line.find('"', kBegin.size()) - kBegin.size());
  return is_refused_function(name);
}

// A sentence of the first line that names a setting goes; the failure before it stays.
std::string_view without_setting_advice(std::string_view line) {
  for (const std::string_view begin : {" Use \"SET ", " Use \"set ", " (SET ", ". SET "}) {
    if (const auto at = line.find(begin); at != std::string_view::npos) return line.substr(0, at);
  }
  return line;
}

struct Reported {
  std::string type;     // "Binder", "Catalog", …
  std::string subtype;  // "COLUMN_NOT_FOUND", …
  std::string what;     // for a missing entry: "Table", "Scalar Function", …
  std::string name;
  std::string message;
  std::optional<std::int64_t> position;
  std::vector<std::string> candidates;
};

std::optional<std::int64_t> to_position(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::vector<std::string> split_candidates(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty() && names.size() < 3) {
    const auto end = list.find(',');
    auto name = list.substr(0, end);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    if (!name.empty() && !is_refused_advice(name) && !is_refused_function(name)) names.emplace_back(name);
  }
  return names;
}

// The best of `Candidate bindings: "name", "iata"`, for reports that give no candidates of their own.
std::vector<std::string> candidates_in(std::string_view message) {
  const auto list = message.find("Candidate bindings");
  const auto open = list == std::string_view::npos ? list : message.find('"', list);
  const auto close = open == std::string_view::npos ? open : message.find('"', open + 1);
  if (close == std::string_view::npos) return {};
  return {std::string(message.substr(open + 1, close - open - 1))};
}

Reported read_report(std::string_view text) {
  Reported report;
  const auto brace = text.find('{');
  auto tree = brace == std::string_view::npos ? Result<json::value>(Error{}) : parse_json(text.substr(brace));
  if (!tree.ok() || !tree->is_object() || !tree->get_object().contains("exception_message")) {
    report.message = cleaned_message(text);
    return report;
  }
  const auto& object = tree->get_object();
  report.type = text_or(object, "exception_type", "");
  report.subtype = text_or(object, "error_subtype", "");
  report.what = text_or(object, "type", "");
  report.name = text_or(object, "name", "");
  report.message = cleaned_message(text_or(object, "exception_message", ""));
  report.position = to_position(text_or(object, "position", ""));
  // For a function that fits no arguments the candidates are signatures, and stand in the message already.
  if (report.subtype != "NO_MATCHING_FUNCTION") report.candidates = split_candidates(text_or(object, "candidates", ""));
  if (report.candidates.empty()) report.candidates = candidates_in(report.message);
  return report;
}

std::string_view kind_of(const Reported& report) {
  if (report.type == "Parser" || report.type == "Syntax") return "parse_error";
  if (report.type == "Catalog") {
    if (has_text(report.what, "Function") || has_text(report.message, "Function with name") ||
        has_text(report.message, "is not an aggregate function")) {
      return "unknown_function";
    }
    if (report.what == "Table" || report.what == "View" || report.what.empty()) return "unknown_relation";
    return "type_error";
  }
  if (report.type == "Binder") {
    const bool column = report.subtype == "COLUMN_NOT_FOUND" || has_text(report.message, "not found in FROM clause") ||
                        has_text(report.message, "does not have a column named") ||
                        has_text(report.message, "Referenced table") ||
                        (has_text(report.message, "does not exist on") && has_text(report.message, "side of join")) ||
                        has_text(report.message, "No matching columns found");
    if (column) return "unknown_column";
    if (has_text(report.message, "recursion detected")) return "definition_cycle";
    return "type_error";
  }
  if (report.type == "Conversion" || report.type == "Mismatch Type") return "type_error";
  if (report.type == "Out of Memory") {
    const bool disk = report.message.find("temp_directory") != std::string::npos ||
                      report.message.find("max_temp_directory_size") != std::string::npos;
    return disk ? "disk_limit" : "memory_limit";
  }
  if (report.type == "IO" &&
      (has_text(report.message, "File too large") || has_text(report.message, "No space left"))) {
    return "disk_limit";
  }
  if (report.type == "INTERRUPT" || report.type == "Interrupt") return "cancelled";
  if (report.type == "Permission") return "not_allowed";
  if (report.type == "INTERNAL" || report.type == "FATAL") return "internal_error";
  return "runtime_error";
}

std::string_view stage_of(std::string_view kind, std::string_view stage) {
  if (kind == "parse_error") return "parse";
  if (kind == "not_allowed") return "policy";
  if (kind == "unknown_relation" || kind == "unknown_column" || kind == "unknown_function") return "bind";
  return stage;
}

bool speaks_of_types(const Reported& report) {
  if (report.subtype == "NO_MATCHING_FUNCTION") return true;
  for (const std::string_view part : {"type cast", "Cannot compare", "convert", "cast", "Cannot mix values"}) {
    if (has_text(report.message, part)) return true;
  }
  return false;
}

std::string_view hint_for(std::string_view kind, const Reported& report) {
  if (kind == "memory_limit") {
    return "The query needs more memory than one dataset may use: select fewer columns, filter earlier, or aggregate "
           "in steps.";
  }
  if (kind == "disk_limit") return "The intermediate results are too large: filter earlier or aggregate in steps.";
  if (kind == "type_error" && speaks_of_types(report))
    return "Make the types fit with CAST; TRY_CAST gives NULL where a value does not convert.";
  if (kind == "unknown_relation") return "open_dataset told the relations of this dataset; SHOW TABLES lists them.";
  if (kind == "unknown_column") return "DESCRIBE the relation to see its columns; quote names with \"double quotes\".";
  return "";
}

std::string type_name(duckdb_error_type type) {
  switch (type) {
    case DUCKDB_ERROR_OUT_OF_MEMORY: return "Out of Memory";
    case DUCKDB_ERROR_INTERRUPT: return "INTERRUPT";
    case DUCKDB_ERROR_PARSER: return "Parser";
    case DUCKDB_ERROR_BINDER: return "Binder";
    case DUCKDB_ERROR_CATALOG: return "Catalog";
    case DUCKDB_ERROR_CONVERSION: return "Conversion";
    case DUCKDB_ERROR_PERMISSION: return "Permission";
    case DUCKDB_ERROR_INTERNAL: return "INTERNAL";
    case DUCKDB_ERROR_FATAL: return "FATAL";
    default: return "";  // the other kinds are all "runtime_error"
  }
}

}  // namespace

std::string cleaned_message(std::string_view message) {
  std::string kept;
  std::size_t index = 0;
  while (!message.empty()) {
    const auto end = message.find('\n');
    const auto line = message.substr(0, end);
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
    // The first line is the failure itself; the lines after it are advice.
    if (index++ > 0 && (is_refused_advice(line) || is_useless_proposal(line))) continue;
    if (!kept.empty()) kept += '\n';
    kept += index == 1 ? without_setting_advice(line) : line;
  }
  while (!kept.empty() && (kept.back() == '\n' || kept.back() == ' ')) kept.pop_back();
  return kept;
}

Error engine_error(const char* text, duckdb_error_type type, std::string_view stage) {
  auto report = read_report(text != nullptr ? text : "the engine gave no reason");
  if (report.type.empty()) report.type = type_name(type);
  const auto kind = kind_of(report);
  // The engine's words are of a file of ours that cannot grow.
  if (kind == "disk_limit" && report.type == "IO") report.message = "The disk space of one dataset is used up";
  return Error{.code = kind == "internal_error" ? ErrorCode::internal : ErrorCode::validation,
               .reason = std::string(kind),
               .message = report.message,
               .hint = std::string(hint_for(kind, report)),
               .retryable = false,
               .stage = std::string(stage_of(kind, stage)),
               .position = report.position,
               .nearest = std::move(report.candidates)};
}

}  // namespace adit::worker
