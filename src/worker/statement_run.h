// Runs one gated statement and prints its page: the object that stands in query's `statements`.
#pragma once

#include "adit/base/result.h"
#include "engine.h"
#include "gate/gate.h"

#include <cstdint>
#include <string>
#include <vector>

namespace adit::worker {

struct PageRequest {
  std::int64_t statement_index = 0;
  std::string_view sql;  // as the caller sent it, for the echo
  std::int64_t limit = 200;
  std::int64_t offset = 0;
  std::size_t budget = 0;        // bytes that the object may have beside the call's other statements; 0 = any number
  std::size_t budget_alone = 0;  // bytes that it might have as the call's only statement
  bool timing = false;
};

struct Page {
  std::string json;
  std::vector<worker_protocol::Diagnostic> diagnostics;
};

// A statement that reads, or EXPLAIN.
Result<Page> run_statement(Engine& engine, const GatedStatement& statement, const PageRequest& request);

// The object of a statement that has no rows: a definition or a drop.
std::string statement_without_rows(const GatedStatement& statement, const PageRequest& request, double execute_ms);

}  // namespace adit::worker
