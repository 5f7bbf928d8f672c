// Prints values of one logical type, in the two forms that the contract has: a cell's value, and a value inside a
// nested one. One small class for each group of engine types.
#pragma once

#include "cells/cell_writer.h"

#include <string_view>

namespace adit::worker {

class ValueWriter {
 public:
  virtual ~ValueWriter() = default;

  // Takes the vector's data, validity and children; valid as long as the chunk.
  virtual void bind(duckdb_vector vector) {
    data_ = duckdb_vector_get_data(vector);
    validity_ = duckdb_vector_get_validity(vector);
  }
  virtual bool is_null(idx_t row) const {
    return validity_ != nullptr && !duckdb_validity_row_is_valid(validity_, row);
  }

  // REQUIRES of the three: !is_null(row)
  virtual std::string_view cell_type(idx_t row) const = 0;     // the word of the contract
  virtual void append_value(std::string& out, idx_t row) = 0;  // the cell's "value": a JSON value
  virtual void append_nested(std::string& out, idx_t row) { append_value(out, row); }

  void append_nested_or_null(std::string& out, idx_t row) {
    if (is_null(row)) out += "null";
    else append_nested(out, row);
  }

 protected:
  template <class T>
  const T& at(idx_t row) const {
    return static_cast<const T*>(data_)[row];
  }

 private:
  void* data_ = nullptr;
  uint64_t* validity_ = nullptr;
};

// `type` is the column's own, `read` the one its vectors have (readable_type_text): GEOMETRY read as VARCHAR, for
// example.
std::unique_ptr<ValueWriter> make_value_writer(duckdb_logical_type type, duckdb_logical_type read, CellNotes& notes);

}  // namespace adit::worker
