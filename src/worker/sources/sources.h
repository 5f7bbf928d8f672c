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

// A column as a reader of the engine has found it.
struct ReaderColumn {
  std::string name = {};
  std::string type = {};     // the engine's text
  std::string format = {};   // of a date or time that is not written in ISO 8601: how strptime reads it
  bool may_be_time = false;  // a text that the reader was not asked to look at for dates and times
};

// Where a reader puts its rows: a table of its own first, then the relation. Both names are free.
struct Target {
  std::string name, staging;
};

// Tells columns that are not what a reader of the file would take them for.
struct TypingNote;
void tell_typing(const worker_protocol::FileSource& source, const std::vector<TypingNote>& notes,
                 std::vector<worker_protocol::Issue>& issues);

// Each creates the relation from the file and tells issues found. `scratch` is a file of the workspace that the engine
// may read.
Result<void> import_csv(Engine& engine, const worker_protocol::FileSource& source, const Target& target,
                        const std::string& scratch, std::vector<worker_protocol::Issue>& issues);
Result<void> import_json(Engine& engine, const worker_protocol::FileSource& source, const Target& target,
                         const std::string& scratch, std::vector<worker_protocol::Issue>& issues);
Result<void> import_parquet(Engine& engine, const worker_protocol::FileSource& source, const std::string& name);

}  // namespace adit::worker
