// A page of a statement's rows and the exact count of all its rows.
//
// A statement without an order of its own runs as it was written, and is left when the page is full: the engine hands
// on its rows as they come. One with ORDER BY runs in a wrapper, SELECT * FROM (statement) LIMIT n OFFSET m, for which
// the engine keeps the first rows alone instead of sorting all. (For small results the wrapper costs more than the
// statement, so it is not the rule.) It renames duplicate columns, so where a name looks renamed the statement is
// prepared as it was written, too. One row over the limit is waited for: when it does not come, all have been counted.
// Otherwise SELECT count(*) FROM (statement) counts, without reading the columns. Statements whose rows differ from run
// to run are run once, to their end, and counted on the way.
//
// No transaction is opened around page and count: calls on a workspace run one after another, and nobody else writes.
#include "statement_run.h"

#include "adit/base/json_text.h"
#include "cells/cell_writer.h"
#include "cells/logical_type_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace adit::worker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kEchoBytes = 1000;       // of `sql`, by the contract
constexpr std::int64_t kLastOffset = 100'000;  // offset + limit may not exceed it
constexpr std::size_t kLeastEchoBytes = 60;    // where many statements share few bytes

struct Column {
  std::string name;
  LogicalType type;
  std::string type_text;
  std::string cast_to;  // "" or the type to read it as
};

std::vector<Column> columns_of(const PreparedStatement& statement) {
  std::vector<Column> columns;
  const idx_t count = duckdb_prepared_statement_column_count(statement.get());
  for (idx_t i = 0; i < count; ++i) {
    auto& column = columns.emplace_back();
    // This text is the API's own, unlike most others it is to be freed.
    column.name = take_text(const_cast<char*>(duckdb_prepared_statement_column_name(statement.get(), i)));
    column.type = LogicalType(duckdb_prepared_statement_column_logical_type(statement.get(), i));
    column.type_text = logical_type_text(column.type.get());
    column.cast_to = readable_type_text(column.type.get());
  }
  return columns;
}

// The wrapper tells duplicate names apart by _1, _2, …: where no name ends so, all are as the statement has them.
bool may_be_renamed(const std::vector<Column>& columns) {
  return std::any_of(columns.begin(), columns.end(), [](const Column& column) {
    const auto digits = column.name.find_last_not_of("0123456789");
    return digits != std::string::npos && digits + 1 < column.name.size() && column.name[digits] == '_';
  });
}

constexpr std::size_t kParenthesisBytes = 2;  // of in_parentheses, before the text

constexpr std::string_view kPlainPrefix = "SELECT * FROM ";

// The select list that reads each column by position, cast where it has to be.
std::string cast_list(const std::vector<Column>& columns) {
  std::string list;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    list +=
        fmt::format("{}#{}{}", i == 0 ? "" : ", ", i + 1, columns[i].cast_to.empty() ? "" : "::" + columns[i].cast_to);
  }
  return list;
}

// The rows of a result, printed until the limit or the budget is reached and counted all the same.
struct PrintedRows {
  std::string json;               // [..],[..]
  std::vector<std::size_t> ends;  // of each printed row in `json`
  std::int64_t seen = 0;          // rows that came, skipped and unprinted ones included
  bool all_came = false;          // the statement ran to its end
  std::size_t row_over = 0;       // bytes of the first row that did not fit; 0: all did
  std::vector<std::size_t> column_bytes;
  CellNotes notes;

  std::int64_t shown() const { return static_cast<std::int64_t>(ends.size()); }
  void drop_last() {
    ends.pop_back();
    const std::size_t end = ends.empty() ? 0 : ends.back();
    row_over = json.size() - end;
    json.resize(end);
  }
};

class RowPrinter {
 public:
  RowPrinter(RowWriter& writer, std::int64_t skip, std::int64_t limit, std::size_t budget)
      : writer_(writer), skip_(skip), limit_(limit), budget_(budget) {}

  void take(duckdb_data_chunk chunk) {
    writer_.bind(chunk);
    const auto count = static_cast<std::int64_t>(duckdb_data_chunk_get_size(chunk));
    for (std::int64_t row = 0; row < count; ++row) {
      const bool wanted = rows_.seen + row >= skip_ && rows_.shown() < limit_ && rows_.row_over == 0;
      if (wanted) print(static_cast<idx_t>(row));
    }
    rows_.seen += count;
  }

  bool page_is_full() const { return rows_.seen > skip_ + limit_; }

  PrintedRows finish(bool all_came) {
    rows_.all_came = all_came;
    rows_.column_bytes = writer_.column_bytes();
    rows_.notes = writer_.notes();
    return std::move(rows_);
  }

 private:
  void print(idx_t row) {
    const std::size_t before = rows_.json.size();
    if (!rows_.ends.empty()) rows_.json += ',';
    writer_.append_row(rows_.json, row);
    if (rows_.json.size() > budget_) {
      rows_.row_over = rows_.json.size() - before;
      rows_.json.resize(before);
      return;
    }
    rows_.ends.push_back(rows_.json.size());
  }

  RowWriter& writer_;
  std::int64_t skip_, limit_;
  std::size_t budget_;
  PrintedRows rows_;
};

// A statement ready to give its rows.
struct RowSource {
  PreparedStatement prepared;
  std::vector<Column> columns;   // named as the statement names them
  std::size_t prefix = 0;        // bytes of the text that ran before the statement's own
  std::int64_t skip = 0;         // rows that come before the page
  bool runs_to_its_end = false;  // all rows are wanted, for their count
  bool has_unknown_type = false;
};

// The engine's position counts in the wrapper's text; the caller's statement begins behind its prefix.
Error placed_in_statement(Error error, std::size_t prefix, const GatedStatement& statement) {
  if (error.position) {
    *error.position -= static_cast<std::int64_t>(prefix);
    if (*error.position < 0 || *error.position > static_cast<std::int64_t>(statement.text.size())) error.position = {};
  }
  if (error.position) *error.position += static_cast<std::int64_t>(statement.text_begin);
  return error;
}

// EXPLAIN cannot stand in a subquery: it is run as it is, and its few rows are skipped and counted here.
Result<RowSource> prepare_explain(Engine& engine, const GatedStatement& statement, const PageRequest& request) {
  const std::string_view prefix = statement.head.analyze ? "EXPLAIN ANALYZE " : "EXPLAIN ";
  auto prepared = engine.prepare(std::string(prefix) + statement.text);
  if (!prepared.ok()) return placed_in_statement(std::move(prepared).error(), prefix.size(), statement);
  RowSource source{.prepared = std::move(*prepared),
                   .columns = {},
                   .prefix = prefix.size(),
                   .skip = request.offset,
                   .runs_to_its_end = true};
  source.columns = columns_of(source.prepared);
  return source;
}

// A type whose number the C API does not name: the engine's own text of it, which costs a statement.
Result<void> ask_engine_for_types(Engine& engine, const GatedStatement& statement, RowSource& source) {
  ADIT_TRY(const auto rows, engine.rows_as_text("SELECT column_type FROM (DESCRIBE SELECT * FROM " +
                                                in_parentheses(statement.text) + ")"));
  for (std::size_t i = 0; i < source.columns.size() && i < rows.size(); ++i) {
    if (!has_unknown_part(source.columns[i].type.get())) continue;
    source.columns[i].type_text = rows[i][0];
    source.has_unknown_type = true;
  }
  return {};
}

Result<RowSource> prepare_rows(Engine& engine, const GatedStatement& statement, const PageRequest& request) {
  if (statement.head.kind == HeadKind::explain) return prepare_explain(engine, statement, request);
  const bool wrapped = statement.is_ordered && !statement.is_volatile;
  const auto page = wrapped ? fmt::format(" LIMIT {} OFFSET {}", request.limit + 1, request.offset) : "";
  const auto from = in_parentheses(statement.text) + page;
  RowSource source{.prepared = {},
                   .columns = {},
                   .prefix = wrapped ? kPlainPrefix.size() + kParenthesisBytes : 0,
                   .skip = wrapped ? 0 : request.offset,
                   .runs_to_its_end = statement.is_volatile};
  auto prepared = engine.prepare(wrapped ? std::string(kPlainPrefix) + from : statement.text);
  if (!prepared.ok()) return placed_in_statement(std::move(prepared).error(), source.prefix, statement);
  source.prepared = std::move(*prepared);
  source.columns = columns_of(source.prepared);
  if (wrapped && may_be_renamed(source.columns)) {
    ADIT_TRY(const auto as_written, engine.prepare(statement.text));
    source.columns = columns_of(as_written);
  }
  for (auto& column : source.columns) {
    if (!has_unknown_part(column.type.get())) continue;
    ADIT_CHECK(ask_engine_for_types(engine, statement, source));
    break;
  }
  const bool cast =
      std::any_of(source.columns.begin(), source.columns.end(), [](const Column& c) { return !c.cast_to.empty(); });
  if (cast) {
    const auto select = fmt::format("SELECT {} FROM ", cast_list(source.columns));
    source.prefix = select.size() + kParenthesisBytes;
    ADIT_TRY(source.prepared, engine.prepare(select + from));
  }
  return source;
}

Result<PrintedRows> print_rows(Engine& engine, const RowSource& source, std::int64_t limit, std::size_t budget) {
  std::vector<LogicalType> read_types;
  std::vector<RowWriter::ColumnType> types;
  for (idx_t i = 0; i < source.columns.size(); ++i) {
    read_types.emplace_back(duckdb_prepared_statement_column_logical_type(source.prepared.get(), i));
    types.push_back({source.columns[i].type.get(), read_types.back().get()});
  }
  RowWriter writer(types);
  RowPrinter printer(writer, source.skip, limit, budget);
  ADIT_TRY(auto result, engine.stream(source.prepared));
  for (;;) {
    ADIT_TRY(auto chunk, engine.next_chunk(result));
    if (!chunk) return printer.finish(true);
    printer.take(chunk.get());
    if (!source.runs_to_its_end && printer.page_is_full()) return printer.finish(false);
  }
}

Result<std::int64_t> count_rows(Engine& engine, const GatedStatement& statement) {
  ADIT_TRY(auto rows,
           engine.rows_as_text(fmt::format("SELECT count(*)::VARCHAR FROM {}", in_parentheses(statement.text))));
  std::int64_t count = 0;
  const auto& text = rows.front().front();
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

// Everything of the statement's object before its rows.
std::string opening(const GatedStatement& statement, const PageRequest& request, const std::vector<Column>& columns) {
  std::string json = fmt::format(R"({{"statement_index":{},"sql":)", request.statement_index);
  const auto echo = utf8_prefix(request.sql, std::clamp(request.budget / 3, kLeastEchoBytes, kEchoBytes));
  append_json_string(json, echo);
  if (echo.size() < request.sql.size()) json += R"(,"sql_truncated":true)";
  json += fmt::format(R"(,"kind":"{}","columns":[)", statement.kind);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    json += i == 0 ? R"({"name":)" : R"(,{"name":)";
    append_json_string(json, to_valid_utf8(columns[i].name));
    json += R"(,"type":)";
    append_json_string(json, to_valid_utf8(columns[i].type_text));
    json += '}';
  }
  json += R"(],"rows":[)";
  return json;
}

std::string widest_columns(const std::vector<Column>& columns, const std::vector<std::size_t>& bytes) {
  std::vector<std::size_t> order(bytes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return bytes[a] != bytes[b] ? bytes[a] > bytes[b] : a < b; });
  if (bytes.empty()) return "the names of the columns alone";
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i) {
    text +=
        fmt::format("{}{} ({} bytes)", i == 0 ? "" : ", ", utf8_prefix(columns[order[i]].name, 100), bytes[order[i]]);
  }
  return text;
}

Error too_large(const std::vector<Column>& columns, const PrintedRows& rows, std::size_t needed, std::size_t budget) {
  return Error{.code = ErrorCode::validation,
               .reason = "output_too_large",
               .message = fmt::format("One row with its columns needs {} bytes; {} are allowed. Widest columns: {}",
                                      needed, budget, widest_columns(columns, rows.column_bytes)),
               .hint = "Select fewer columns, or read long values in pieces with substr(column, start, length).",
               .stage = "render"};
}

std::string closing(const PageRequest& request, std::string_view next_offset, std::int64_t total, bool truncated) {
  auto json = fmt::format(R"(],"offset":{},"next_offset":{},"total_rows":{},"truncated":{})", request.offset,
                          next_offset, total, truncated);
  if (request.timing) {
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - request.start).count();
    json += fmt::format(R"(,"execute_ms":{:.3f})", ms);
  }
  return json + "}";
}

struct Count {
  std::int64_t rows = 0;
  bool without_columns = false;  // counted by a query of its own
};

Result<Count> count_all(Engine& engine, const GatedStatement& statement, const PageRequest& request,
                        const RowSource& source, const PrintedRows& printed) {
  // The wrapper passes over the rows before the page; none behind them may also mean that the page lies behind the end.
  const std::int64_t passed_over = request.offset - source.skip;
  const bool behind_the_end = printed.seen == 0 && passed_over > 0;
  const bool cut = printed.seen > source.skip + request.limit && !source.runs_to_its_end;
  if (printed.all_came && !behind_the_end && !cut) return Count{.rows = passed_over + printed.seen};
  ADIT_TRY(const auto rows, count_rows(engine, statement));
  return Count{.rows = rows, .without_columns = true};
}

// What follows the rows: the end of the object, and the diagnostics.
struct Tail {
  std::string json;
  std::vector<worker_protocol::Diagnostic> diagnostics;

  std::size_t bytes() const {
    std::size_t bytes = json.size() + 1;
    for (const auto& diagnostic : diagnostics) bytes += bytes_in_answer(diagnostic);
    return bytes;
  }
};

Tail tail_of(const GatedStatement& statement, const PageRequest& request, const RowSource& source,
             const PrintedRows& rows, const Count& count) {
  const std::int64_t next = request.offset + rows.shown();
  const bool more = next < count.rows && request.offset < count.rows;
  Tail tail{.json = closing(request, more ? std::to_string(next) : "null", count.rows, more), .diagnostics = {}};
  const auto note = [&](std::string code, std::string message) {
    tail.diagnostics.push_back({.severity = "info",
                                .code = std::move(code),
                                .message = std::move(message),
                                .statement_index = request.statement_index});
  };
  // A count does not evaluate the columns: rows behind this page may still fail, for a value that does not convert.
  if (count.without_columns && more && statement.may_fail_on_rows) {
    note("counted_without_columns", "total_rows was counted without evaluating all columns of the rows not shown");
  }
  if (more && !statement.is_ordered) {
    note("pages_may_overlap", "Without ORDER BY the order may differ from page to page; order by a unique key");
  }
  if (rows.row_over > 0) {
    const auto wanted = std::min(request.limit, count.rows - request.offset);
    note("page_cut_by_bytes",
         rows.shown() > 0
             ? fmt::format("{} of {} rows fit the bytes of this answer; go on at next_offset", rows.shown(), wanted)
             : "No row fits beside the other statements; send this statement in a call of its own");
  }
  if (more && next >= kLastOffset) {
    note("paging_ends", "Paging by offset ends at 100000 rows; go on with a predicate on the sort key");
  }
  if (source.has_unknown_type) {
    note("unknown_type", "A column of a type without a form of its own is shown as text");
  }
  if (rows.notes.replaced_invalid_utf8) {
    note("invalid_utf8", "Bytes that are not UTF-8 are shown as U+FFFD");
  }
  return tail;
}

}  // namespace

std::size_t Page::bytes() const {
  std::size_t bytes = json.size() + 1;
  for (const auto& diagnostic : diagnostics) bytes += bytes_in_answer(diagnostic);
  return bytes;
}

Result<Page> run_statement(Engine& engine, const GatedStatement& statement, const PageRequest& request) {
  ADIT_TRY(const auto source, prepare_rows(engine, statement, request));
  auto json = opening(statement, request, source.columns);
  if (json.size() > request.budget_alone) {
    return too_large(source.columns, PrintedRows(), json.size(), request.budget_alone);
  }
  const std::size_t row_budget = request.budget - std::min(request.budget, json.size());
  auto printed = print_rows(engine, source, request.limit, row_budget);
  if (!printed.ok()) {
    return placed_in_statement(std::move(printed).error(), source.prefix, statement);
  }
  auto& rows = *printed;
  ADIT_TRY(const auto count, count_all(engine, statement, request, source, rows));

  // Rows give way, from the last one, until the page and what is to be told of it fit together.
  auto tail = tail_of(statement, request, source, rows, count);
  while (json.size() + rows.json.size() + tail.bytes() > request.budget && rows.shown() > 0) {
    rows.drop_last();
    tail = tail_of(statement, request, source, rows, count);
  }
  const std::size_t needed = json.size() + rows.row_over + tail.bytes();
  if (rows.shown() == 0 && needed > request.budget_alone) {
    return too_large(source.columns, rows, needed, request.budget_alone);
  }
  json += rows.json;
  json += tail.json;
  return Page{.json = std::move(json), .diagnostics = std::move(tail.diagnostics)};
}

std::string statement_without_rows(const GatedStatement& statement, const PageRequest& request) {
  return opening(statement, request, {}) + closing(request, "null", 0, false);
}

}  // namespace adit::worker
