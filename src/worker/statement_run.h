// Runs one gated statement and prints its page: the object that stands in query's `statements`.
#pragma once

#include "adit/base/result.h"
#include "engine.h"
#include "gate/gate.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace adit::worker {

struct PageRequest {
  std::int64_t statement_index = 0;
  std::string_view sql;  // as the caller sent it, for the echo
  std::int64_t limit = 200;
  std::int64_t offset = 0;
  std::size_t budget = 0;        // bytes for the object and its diagnostics beside the call's other statements
  std::size_t budget_alone = 0;  // bytes for them if it were the call's only statement
  bool timing = false;
  std::chrono::steady_clock::time_point start;  // for execute_ms
};

struct Page {
  std::string json;
  std::vector<worker_protocol::Diagnostic> diagnostics;

  std::size_t bytes() const;  // in the answer, commas included
};

// A statement that reads, or EXPLAIN.
Result<Page> run_statement(Engine& engine, const GatedStatement& statement, const PageRequest& request);

// The object of a statement that has no rows: a definition or a drop.
std::string statement_without_rows(const GatedStatement& statement, const PageRequest& request);

constexpr std::size_t kShownNameBytes = 100;  // of a name in a message

}  // namespace adit::worker
