#include "export_rows.h"

#include "adit/base/json_text.h"
#include "cells/cell_writer.h"
#include "cells/logical_type_text.h"
#include "definitions.h"
#include "gate/gate.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>

namespace adit::worker {
namespace {

constexpr std::size_t kWriteBytes = 1 << 20;

Error write_error() {
  return Error{.code = ErrorCode::validation,
               .reason = "disk_limit",
               .message = "The rows do not fit on the disk space of one dataset",
               .hint = "Select fewer rows or columns.",
               .stage = "execute"};
}

// The wrapper gives every column a name of its own.
struct ObjectRows {
  PreparedStatement prepared;
  std::vector<std::string> names;  // JSON strings
  std::vector<LogicalType> types, read_types;
};

Result<ObjectRows> prepare_objects(Engine& engine, const std::string& text) {
  ObjectRows rows;
  ADIT_TRY(rows.prepared, engine.prepare("SELECT * FROM " + in_parentheses(text)));
  std::string list;
  bool cast = false;
  const idx_t count = duckdb_prepared_statement_column_count(rows.prepared.get());
  for (idx_t i = 0; i < count; ++i) {
    const auto name = take_text(const_cast<char*>(duckdb_prepared_statement_column_name(rows.prepared.get(), i)));
    rows.names.push_back(json_string(to_valid_utf8(name)));
    rows.types.emplace_back(duckdb_prepared_statement_column_logical_type(rows.prepared.get(), i));
    const auto readable = readable_type_text(rows.types.back().get());
    cast = cast || !readable.empty();
    list += fmt::format("{}#{}{}", i == 0 ? "" : ", ", i + 1, readable.empty() ? "" : "::" + readable);
  }
  if (cast) {
    ADIT_TRY(rows.prepared, engine.prepare(fmt::format("SELECT {} FROM {}", list, in_parentheses(text))));
  }
  for (idx_t i = 0; i < count; ++i) {
    rows.read_types.emplace_back(duckdb_prepared_statement_column_logical_type(rows.prepared.get(), i));
  }
  return rows;
}

Result<std::int64_t> write_objects(Engine& engine, const std::string& text, bool as_array) {
  ADIT_TRY(const auto rows, prepare_objects(engine, text));
  std::vector<RowWriter::ColumnType> types;
  for (std::size_t i = 0; i < rows.types.size(); ++i) types.push_back({rows.types[i].get(), rows.read_types[i].get()});
  RowWriter writer(types);
  ADIT_TRY(auto result, engine.stream(rows.prepared));
  std::ofstream out(engine.export_file(), std::ios::binary | std::ios::trunc);
  std::string buffer = as_array ? "[" : "";
  std::int64_t count = 0;
  for (;;) {
    ADIT_TRY(const auto chunk, engine.next_chunk(result));
    if (!chunk) break;
    writer.bind(chunk.get());
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk.get()); ++row, ++count) {
      if (as_array && count > 0) buffer += ",\n";
      writer.append_object(buffer, row, rows.names);
      if (!as_array) buffer += '\n';
    }
    if (buffer.size() < kWriteBytes) continue;
    out << buffer;
    buffer.clear();
  }
  out << buffer << (as_array ? "]\n" : "");
  out.close();
  if (!out) return write_error();
  return count;
}

// The engine leaves out the 0 before the point of a DECIMAL without whole digits. The statement with the columns in
// which it would, read with one whole digit; "" when there is none.
Result<std::string> with_whole_digits(Engine& engine, const std::string& text) {
  ADIT_TRY(const auto prepared, engine.prepare("SELECT * FROM " + in_parentheses(text)));
  std::string list;
  bool any = false;
  const idx_t count = duckdb_prepared_statement_column_count(prepared.get());
  for (idx_t i = 0; i < count; ++i) {
    const LogicalType type(duckdb_prepared_statement_column_logical_type(prepared.get(), i));
    const auto name = take_text(const_cast<char*>(duckdb_prepared_statement_column_name(prepared.get(), i)));
    auto item = fmt::format("#{}", i + 1);
    if (duckdb_get_type_id(type.get()) == DUCKDB_TYPE_DECIMAL &&
        duckdb_decimal_width(type.get()) == duckdb_decimal_scale(type.get())) {
      any = true;
      item = fmt::format("regexp_replace({}::VARCHAR, '^(-?)[.]', '\\10.')", item);
    }
    list += fmt::format("{}{} AS {}", i == 0 ? "" : ", ", item, quoted_identifier(name));
  }
  return any ? fmt::format("SELECT {} FROM {}", list, in_parentheses(text)) : std::string();
}

Result<std::int64_t> copy_rows(Engine& engine, const std::string& text, const std::string& format) {
  std::string rewritten;
  if (format == "csv") {
    ADIT_TRY(rewritten, with_whole_digits(engine, text));
  }
  ADIT_TRY(const auto rows, engine.rows_of_statement(fmt::format(
                                "COPY {} TO {} (FORMAT {}{})", in_parentheses(rewritten.empty() ? text : rewritten),
                                quoted_literal(engine.export_file()), format, format == "csv" ? ", HEADER true" : "")));
  return rows;
}

}  // namespace

Result<worker_protocol::Exported> export_rows(Engine& engine, const RelationCatalog& catalog,
                                              const worker_protocol::ExportRows& request) {
  ADIT_TRY(const auto statement, pass_gate(engine, request.sql, catalog, GateSetting::query));
  if (statement.head.kind != HeadKind::none) {
    return Error{.code = ErrorCode::validation,
                 .reason = "unsupported_statement",
                 .message = fmt::format("{} has no rows to write", statement.kind),
                 .hint = "Give a SELECT.",
                 .stage = "policy"};
  }
  ADIT_CHECK(check_files_unchanged(catalog, statement.uses));
  worker_protocol::Exported exported{.file = engine.export_file()};
  const bool objects = request.format == "json" || request.format == "ndjson";
  ADIT_TRY(exported.rows, objects ? write_objects(engine, statement.text, request.format == "json")
                                  : copy_rows(engine, statement.text, request.format));
  return exported;
}

}  // namespace adit::worker
