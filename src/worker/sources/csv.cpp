// CSV and TSV, read once into a table: a lazy view would count lines that it later rejects, and would see the file
// change between pages. The form is found over the whole file, so that no value late in it is a surprise; lines that do
// not fit the form are left out and told as issues.
#include "sources/exact_numbers.h"
#include "sources/sources.h"

#include "adit/base/json_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>

namespace adit::worker {
namespace json = boost::json;
namespace {

constexpr int kMostIssues = 20;  // lines told one by one; the count is exact
constexpr std::string_view kStaging = "adit staging";

// What the sniffer found: the reader's arguments beside the columns, as SQL.
struct CsvForm {
  std::string arguments;
  std::vector<ReaderColumn> columns;
};

// A text that the sniffer prints for "none".
std::string or_nothing(const std::string& text) { return text == "(empty)" ? "" : text; }

std::string argument(std::string_view name, const std::string& value) {
  return fmt::format(", {} = {}", name, quoted_literal(value));
}

Result<CsvForm> sniff(Engine& engine, const worker_protocol::FileSource& source) {
  const auto tab = source.format == "tsv" ? ", delim = '\t'" : "";
  ADIT_TRY(const auto rows,
           engine.rows_as_text(fmt::format(
               "SELECT Delimiter, Quote, Escape, NewLineDelimiter, Comment, SkipRows::VARCHAR, HasHeader::VARCHAR, "
               "to_json(Columns)::VARCHAR, DateFormat, TimestampFormat FROM sniff_csv({}, sample_size = -1, "
               "store_rejects = true{})",
               quoted_literal(source.path), tab)));
  if (rows.empty()) return internal_error("the form of the file was not found");
  const auto& row = rows.front();
  CsvForm form;
  form.arguments = argument("delim", or_nothing(row[0])) + argument("quote", or_nothing(row[1])) +
                   argument("escape", or_nothing(row[2])) + argument("comment", or_nothing(row[4])) +
                   fmt::format(", skip = {}, header = {}", row[5], row[6]);
  // The sniffer shows line ends escaped; a mixed or unknown one is left to the reader.
  if (row[3] == "\\n" || row[3] == "\\r\\n" || row[3] == "\\r") form.arguments += argument("new_line", row[3]);
  if (!row[8].empty()) form.arguments += argument("dateformat", row[8]);
  if (!row[9].empty()) form.arguments += argument("timestampformat", row[9]);
  ADIT_TRY(const auto columns, parse_json(row[7]));
  for (const auto& column : columns.as_array()) {
    form.columns.push_back(
        {.name = text_or(column.as_object(), "name", ""), .type = text_or(column.as_object(), "type", "")});
  }
  return form;
}

std::string read_call(const worker_protocol::FileSource& source, const CsvForm& form) {
  std::vector<std::string> columns;
  for (const auto& column : form.columns) {
    columns.push_back(fmt::format("{}: {}", quoted_literal(column.name), quoted_literal(staging_type(column))));
  }
  return fmt::format(
      "read_csv({}, auto_detect = false{}, columns = {{{}}}, store_rejects = true, rejects_table = "
      "'adit_rejects', rejects_scan = 'adit_rejects_scan', rejects_limit = 0)",
      quoted_literal(source.path), form.arguments, fmt::join(columns, ", "));
}

std::optional<std::int64_t> to_line(const std::string& text) {
  std::int64_t line = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  return error == std::errc() ? std::optional(line) : std::nullopt;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Result<void> tell_rejects(Engine& engine, const worker_protocol::FileSource& source,
                          std::vector<worker_protocol::Issue>& issues) {
  ADIT_TRY(auto rejects, engine.rows_as_text(
                             fmt::format("SELECT line::VARCHAR, any_value(error_message), (count(*) OVER ())::VARCHAR "
                                         "FROM adit_rejects GROUP BY line ORDER BY adit_rejects.line LIMIT {}",
                                         kMostIssues)));
  if (!rejects.empty()) {
    issues.push_back(
        {.severity = "warning",
         .code = "rows_rejected",
         .source = source.display,
         .line = {},
         .message = fmt::format("Lines that do not fit the form of the file, left out: {}", rejects.front()[2])});
  }
  for (const auto& reject : rejects) {
    issues.push_back({.severity = "warning",
                      .code = "row_rejected",
                      .source = source.display,
                      .line = to_line(reject[0]),
                      .message = first_line(reject[1])});
  }
  ADIT_CHECK(engine.execute("DROP TABLE adit_rejects"));
  return engine.execute("DROP TABLE adit_rejects_scan");
}

}  // namespace

Result<void> import_csv(Engine& engine, const worker_protocol::FileSource& source, const std::string& name,
                        std::vector<worker_protocol::Issue>& issues) {
  ADIT_TRY(const auto form, sniff(engine, source));
  ADIT_CHECK(engine.execute(
      fmt::format("CREATE TABLE {} AS SELECT * FROM {}", quoted_identifier(kStaging), read_call(source, form))));
  ADIT_CHECK(tell_rejects(engine, source, issues));
  std::vector<std::string> rounded;
  ADIT_CHECK(type_numbers(engine, std::string(kStaging), name, form.columns, std::numeric_limits<std::size_t>::max(),
                          rounded));
  tell_rounded(source, rounded, issues);
  return {};
}

}  // namespace adit::worker
