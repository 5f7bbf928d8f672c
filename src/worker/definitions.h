// The session's definitions: views in the workspace's file that a client named. Defining reads no row.
#pragma once

#include "adit/base/result.h"
#include "engine.h"
#include "gate/gate.h"
#include "relation_catalog.h"

#include <string>
#include <vector>

namespace adit::worker {

struct Defined {
  // What to tell beside success, as diagnostics: code and message.
  std::vector<std::pair<std::string, std::string>> notes;
  bool changed = false;  // the catalog is to be loaded again
};

// REQUIRES: statement.head.kind is create. The definition replaces one of its name, after it has been bound; with IF
// NOT EXISTS one of its name stays. Errors: not_allowed (a source's name), definition_cycle, what binding raises.
Result<Defined> define(Engine& engine, const RelationCatalog& catalog, const GatedStatement& statement);

// REQUIRES: head.kind is drop. Drops a definition, whichever way it was made.
Result<Defined> drop(Engine& engine, const RelationCatalog& catalog, const StatementHead& head);

// REQUIRES: statement.kind is "show". The same list as a query of ours: the engine's own reads views that a relation of
// the workspace may hide by its name.
GatedStatement listing(GatedStatement statement, const RelationCatalog& catalog);

// For a statement that does not bind: if a definition it uses is what no longer binds, the error says by which way.
Error naming_broken_definition(Engine& engine, const RelationCatalog& catalog, const std::vector<std::string>& uses,
                               Error error);

// source_changed, when a file that the named relations read in place is not the one that was opened.
Result<void> check_files_unchanged(const RelationCatalog& catalog, const std::vector<std::string>& uses);

}  // namespace adit::worker
