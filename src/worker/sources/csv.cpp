// CSV and TSV, read once into a table: a lazy view would count lines that it later rejects, and would see the file
// change between pages. The form is found over the whole file, so that no value late in it is a surprise; lines that do
// not fit the form are left out and told as issues.
#include "sources/csv_lines.h"
#include "sources/day_order.h"
#include "sources/exact_numbers.h"
#include "sources/sources.h"

#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>

namespace adit::worker {

namespace {

constexpr int kMostIssues = 20;              // lines told one by one; the count is exact
constexpr std::size_t kLongestReason = 200;  // of a line's rejection, which may quote a whole field

// The engine keeps these among its temporary tables, where no relation of a workspace is.
constexpr std::string_view kRejects = "temp.main.adit_rejects";
constexpr std::string_view kRejectsScan = "temp.main.adit_rejects_scan";

// What the sniffer found: the reader's arguments beside the columns, as SQL.
struct CsvForm {
  std::string arguments;
  std::int64_t skipped_lines = 0;  // before the header or the first row
  std::vector<ReaderColumn> columns;
};

// A text that the sniffer prints for "none".
std::string or_nothing(const std::string& text) { return text == "(empty)" ? "" : text; }

std::string argument(std::string_view name, const std::string& value) {
  return fmt::format(", {} = {}", name, quoted_literal(value));
}

bool has_nul(const std::string& text) { return text.find('\0') != std::string::npos; }

Error not_text() {
  return Error{.code = ErrorCode::validation,
               .reason = "runtime_error",
               .message = "it is not a text: NUL characters stand in its first lines",
               .hint = "Check that it is the file you mean; a text in UTF-16 has to be saved as UTF-8.",
               .stage = "dataset"};
}

std::uint64_t to_position(const std::string& text) {
  std::uint64_t position = 0;
  std::from_chars(text.data(), text.data() + text.size(), position);
  return position;
}

Result<CsvForm> sniff(Engine& engine, const std::string& path, const std::string& format) {
  const auto tab = format == "tsv" ? ", delim = '\t'" : "";
  ADIT_TRY(
      const auto rows,
      engine.rows_as_text(fmt::format(
          "SELECT Delimiter, Quote, Escape, NewLineDelimiter, Comment, SkipRows::VARCHAR, HasHeader::VARCHAR, "
          "to_json(Columns)::VARCHAR, DateFormat, TimestampFormat FROM sniff_csv({}, sample_size = -1, comment = '', "
          "store_rejects = true, hive_partitioning = false{})",
          quoted_literal(path), tab)));
  if (rows.empty()) return internal_error("the form of the file was not found");
  const auto& row = rows.front();
  // SQL ends where a NUL stands, and a table of texts has none in its names and separators.
  for (const auto i : {0, 1, 2, 4}) {
    if (has_nul(row[static_cast<std::size_t>(i)])) return not_text();
  }
  CsvForm form;
  form.arguments = argument("delim", or_nothing(row[0])) + argument("quote", or_nothing(row[1])) +
                   argument("escape", or_nothing(row[2])) +
                   // A # is a letter as any other: nothing of a line is left out unseen.
                   argument("comment", "") + fmt::format(", skip = {}, header = {}", row[5], row[6]);
  // The sniffer shows line ends escaped; an unknown one is left to the reader.
  if (row[3] == "\\n" || row[3] == "\\r\\n" || row[3] == "\\r") form.arguments += argument("new_line", row[3]);
  form.skipped_lines = static_cast<std::int64_t>(to_position(row[5]));
  const auto& dates = row[8];
  const auto& timestamps = row[9];
  if (has_one_meaning(dates)) form.arguments += argument("dateformat", dates);
  if (has_one_meaning(timestamps)) form.arguments += argument("timestampformat", timestamps);
  ADIT_TRY(const auto columns, parse_json(row[7]));
  for (const auto& column : columns.as_array()) {
    ReaderColumn found{.name = text_or(column.as_object(), "name", ""),
                       .type = text_or(column.as_object(), "type", ""),
                       .format = {},
                       .may_be_time = false};
    if (has_nul(found.name)) return not_text();
    if (found.type == "DATE" && !has_one_meaning(dates)) found.format = dates;
    if (found.type == "TIMESTAMP" && !has_one_meaning(timestamps)) found.format = timestamps;
    form.columns.push_back(std::move(found));
  }
  return form;
}

std::string read_call(const std::string& path, const CsvForm& form) {
  std::vector<std::string> columns;
  for (const auto& column : form.columns) {
    columns.push_back(fmt::format("{}: {}", quoted_literal(column.name), quoted_literal(staging_type(column))));
  }
  return fmt::format(
      "read_csv({}, auto_detect = false, hive_partitioning = false{}, columns = {{{}}}, store_rejects = true, "
      "rejects_table = 'adit_rejects', rejects_scan = 'adit_rejects_scan', rejects_limit = 0)",
      quoted_literal(path), form.arguments, fmt::join(columns, ", "));
}

std::string short_reason(const std::string& text) {
  auto line = to_valid_utf8(text.substr(0, text.find('\n')));
  if (line.size() <= kLongestReason) return line;
  return fmt::format("{}… ({} bytes)", utf8_prefix(line, kLongestReason), line.size());
}

Result<void> tell_rejects(Engine& engine, const worker_protocol::FileSource& source, const std::string& path,
                          std::vector<worker_protocol::Issue>& issues) {
  // The engine's own number of a line counts records: a quoted line break before it makes it too small.
  ADIT_TRY(const auto rejects,
           engine.rows_as_text(fmt::format(
               "SELECT line_byte_position::VARCHAR, any_value(error_message), (count(*) OVER ())::VARCHAR FROM {} "
               "GROUP BY line_byte_position ORDER BY adit_rejects.line_byte_position LIMIT {}",
               kRejects, kMostIssues)));
  std::vector<std::uint64_t> positions;
  for (const auto& reject : rejects) positions.push_back(to_position(reject[0]));
  ADIT_TRY(const auto lines, lines_of_positions(path, positions));
  if (!rejects.empty()) {
    issues.push_back(
        {.severity = "warning",
         .code = "rows_rejected",
         .source = source.display,
         .line = {},
         .message = fmt::format("Lines that do not fit the form of the file, left out: {}", rejects.front()[2])});
  }
  for (std::size_t i = 0; i < rejects.size(); ++i) {
    issues.push_back({.severity = "warning",
                      .code = "row_rejected",
                      .source = source.display,
                      .line = lines[i],
                      .message = short_reason(rejects[i][1])});
  }
  ADIT_CHECK(engine.execute(fmt::format("DROP TABLE {}", kRejects)));
  return engine.execute(fmt::format("DROP TABLE {}", kRejectsScan));
}

// The engine proposes arguments of its reader, which nobody who opens a file can give, and shows all that it has tried.
Error in_words_of_the_tool(Error error) {
  if (error.reason != "runtime_error" && error.reason != "type_error") return error;
  const auto says = [&](std::string_view part) { return error.message.find(part) != std::string::npos; };
  if (says("Maximum line size") || says("max_line_size")) {
    error.message = "a row of it is longer than 2000000 bytes";
    error.hint = "Check its quotes: one that is not closed joins lines. Longer texts fit into Parquet.";
  } else if (says("dialect") || says("invalid state")) {
    error.message = "no separator and no way of quoting fits its lines";
    error.hint =
        "Check that every line has the same number of fields and that quotes are closed, or name the format that the "
        "file has.";
  } else if (says("nicode") || says("utf-8") || says("UTF-8")) {
    error.message = "it is not UTF-8 text";
    error.hint = "Save it as UTF-8, and open it again.";
  } else {
    error.message = short_reason(error.message);
  }
  return error;
}

}  // namespace

Result<void> import_csv(Engine& engine, const worker_protocol::FileSource& source, const Target& target,
                        const std::string& scratch, std::vector<worker_protocol::Issue>& issues) {
  CsvText text;
  ADIT_CHECK(prepare_csv(source.path, scratch, text));
  if (text.has_lone_cr) {
    issues.push_back({.severity = "warning",
                      .code = "line_ends_mixed",
                      .source = source.display,
                      .line = {},
                      .message = "Some lines end in CR alone, others in LF; each CR was taken for the end of a line"});
  }
  auto form = sniff(engine, text.path, source.format);
  if (!form.ok()) return in_words_of_the_tool(std::move(form).error());
  if (form->skipped_lines > 0) {
    issues.push_back(
        {.severity = "warning",
         .code = "lines_skipped",
         .source = source.display,
         .line = {},
         .message = fmt::format("Lines above the table that have another form, left out: {}", form->skipped_lines)});
  }
  auto staged = engine.execute(fmt::format("CREATE TABLE {} AS SELECT * FROM {}", quoted_identifier(target.staging),
                                           read_call(text.path, *form)));
  if (!staged.ok()) return in_words_of_the_tool(std::move(staged).error());
  ADIT_CHECK(tell_rejects(engine, source, text.path, issues));
  std::vector<TypingNote> notes;
  ADIT_CHECK(
      type_columns(engine, target.staging, target.name, form->columns, std::numeric_limits<std::size_t>::max(), notes));
  tell_typing(source, notes, issues);
  return {};
}

}  // namespace adit::worker
