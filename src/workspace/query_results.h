// The results of one query call as its worker hands them on: what came before the worker failed, or died, is kept.
#pragma once

#include "adit/worker_protocol/frame.h"
#include "adit/workspace/workspaces.h"
#include "worker_handle.h"

#include <string>
#include <string_view>
#include <vector>

namespace adit::workspace {

class QueryResults {
 public:
  // `definitions`: how many are made before the first of the `statements` runs. `budget_bytes`: 0 = none.
  QueryResults(std::size_t definitions, std::size_t statements, std::size_t budget_bytes)
      : definitions_(definitions), statements_(statements), budget_bytes_(budget_bytes) {}

  // One frame of the worker; false: it is not what it should be, or more than a call gives. A worker runs hostile SQL:
  // its bytes are checked before they become part of a protocol message.
  bool take(worker_protocol::MessageType type, std::string_view payload);

  // Definitions made and dropped, in order; they stand whatever failed behind them.
  const std::vector<worker_protocol::DefinitionChange>& changes() const { return changes_; }

  // REQUIRES: called once, when the call has ended. `limit`: of the call, for a worker that was stopped by it.
  QueryOutcome finish(Result<WorkerAnswer> answer, std::chrono::milliseconds limit);

 private:
  bool take_statement(std::string_view payload);
  bool take_diagnostic(std::string_view payload);
  bool take_definition(std::string_view payload);
  bool fits() const;
  void note_kept_definitions();

  std::size_t definitions_, statements_;
  std::size_t budget_bytes_;
  std::size_t bytes_ = 0;  // of what came
  std::vector<worker_protocol::DefinitionChange> changes_;
  QueryOutcome outcome_;
  std::vector<std::string> made_;  // definitions of this call that stand
};

}  // namespace adit::workspace
