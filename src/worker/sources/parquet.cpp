// Parquet stays where it is: a view that reads only the columns and row groups a query needs.
#include "sources/sources.h"

#include <fmt/format.h>

namespace adit::worker {

Result<void> import_parquet(Engine& engine, const worker_protocol::FileSource& source, const std::string& name) {
  return engine.execute(fmt::format("CREATE VIEW {} AS SELECT * FROM read_parquet({})", quoted_identifier(name),
                                    quoted_literal(source.path)));
}

}  // namespace adit::worker
