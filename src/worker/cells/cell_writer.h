// Cells of a result as the contract's JSON: {"type": "...", "value": ...} by the table of docs/sql-results.md. Rows are
// printed from the engine's vectors straight into the answer's bytes.
#pragma once

#include "duckdb_handle.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace adit::worker {

// What happened while printing, to be told in a diagnostic.
struct CellNotes {
  bool replaced_invalid_utf8 = false;
};

class ValueWriter;  // prints values of one logical type (cell_writer.cpp)

// Prints the rows of one result; made once for its columns' types.
class RowWriter {
 public:
  struct ColumnType {
    duckdb_logical_type type;  // the column's own
    duckdb_logical_type read;  // the one its vectors have (readable_type_text)
  };
  explicit RowWriter(const std::vector<ColumnType>& types);
  ~RowWriter();

  // Binds the chunk's vectors; rows of it may then be printed until the next bind().
  void bind(duckdb_data_chunk chunk);
  void append_row(std::string& out, idx_t row);  // [{"type":…,"value":…},…]

  // {"name":value,…}: the values in their nested form. `names` are JSON strings, one a column, all different.
  void append_object(std::string& out, idx_t row, const std::vector<std::string>& names);

  // Bytes of each column's cells printed so far: names the widest ones when a row does not fit.
  const std::vector<std::size_t>& column_bytes() const { return column_bytes_; }
  const CellNotes& notes() const { return notes_; }

 private:
  CellNotes notes_;
  std::vector<std::unique_ptr<ValueWriter>> columns_;
  std::vector<std::size_t> column_bytes_;
};

}  // namespace adit::worker
