// JSON (an array of objects, or objects one after another) and NDJSON, read once into a table. In NDJSON a line that is
// not JSON is left out and told; in JSON the file is refused, since what follows the damage cannot be told apart.
#include "sources/exact_numbers.h"
#include "sources/file_bytes.h"
#include "sources/json_walk.h"
#include "sources/sources.h"

#include "adit/base/json_text.h"
#include "adit/base/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace adit::worker {
namespace {

constexpr std::size_t kMostIssues = 20;
constexpr std::size_t kJsonDigits = 15;          // the engine's reader takes numbers with a point through DOUBLE
constexpr std::size_t kLongestLine = 64u << 20;  // of NDJSON: the largest object
constexpr std::string_view kLargestObject = "67108864";

// Dates and times are found here and not by the engine, which drops the zone behind a time: no text has this format.
// Structs deeper than kTypedDepth stay JSON: the engine's types of them cost more than linear time.
constexpr std::string_view kTypedDepth = "16";
constexpr std::string_view kPlainDepth = "1";  // every column is JSON
constexpr std::string_view kNoTimes = ", dateformat = '%%', timestampformat = '%%'";

// A file and how deep its values get types of their own.
struct Readable {
  std::string path;
  std::string format;
  std::string_view typed_depth = kTypedDepth;
};

std::string read_call(const Readable& file, std::string_view more) {
  return fmt::format(
      "read_json({}, format = '{}', sample_size = -1, maximum_object_size = {}, maximum_depth = {}, "
      "hive_partitioning = false{}{})",
      quoted_literal(file.path), file.format == "ndjson" ? "newline_delimited" : "auto", kLargestObject,
      file.typed_depth, kNoTimes, more);
}

std::string describe_call(const Readable& file) {
  return fmt::format("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {})", read_call(file, ""));
}

// The engine has no STRUCT whose fields differ by case alone; such values stay JSON.
bool has_fields_of_one_name(const Error& error) { return error.message.find("Duplicate name") != std::string::npos; }

bool is_renamed(const std::string& name, const std::vector<ReaderColumn>& columns, const JsonWalk& walk) {
  if (walk.has_key(name)) return false;
  const auto end = name.rfind('_');
  if (end == std::string::npos || end + 1 == name.size()) return false;
  if (name.find_first_not_of("0123456789", end + 1) != std::string::npos) return false;
  return std::any_of(columns.begin(), columns.end(),
                     [&](const ReaderColumn& column) { return same_name(column.name, name.substr(0, end)); });
}

// The reader's types, with its own hands off numbers: given as texts they keep the digits that DOUBLE would lose.
// It finds keys again by their spelling; where it had to rename one (a and A), it is left to its own types, and so are
// values that are no objects, which it calls json.
std::string columns_argument(const std::vector<ReaderColumn>& columns, const JsonWalk& walk) {
  std::vector<std::string> items;
  for (const auto& column : columns) {
    if (is_renamed(column.name, columns, walk) || (columns.size() == 1 && column.name == "json")) return "";
    items.push_back(fmt::format("{}: {}", quoted_literal(column.name), quoted_literal(staging_type(column))));
  }
  return fmt::format(", columns = {{{}}}", fmt::join(items, ", "));
}

// SQL ends where a NUL stands.
Error nul_in_key() {
  return Error{.code = ErrorCode::validation,
               .reason = "runtime_error",
               .message = "a key has a NUL character (\\u0000), which no name of a column may have",
               .hint = "Give the key another name.",
               .stage = "dataset"};
}

Result<void> import_readable(Engine& engine, Readable file, const worker_protocol::FileSource& source,
                             const Target& target, std::vector<TypingNote>& notes, const JsonWalk& walk,
                             std::vector<worker_protocol::Issue>& issues) {
  auto described = engine.rows_beside_transaction(describe_call(file));
  const auto tell = [&](std::string message) {
    issues.push_back({.severity = "info",
                      .code = "keys_differ_by_case",
                      .source = source.display,
                      .line = {},
                      .message = std::move(message)});
  };
  if (!described.ok() && has_fields_of_one_name(described.error())) {
    tell(
        "Objects inside columns have keys that differ by case alone, for which there is no type: all columns are JSON. "
        "Read them with column ->> '$' or column ->> '$.key'");
    file.typed_depth = kPlainDepth;
    described = engine.rows_beside_transaction(describe_call(file));
  }
  if (!described.ok()) return std::move(described).error();
  std::vector<ReaderColumn> columns;
  for (const auto& row : *described) {
    if (row[0].find('\0') != std::string::npos || row[1].find('\0') != std::string::npos) return nul_in_key();
    columns.push_back({.name = row[0], .type = row[1], .format = {}, .may_be_time = row[1] == "VARCHAR"});
  }
  for (const auto& column : columns) {
    if (is_renamed(column.name, columns, walk)) {
      tell(fmt::format("Column {} is named so because its key differs from another one by case alone",
                       to_valid_utf8(column.name)));
    }
  }
  std::vector<std::string> selected;
  for (const auto& column : columns) {
    const auto quoted = quoted_identifier(column.name);
    selected.push_back(is_read_as_text(column) ? fmt::format("{0}::VARCHAR AS {0}", quoted) : quoted);
  }
  ADIT_CHECK(engine.execute(fmt::format("CREATE TABLE {} AS SELECT {} FROM {}", quoted_identifier(target.staging),
                                        fmt::join(selected, ", "), read_call(file, columns_argument(columns, walk)))));
  return type_columns(engine, target.staging, target.name, columns, kJsonDigits, notes);
}

// What stands in nested values, where no column tells it.
void tell_nested_numbers(const worker_protocol::FileSource& source, const JsonWalk& walk,
                         const std::vector<TypingNote>& notes, std::vector<worker_protocol::Issue>& issues) {
  const auto is_told = [&](TypingNote::What what) {
    return std::any_of(notes.begin(), notes.end(), [&](const TypingNote& note) { return note.what == what; });
  };
  const auto tell = [&](std::string_view code, std::string message) {
    issues.push_back({.severity = "warning",
                      .code = std::string(code),
                      .source = source.display,
                      .line = {},
                      .message = std::move(message)});
  };
  if (walk.infinite_numbers() > 0 && !is_told(TypingNote::What::too_large)) {
    tell("numbers_too_large",
         fmt::format("Numbers larger than DOUBLE holds, read as Infinity: {}", walk.infinite_numbers()));
  }
  if (walk.rounded_numbers() > 0 && !is_told(TypingNote::What::rounded)) {
    tell("numbers_rounded",
         fmt::format("Numbers with more digits than DOUBLE holds, rounded to it: {}", walk.rounded_numbers()));
  }
}

// Walks the file; one that is packed or begins with a byte order mark is copied to `scratch` for the engine.
Result<std::string> prepare_json(const std::string& path, const std::string& scratch, std::optional<ScratchFile>& copy,
                                 JsonWalk& walk) {
  ADIT_TRY(auto bytes, FileBytes::open(path));
  bool is_first = true;
  for (;;) {
    ADIT_TRY(auto piece, bytes.next());
    if (piece.empty()) break;
    if (is_first) {
      is_first = false;
      if (has_utf16_mark(piece)) return not_utf8("UTF-16 or UTF-32");
      const bool has_mark = piece.starts_with(kUtf8Mark);
      if (has_mark) piece.remove_prefix(kUtf8Mark.size());
      if (has_mark || bytes.is_gzip()) copy.emplace(scratch);
    }
    ADIT_CHECK(walk.add(piece));
    if (copy) {
      ADIT_CHECK(copy->write(piece));
    }
  }
  walk.finish();
  if (!copy) return path;
  ADIT_CHECK(copy->finish());
  return copy->path();
}

// Lines of NDJSON, and which of them are kept.
class LineFilter {
 public:
  LineFilter(const worker_protocol::FileSource& source, ScratchFile& out, JsonWalk& walk)
      : source_(source), out_(out), walk_(walk) {}

  Result<void> add(std::string_view piece) {
    while (!piece.empty()) {
      const auto end = piece.find('\n');
      line_ += piece.substr(0, end);
      if (line_.size() > kLongestLine) return too_long_line(number_ + 1, kLongestLine);
      if (end == std::string_view::npos) return {};
      piece.remove_prefix(end + 1);
      ADIT_CHECK(end_line());
    }
    return {};
  }

  // True when the copy is not what the file is.
  Result<bool> finish(std::vector<worker_protocol::Issue>& issues) {
    ADIT_CHECK(end_line());
    ADIT_CHECK(out_.write(buffer_));
    ADIT_CHECK(out_.finish());
    if (rejected_count_ > 0) {
      issues.push_back({.severity = "warning",
                        .code = "rows_rejected",
                        .source = source_.display,
                        .line = {},
                        .message = fmt::format("Lines that are not JSON objects, left out: {}", rejected_count_)});
    }
    for (auto& issue : rejected_) issues.push_back(std::move(issue));
    return differs_ || rejected_count_ > 0;
  }

 private:
  Result<void> end_line() {
    ++number_;
    std::string_view line = line_;
    if (number_ == 1 && line.starts_with(kUtf8Mark)) {
      line.remove_prefix(kUtf8Mark.size());
      differs_ = true;
    }
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      const auto size = buffer_.size();
      const auto kind = append_checked_json(buffer_, line, {.depth = kDeepestJson});
      if (kind.ok() && *kind == JsonKind::object) {
        ADIT_CHECK(walk_.add(std::string_view(buffer_).substr(size)));
        walk_.finish();
        buffer_ += '\n';
        if (buffer_.size() >= kWriteBytes) {
          ADIT_CHECK(out_.write(buffer_));
          buffer_.clear();
        }
      } else {
        buffer_.resize(size);
        reject(kind.ok() ? "The line is not a JSON object" : kind.error().message);
      }
    }
    line_.clear();
    return {};
  }

  void reject(std::string reason) {
    ++rejected_count_;
    if (rejected_.size() >= kMostIssues) return;
    rejected_.push_back({.severity = "warning",
                         .code = "row_rejected",
                         .source = source_.display,
                         .line = number_,
                         .message = std::move(reason)});
  }

  static constexpr std::size_t kWriteBytes = 1u << 20;

  const worker_protocol::FileSource& source_;
  ScratchFile& out_;
  JsonWalk& walk_;
  std::string line_, buffer_;
  std::int64_t number_ = 0;
  bool differs_ = false;
  std::size_t rejected_count_ = 0;
  std::vector<worker_protocol::Issue> rejected_;
};

Result<std::string> prepare_ndjson(const worker_protocol::FileSource& source, const std::string& scratch,
                                   std::optional<ScratchFile>& copy, JsonWalk& walk,
                                   std::vector<worker_protocol::Issue>& issues) {
  ADIT_TRY(auto bytes, FileBytes::open(source.path));
  copy.emplace(scratch);
  LineFilter filter(source, *copy, walk);
  bool is_first = true;
  for (;;) {
    ADIT_TRY(const auto piece, bytes.next());
    if (piece.empty()) break;
    if (is_first && has_utf16_mark(piece)) return not_utf8("UTF-16 or UTF-32");
    is_first = false;
    ADIT_CHECK(filter.add(piece));
  }
  ADIT_TRY(const bool differs, filter.finish(issues));
  return differs || bytes.is_gzip() ? copy->path() : source.path;
}

// Settings of the reader, which nobody who opens a file can give, are behind the first sentence.
Error in_words_of_the_tool(Error error) {
  auto& message = error.message;
  message.resize(std::min(message.find('\n'), message.size()));
  for (const std::string_view advice : {" Try setting", " Try increasing", " Increase ", " (increase"}) {
    message.resize(std::min(message.find(advice), message.size()));
  }
  return error;
}

}  // namespace

Result<void> import_json(Engine& engine, const worker_protocol::FileSource& source, const Target& target,
                         const std::string& scratch, std::vector<worker_protocol::Issue>& issues) {
  std::optional<ScratchFile> copy;
  JsonWalk walk;
  // In a transaction that has failed nothing more can be done, so that the file is looked through first.
  ADIT_TRY(const auto path, source.format == "ndjson" ? prepare_ndjson(source, scratch, copy, walk, issues)
                                                      : prepare_json(source.path, scratch, copy, walk));
  std::vector<TypingNote> notes;
  auto imported = import_readable(engine, {.path = path, .format = source.format}, source, target, notes, walk, issues);
  if (!imported.ok()) return in_words_of_the_tool(std::move(imported).error());
  tell_typing(source, notes, issues);
  tell_nested_numbers(source, walk, notes, issues);
  return {};
}

}  // namespace adit::worker
