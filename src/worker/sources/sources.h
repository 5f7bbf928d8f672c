// Files to relations: one function for each format, and the frame around them.
#pragma once

#include "adit/base/result.h"
#include "adit/worker_protocol/messages.h"
#include "engine.h"
#include "relation_catalog.h"

namespace adit::worker {

// All sources in one transaction: each becomes a relation, or none does and the error names the file. `scratch` is a
// file of the workspace that the engine may read.
Result<worker_protocol::Imported> import_files(Engine& engine, const worker_protocol::ImportFiles& request,
                                               const std::string& scratch);

// Everything that the workspace holds.
Result<worker_protocol::Described> describe_workspace(Engine& engine, const RelationCatalog& catalog);

// How a reader is called for one file, and what it was found to hold.
struct ReaderColumn {
  std::string name;
  std::string type;  // the engine's text
};

// Tells columns whose numbers had to be rounded to DOUBLE.
void tell_rounded(const worker_protocol::FileSource& source, const std::vector<std::string>& columns,
                  std::vector<worker_protocol::Issue>& issues);

// Each creates the relation `name` (free, checked) from the file and tells issues found.
Result<void> import_csv(Engine& engine, const worker_protocol::FileSource& source, const std::string& name,
                        std::vector<worker_protocol::Issue>& issues);
Result<void> import_json(Engine& engine, const worker_protocol::FileSource& source, const std::string& name,
                         const std::string& scratch, std::vector<worker_protocol::Issue>& issues);
Result<void> import_parquet(Engine& engine, const worker_protocol::FileSource& source, const std::string& name);

}  // namespace adit::worker
