// What the frames carry: plain records, printed as JSON objects with the fields' own names.
// frame.h says which message answers which.
#pragma once

#include "adit/base/result.h"

#include <boost/describe.hpp>
#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adit::worker_protocol {

struct OpenWorkspace {
  std::string directory;           // absolute; holds main.duckdb and spill/
  std::vector<std::string> files;  // absolute paths that this worker may read, nothing else
  std::int64_t memory_bytes = 0;   // the engine's memory_limit
  std::int64_t disk_bytes = 0;     // of spill/ and of any single file
  std::int64_t threads = 1;
};

struct Opened {
  std::string engine_version;
  std::vector<std::string> sandbox_missing;  // what the kernel could not give, in words; empty: all holds
};

// One file to become a relation. `path` must be among OpenWorkspace::files.
struct FileSource {
  std::string path;
  std::string display;  // how the caller named it: in answers and messages
  std::string name;     // wanted relation name, made unique by the worker
  std::string format;   // "csv", "parquet"
};

// All sources become relations, or none does.
struct ImportFiles {
  std::vector<FileSource> sources;
};

struct Column {
  std::string name;
  std::string type;  // the engine's text
};

struct Relation {
  std::string name;
  std::string source;
  std::vector<Column> columns;
  std::optional<std::int64_t> row_count;
};

struct Issue {
  std::string severity;  // "info" or "warning"
  std::string code;
  std::optional<std::string> source;
  std::optional<std::int64_t> line;
  std::string message;
};

struct Imported {
  std::vector<Relation> relations;
  std::vector<Issue> issues;
};

struct Definition {
  std::string name;
  std::string kind;  // create_view, create_temp_view, create_temp_table
  std::string sql;
  std::vector<std::string> uses;
};

struct Described {
  std::vector<Relation> relations;  // the sources
  std::vector<Definition> definitions;
};

struct NamedQuery {
  std::string name;
  std::string sql;
};

struct RunQuery {
  std::vector<NamedQuery> definitions;  // made before `sql` runs, in this order
  std::vector<std::string> sql;
  std::int64_t limit = 200;
  std::int64_t offset = 0;
  std::int64_t budget_bytes = 0;  // for all statement objects and diagnostics together; 0 = as much as a frame carries
  bool timing = false;            // statements carry execute_ms
};

struct Diagnostic {
  std::string severity;  // "info" or "warning"
  std::string code;
  std::string message;
  std::optional<std::int64_t> statement_index;
};

// A definition was made, in the place of one of its name if there was one, or dropped.
struct DefinitionChange {
  std::string name;
  bool made = true;
};

struct Failure {
  std::int64_t code = 0;  // ErrorCode
  std::string reason;
  std::string message;
  std::string hint;
  bool retryable = false;
  std::string stage;
  std::optional<std::int64_t> statement_index;
  std::optional<std::int64_t> position;
  std::vector<std::string> nearest;
};

// `failure`: of one statement or definition; what those before it gave has been sent. Other failures of a query end in
// an `error` frame.
struct QueryDone {
  std::optional<Failure> failure;
};

// All rows of one statement into a file of the workspace, for the front to pass on.
struct ExportRows {
  std::string sql;
  std::string format;  // "csv", "json", "ndjson", "parquet"
};

struct Exported {
  std::string file;  // absolute
  std::int64_t rows = 0;
};

struct WorkProgress {
  double elapsed_seconds = 0;      // of the request
  std::optional<double> fraction;  // of the request's work, where the engine can tell
  std::string message;
};

Failure to_failure(const Error& error);
Error to_error(const Failure& failure);

// Bytes that it takes in an answer, the comma behind it included.
std::size_t bytes_in_answer(const Diagnostic& diagnostic);

BOOST_DESCRIBE_STRUCT(OpenWorkspace, (), (directory, files, memory_bytes, disk_bytes, threads))
BOOST_DESCRIBE_STRUCT(Opened, (), (engine_version, sandbox_missing))
BOOST_DESCRIBE_STRUCT(FileSource, (), (path, display, name, format))
BOOST_DESCRIBE_STRUCT(ImportFiles, (), (sources))
BOOST_DESCRIBE_STRUCT(Column, (), (name, type))
BOOST_DESCRIBE_STRUCT(Relation, (), (name, source, columns, row_count))
BOOST_DESCRIBE_STRUCT(Issue, (), (severity, code, source, line, message))
BOOST_DESCRIBE_STRUCT(Imported, (), (relations, issues))
BOOST_DESCRIBE_STRUCT(Definition, (), (name, kind, sql, uses))
BOOST_DESCRIBE_STRUCT(Described, (), (relations, definitions))
BOOST_DESCRIBE_STRUCT(NamedQuery, (), (name, sql))
BOOST_DESCRIBE_STRUCT(RunQuery, (), (definitions, sql, limit, offset, budget_bytes, timing))
BOOST_DESCRIBE_STRUCT(Diagnostic, (), (severity, code, message, statement_index))
BOOST_DESCRIBE_STRUCT(Failure, (), (code, reason, message, hint, retryable, stage, statement_index, position, nearest))
BOOST_DESCRIBE_STRUCT(DefinitionChange, (), (name, made))
BOOST_DESCRIBE_STRUCT(QueryDone, (), (failure))
BOOST_DESCRIBE_STRUCT(ExportRows, (), (sql, format))
BOOST_DESCRIBE_STRUCT(Exported, (), (file, rows))
BOOST_DESCRIBE_STRUCT(WorkProgress, (), (elapsed_seconds, fraction, message))

// Encoding and decoding of the records above; only these instantiations exist (messages.cpp).
template <class Message>
std::string encode(const Message& message);

template <class Message>
Result<Message> decode(std::string_view payload);

}  // namespace adit::worker_protocol
