// One query call in the worker: its definitions, then its statements, within one budget of bytes.
#pragma once

#include "adit/base/result.h"
#include "adit/worker_protocol/messages.h"
#include "definitions.h"
#include "engine.h"
#include "relation_catalog.h"
#include "statement_run.h"

#include <functional>
#include <optional>
#include <string>

namespace adit::worker {

class QueryRun {
 public:
  // Results are handed on as they arise, so that those before a failure outlive the process.
  struct Hooks {
    std::function<void(std::string_view json)> on_statement;  // a whole statement object
    std::function<void(const worker_protocol::Diagnostic&)> on_diagnostic;
    std::function<void(const worker_protocol::DefinitionChange&)> on_definition;
    std::function<void(std::size_t step)> on_step;  // before definition or statement number `step` begins
    std::function<bool()> cancelled;
  };

  // `catalog` is loaded when absent, and left absent after a change that could not be read back.
  QueryRun(Engine& engine, std::optional<RelationCatalog>& catalog, const worker_protocol::RunQuery& query,
           Hooks hooks);

  Result<worker_protocol::QueryDone> run();

 private:
  Result<void> load_catalog();
  Result<void> define_named(const worker_protocol::NamedQuery& named);
  Result<void> run_one(std::size_t index);
  Result<void> run_definition(const GatedStatement& statement, const PageRequest& request);
  Result<void> run_reading(const GatedStatement& statement, const PageRequest& request);
  Result<void> apply(const GatedStatement& statement, std::optional<std::int64_t> index);
  Result<void> check_room(const PageRequest& request, std::size_t bytes) const;
  void tell(worker_protocol::Diagnostic diagnostic);

  Engine& engine_;
  std::optional<RelationCatalog>& catalog_;
  const worker_protocol::RunQuery& query_;
  Hooks hooks_;
  std::size_t budget_;      // bytes of all results
  std::size_t bytes_left_;  // of it
};

}  // namespace adit::worker
