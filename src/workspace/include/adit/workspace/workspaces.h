// Workspaces: private databases with named relations, each a directory on disk and a worker process while in use.
// The one place where they live; tools speak of them as "datasets".
//
// All members are used on the event loop's thread. Calls on one workspace run one after another in order of arrival,
// calls on different workspaces side by side.
#pragma once

#include "adit/base/request_context.h"
#include "adit/io/event_loop.h"
#include "adit/workspace/file_roots.h"
#include "adit/workspace/limits.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace adit::workspace {

struct SourceRequest {
  std::string path;                   // as the caller names it
  std::optional<std::string> name;    // wanted relation name; absent: made from the file's name
  std::optional<std::string> format;  // csv, tsv, json, ndjson, parquet; absent: found out
};

struct Column {
  std::string name;
  std::string type;  // the engine's text, as DECIMAL(18,3)
};

struct Relation {
  std::string name;
  std::string source;
  std::vector<Column> columns;
  std::optional<std::int64_t> row_count;
};

struct Issue {
  std::string severity;  // "info", "warning"
  std::string code;
  std::optional<std::string> source;
  std::optional<std::int64_t> line;  // 1-based, of the source
  std::string message;
};

struct OpenedDataset {
  std::string id;
  std::vector<Relation> relations;  // those of this call
  std::vector<Issue> issues;
  double prepare_ms = 0;
  std::optional<std::chrono::system_clock::time_point> expires;  // absent: with the process
};

struct Definition {
  std::string name;
  std::string kind;  // create_view, create_temp_view, create_temp_table
  std::string sql;
};

struct DescribedDataset {
  std::vector<Relation> relations;
  std::vector<Definition> definitions;
  std::vector<std::string> sandbox_missing;  // in words; empty: the worker is confined as it should be
};

struct ListedDataset {
  std::string id;
  std::vector<std::string> sources;  // as they were named
  std::chrono::system_clock::time_point opened;
  std::chrono::system_clock::time_point last_used;
};

struct NamedQuery {
  std::string name;
  std::string sql;
};

struct QueryRequest {
  std::string workspace_id;
  std::vector<NamedQuery> definitions;  // made before `sql` runs, in this order
  std::vector<std::string> sql;
  std::int64_t limit = 200;
  std::int64_t offset = 0;
  std::size_t budget_bytes = 0;  // for statements and diagnostics together; 0 = none
  bool timing = false;
};

struct Diagnostic {
  std::string severity;  // "info", "warning"
  std::string code;
  std::string message;
  std::optional<std::int64_t> statement_index;
};

// What ran, and what failed. Statements before the failed one are whole.
struct QueryOutcome {
  std::vector<std::string> statements;  // JSON objects as they stand in the answer: checked bytes of the worker
  std::vector<Diagnostic> diagnostics;
  std::optional<Error> failure;
  double total_ms = 0;
  double queue_ms = 0;
};

enum class WorkspaceIds {
  counted,  // dataset-1, dataset-2: for one client, which may guess
  random,  // dataset- and 128 random bits: where callers cannot be told apart, knowing one is what lets a client use it
};

struct WorkspacesOptions {
  Limits limits;
  std::string worker_program;  // absolute path of adit-worker
  std::string state_dir;       // "" = the default (docs/limits.md)
  WorkspaceIds ids = WorkspaceIds::counted;
};

class Workspaces {
 public:
  Workspaces(io::EventLoop& loop, FileRoots roots, WorkspacesOptions options);
  Workspaces(const Workspaces&) = delete;
  Workspaces& operator=(const Workspaces&) = delete;
  ~Workspaces();  // REQUIRES: shut_down() has ended, or the loop has stopped for good

  // Begins to remove directories that killed runs left, beside everything else; at start.
  void sweep();

  // What the sandbox of a worker lacks on this machine, in words. Starts one to find out.
  Task<std::vector<std::string>> probe_sandbox();

  // Opens the sources in the workspace of that id, or in a new one. All sources become relations, or none does.
  Task<OpenedDataset> open(RequestContext context, std::vector<SourceRequest> sources, std::optional<std::string> id);

  // Errors that concern no statement (unknown id, a wait too long) are the Result's; all others the outcome's.
  Task<QueryOutcome> query(RequestContext context, QueryRequest request);

  // Writes all rows of one reading statement to a file of the workspace and gives its path; the next export replaces
  // it. `format`: csv, json, ndjson, parquet.
  Task<std::string> export_rows(RequestContext context, std::string id, std::string sql, std::string format);

  Task<DescribedDataset> describe(RequestContext context, std::string id);

  // Relations and definitions of a workspace, as its workers have told of them so far. Asks none.
  Result<std::vector<std::string>> known_names(const std::string& owner, const std::string& id) const;

  // Those that this owner opened (RequestContext::owner), oldest first.
  std::vector<ListedDataset> list(const std::string& owner) const;

  Task<void> close(RequestContext context, std::string id);

  // An owner that does not come back: calls of it that still run lose their dataset.
  void close_all_of(const std::string& owner);

  // Ends all workers and removes all directories, within two seconds.
  boost::asio::awaitable<void> shut_down();

  const Limits& limits() const;

 private:
  class Registry;
  std::unique_ptr<Registry> registry_;
};

}  // namespace adit::workspace
