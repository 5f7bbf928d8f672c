// All rows of one statement as a file: CSV and Parquet by the engine, JSON and NDJSON by our own cells, so that no
// number is rounded on the way.
#pragma once

#include "adit/base/result.h"
#include "adit/worker_protocol/messages.h"
#include "engine.h"
#include "relation_catalog.h"

namespace adit::worker {

// Writes engine.export_file() anew. Errors: those of the gate (a statement that reads, or unsupported_statement), of
// running it, disk_limit.
Result<worker_protocol::Exported> export_rows(Engine& engine, const RelationCatalog& catalog,
                                              const worker_protocol::ExportRows& request);

}  // namespace adit::worker
