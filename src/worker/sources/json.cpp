// JSON (an array of objects, or objects one after another) and NDJSON, read once into a table. In NDJSON a line that is
// not JSON is left out and told; in JSON the file is refused, since what follows the damage cannot be told apart.
#include "sources/exact_numbers.h"
#include "sources/sources.h"

#include "adit/base/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

namespace adit::worker {
namespace {

constexpr std::size_t kMostIssues = 20;
constexpr std::size_t kJsonDigits = 15;  // the engine's reader takes numbers with a point through DOUBLE
constexpr std::string_view kStaging = "adit staging";
constexpr std::string_view kLargestObject = "67108864";

std::string read_call(const std::string& path, const std::string& format, std::string_view more) {
  return fmt::format("read_json({}, format = '{}', sample_size = -1, maximum_object_size = {}{})", quoted_literal(path),
                     format == "ndjson" ? "newline_delimited" : "auto", kLargestObject, more);
}

Result<void> import_readable(Engine& engine, const std::string& path, const worker_protocol::FileSource& source,
                             const std::string& name, std::vector<worker_protocol::Issue>& issues) {
  const auto& format = source.format;
  ADIT_TRY(const auto described,
           engine.rows_as_text(fmt::format("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {})",
                                           read_call(path, format, ""))));
  std::vector<ReaderColumn> columns;
  bool any_number = false;
  for (const auto& row : described) {
    columns.push_back({.name = row[0], .type = row[1]});
    any_number = any_number || is_read_as_text(columns.back());
  }
  // The reader finds keys again by their spelling; where it had to rename one (a and A), it is left to its own types.
  if (!any_number) {
    return engine.execute(
        fmt::format("CREATE TABLE {} AS SELECT * FROM {}", quoted_identifier(name), read_call(path, format, "")));
  }
  std::vector<std::string> selected;
  for (const auto& column : columns) {
    const auto quoted = quoted_identifier(column.name);
    selected.push_back(is_read_as_text(column) ? fmt::format("{0}::VARCHAR AS {0}", quoted) : quoted);
  }
  ADIT_CHECK(engine.execute(fmt::format("CREATE TABLE {} AS SELECT {} FROM {}", quoted_identifier(kStaging),
                                        fmt::join(selected, ", "), read_call(path, format, ""))));
  std::vector<std::string> rounded;
  ADIT_CHECK(type_numbers(engine, std::string(kStaging), name, columns, kJsonDigits, rounded));
  tell_rounded(source, rounded, issues);
  return {};
}

// Copies the lines that are JSON to `scratch` and tells the others; true when the copy is not the whole file as it is.
Result<bool> copy_valid_lines(const worker_protocol::FileSource& source, const std::string& scratch,
                              std::vector<worker_protocol::Issue>& issues) {
  std::ifstream in(source.path, std::ios::binary);
  std::ofstream out(scratch, std::ios::binary | std::ios::trunc);
  if (!in || !out) return internal_error("the file cannot be copied line by line");
  std::vector<worker_protocol::Issue> rejected;
  std::size_t rejected_count = 0;
  std::int64_t number = 0;
  std::string checked;
  bool differs = false;  // the copy is not what the file is
  for (std::string line; std::getline(in, line);) {
    if (++number == 1 && line.starts_with("\xEF\xBB\xBF")) {
      line.erase(0, 3);
      differs = true;
    }
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    checked.clear();
    const auto kind = append_checked_json(checked, line);
    if (kind.ok() && *kind == JsonKind::object) {
      out << checked << '\n';
      continue;
    }
    ++rejected_count;
    if (rejected.size() < kMostIssues) {
      rejected.push_back({.severity = "warning",
                          .code = "row_rejected",
                          .source = source.display,
                          .line = number,
                          .message = kind.ok() ? "The line is not a JSON object" : kind.error().message});
    }
  }
  if (rejected_count > 0) {
    issues.push_back({.severity = "warning",
                      .code = "rows_rejected",
                      .source = source.display,
                      .line = {},
                      .message = fmt::format("Lines that are not JSON objects, left out: {}", rejected_count)});
  }
  for (auto& issue : rejected) issues.push_back(std::move(issue));
  return differs || rejected_count > 0;
}

}  // namespace

Result<void> import_json(Engine& engine, const worker_protocol::FileSource& source, const std::string& name,
                         const std::string& scratch, std::vector<worker_protocol::Issue>& issues) {
  // In a transaction that has failed nothing more can be done, so that NDJSON is looked through first.
  if (source.format == "ndjson" && !source.path.ends_with(".gz")) {
    ADIT_TRY(const bool differs, copy_valid_lines(source, scratch, issues));
    if (differs) {
      auto imported = import_readable(engine, scratch, source, name, issues);
      std::ofstream(scratch, std::ios::trunc).flush();
      return imported;
    }
  }
  return import_readable(engine, source.path, source, name, issues);
}

}  // namespace adit::worker
