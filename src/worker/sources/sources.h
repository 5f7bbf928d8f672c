// Files to relations: one function for each format, and the frame around them.
#pragma once

#include "adit/base/result.h"
#include "adit/worker_protocol/messages.h"
#include "engine.h"

namespace adit::worker {

// All sources in one transaction: each becomes a relation, or none does and the error names the file.
Result<worker_protocol::Imported> import_files(Engine& engine, const worker_protocol::ImportFiles& request);

// Each creates the relation `name` (free, checked) from the file and tells issues found.
Result<void> import_csv(Engine& engine, const worker_protocol::FileSource& source, const std::string& name,
                        std::vector<worker_protocol::Issue>& issues);
Result<void> import_parquet(Engine& engine, const worker_protocol::FileSource& source, const std::string& name);

}  // namespace adit::worker
