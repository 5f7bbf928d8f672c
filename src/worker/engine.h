// The engine of one workspace: opens main.duckdb, sets its locks, runs statements that have passed the gate.
#pragma once

#include "adit/base/result.h"
#include "adit/worker_protocol/messages.h"
#include "duckdb_handle.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace adit::worker {

class Engine {
 public:
  // Opens the workspace with one thread (threads started later inherit what binds this one), then `confine` runs,
  // then the configuration is completed and locked. See docs/processes.md for the order and its reasons.
  static Result<std::unique_ptr<Engine>> open(const worker_protocol::OpenWorkspace& workspace,
                                              const std::function<Result<void>()>& confine);

  // Statements of ours: DDL, settings. Client text never gets here.
  Result<void> execute(const std::string& sql);
  Result<std::vector<std::vector<std::string>>> rows_as_text(const std::string& sql);  // NULL is ""

  // The same beside the running transaction, which a failure would end: to look at a file before it is read.
  Result<std::vector<std::vector<std::string>>> rows_beside_transaction(const std::string& sql);

  // A statement of ours that tells the number of rows it wrote.
  Result<std::int64_t> rows_of_statement(const std::string& sql);

  // A client's statement: prepared (which binds it), then streamed.
  Result<PreparedStatement> prepare(const std::string& sql);
  Result<QueryResult> stream(const PreparedStatement& statement);
  Result<DataChunk> next_chunk(QueryResult& result);  // an empty handle at the end

  // The serialised parse tree of a text, by the engine's own parser (json_serialize_sql).
  Result<std::string> parse_tree(std::string_view sql);

  const std::string& directory() const { return directory_; }
  const std::vector<std::string>& handed_files() const { return handed_files_; }  // absolute

  // A file of the workspace that readers may be pointed at, beside the handed ones.
  const std::string& scratch_file() const { return scratch_file_; }
  // A file of the workspace that rows may be written to.
  const std::string& export_file() const { return export_file_; }

  void interrupt();           // any thread: the running statement ends with an error
  double progress_percent();  // any thread: of the running statement; negative when unknown

 private:
  Engine() = default;
  Result<std::vector<std::vector<std::string>>> rows_as_text(Connection& connection, const std::string& sql);
  Result<PreparedStatement> prepare(Connection& connection, const std::string& sql);

  std::string directory_, scratch_file_, export_file_;
  std::vector<std::string> handed_files_;
  Database database_;
  Connection connection_;
  Connection beside_;  // for rows_beside_transaction
  PreparedStatement parse_tree_;
};

// "name" with quotes doubled, for SQL of ours.
std::string quoted_identifier(std::string_view name);
std::string quoted_literal(std::string_view text);

// A client's statement as a subquery. Line breaks around the text: it may end in a comment.
std::string in_parentheses(const std::string& text);

}  // namespace adit::worker
