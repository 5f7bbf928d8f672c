// RAII over DuckDB's C API: raw handles appear here and in the three files that call the API (engine, cells, gate).
#pragma once

#include <duckdb.h>

#include <memory>
#include <string>
#include <utility>

namespace adit::worker {

template <class Handle, void (*Destroy)(Handle*)>
class DuckdbHandle {
 public:
  DuckdbHandle() = default;
  explicit DuckdbHandle(Handle handle) : handle_(handle) {}
  DuckdbHandle(DuckdbHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  DuckdbHandle& operator=(DuckdbHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~DuckdbHandle() {
    if (handle_ != nullptr) Destroy(&handle_);
  }

  Handle get() const { return handle_; }
  Handle* out() { return &handle_; }  // for a function that creates; REQUIRES: empty
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  Handle handle_ = nullptr;
};

using Database = DuckdbHandle<duckdb_database, duckdb_close>;
using Connection = DuckdbHandle<duckdb_connection, duckdb_disconnect>;
using Config = DuckdbHandle<duckdb_config, duckdb_destroy_config>;
using PreparedStatement = DuckdbHandle<duckdb_prepared_statement, duckdb_destroy_prepare>;
using PendingResult = DuckdbHandle<duckdb_pending_result, duckdb_destroy_pending>;
using DataChunk = DuckdbHandle<duckdb_data_chunk, duckdb_destroy_data_chunk>;
using LogicalType = DuckdbHandle<duckdb_logical_type, duckdb_destroy_logical_type>;

// A result is a struct, not a pointer.
class QueryResult {
 public:
  QueryResult() : result_{} {}
  QueryResult(QueryResult&& other) noexcept : result_(std::exchange(other.result_, {})) {}
  QueryResult& operator=(QueryResult&& other) noexcept {
    std::swap(result_, other.result_);
    return *this;
  }
  ~QueryResult() { duckdb_destroy_result(&result_); }

  duckdb_result* get() { return &result_; }

 private:
  duckdb_result result_;
};

// A text that the API allocated.
inline std::string take_text(char* text) {
  std::string copy = text != nullptr ? text : "";
  duckdb_free(text);
  return copy;
}

// A text inside a vector; valid as long as its chunk.
inline std::string_view text_view(const duckdb_string_t& text) {
  const std::uint32_t size = text.value.inlined.length;
  return {size <= 12 ? text.value.inlined.inlined : text.value.pointer.ptr, size};
}

}  // namespace adit::worker
