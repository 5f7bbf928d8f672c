// Parquet stays where it is: a view that reads only the columns and row groups a query needs.
#include "sources/sources.h"

#include <fmt/format.h>

namespace adit::worker {

Result<void> import_parquet(Engine& engine, const worker_protocol::FileSource& source, const std::string& name) {
  auto created =
      engine.execute(fmt::format("CREATE VIEW {} AS SELECT * FROM read_parquet({}, hive_partitioning = false)",
                                 quoted_identifier(name), quoted_literal(source.path)));
  if (created.ok()) return {};
  auto error = std::move(created).error();
  // The key of an encrypted file is an argument that nobody who opens one can give.
  if (const auto advice = error.message.find(", but 'encryption_config'"); advice != std::string::npos) {
    error.message.resize(advice);
    error.hint = "Decrypt it first.";
  }
  return error;
}

}  // namespace adit::worker
