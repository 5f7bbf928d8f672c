#include "engine_error.h"

#include "adit/base/json_fields.h"

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

std::string cleaned(std::string_view message) {
  std::string kept;
  std::size_t index = 0;
  while (!message.empty()) {
    const auto end = message.find('\n');
    const auto line = message.substr(0, end);
    message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
    // The first line is the failure itself; the lines after it are advice.
    if (index++ > 0 && is_refused_advice(line)) continue;
    if (!kept.empty()) kept += '\n';
    kept += line;
  }
  while (!kept.empty() && (kept.back() == '\n' || kept.back() == ' ')) kept.pop_back();
  return kept;
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
    if (!name.empty() && !is_refused_advice(name)) names.emplace_back(name);
  }
  return names;
}

Reported read_report(std::string_view text) {
  Reported report;
  const auto brace = text.find('{');
  auto tree = brace == std::string_view::npos ? Result<json::value>(Error{}) : parse_json(text.substr(brace));
  if (!tree.ok() || !tree->is_object() || !tree->get_object().contains("exception_message")) {
    report.message = cleaned(text);
    return report;
  }
  const auto& object = tree->get_object();
  report.type = text_or(object, "exception_type", "");
  report.subtype = text_or(object, "error_subtype", "");
  report.what = text_or(object, "type", "");
  report.name = text_or(object, "name", "");
  report.message = cleaned(text_or(object, "exception_message", ""));
  report.position = to_position(text_or(object, "position", ""));
  // For a function that fits no arguments the candidates are signatures, and stand in the message already.
  if (report.subtype != "NO_MATCHING_FUNCTION") report.candidates = split_candidates(text_or(object, "candidates", ""));
  return report;
}

std::string_view kind_of(const Reported& report) {
  if (report.type == "Parser" || report.type == "Syntax") return "parse_error";
  if (report.type == "Catalog") {
    if (report.what.find("Function") != std::string::npos) return "unknown_function";
    if (report.what == "Table" || report.what == "View" || report.what.empty()) return "unknown_relation";
    return "type_error";
  }
  if (report.type == "Binder") {
    if (report.subtype == "COLUMN_NOT_FOUND") return "unknown_column";
    if (report.message.find("not found") != std::string::npos) return "unknown_column";
    if (report.message.find("recursion detected") != std::string::npos) return "definition_cycle";
    return "type_error";
  }
  if (report.type == "Conversion" || report.type == "Mismatch Type") return "type_error";
  if (report.type == "Out of Memory") {
    const bool disk = report.message.find("temp_directory") != std::string::npos ||
                      report.message.find("max_temp_directory_size") != std::string::npos;
    return disk ? "disk_limit" : "memory_limit";
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

std::string_view hint_for(std::string_view kind) {
  if (kind == "memory_limit") {
    return "The query needs more memory than one dataset may use: select fewer columns, filter earlier, or aggregate "
           "in steps.";
  }
  if (kind == "disk_limit") return "The intermediate results are too large: filter earlier or aggregate in steps.";
  if (kind == "type_error") return "Make the types fit with CAST; TRY_CAST gives NULL where a value does not convert.";
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

Error engine_error(const char* text, duckdb_error_type type, std::string_view stage) {
  auto report = read_report(text != nullptr ? text : "the engine gave no reason");
  if (report.type.empty()) report.type = type_name(type);
  const auto kind = kind_of(report);
  return Error{.code = kind == "internal_error" ? ErrorCode::internal : ErrorCode::validation,
               .reason = std::string(kind),
               .message = std::move(report.message),
               .hint = std::string(hint_for(kind)),
               .retryable = false,
               .stage = std::string(stage_of(kind, stage)),
               .position = report.position,
               .nearest = std::move(report.candidates)};
}

}  // namespace adit::worker
