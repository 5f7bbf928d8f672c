#include "cells/cell_writer.h"

#include "cells/value_writer.h"

namespace adit::worker {

RowWriter::RowWriter(const std::vector<ColumnType>& types) : column_bytes_(types.size()) {
  for (const auto& column : types) columns_.push_back(make_value_writer(column.type, column.read, notes_));
}

RowWriter::~RowWriter() = default;

void RowWriter::bind(duckdb_data_chunk chunk) {
  for (idx_t i = 0; i < columns_.size(); ++i) columns_[i]->bind(duckdb_data_chunk_get_vector(chunk, i));
}

void RowWriter::append_row(std::string& out, idx_t row) {
  out += '[';
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t begin = out.size();
    if (i > 0) out += ',';
    auto& column = *columns_[i];
    if (column.is_null(row)) {
      out += R"({"type":"null","value":null})";
    } else {
      out.append(R"({"type":")").append(column.cell_type(row)).append(R"(","value":)");
      column.append_value(out, row);
      out += '}';
    }
    column_bytes_[i] += out.size() - begin;
  }
  out += ']';
}

void RowWriter::append_object(std::string& out, idx_t row, const std::vector<std::string>& names) {
  out += '{';
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) out += ',';
    out.append(names[i]).append(":");
    columns_[i]->append_nested_or_null(out, row);
  }
  out += '}';
}

}  // namespace adit::worker
