// The parts of the worker that stand between a statement and the engine, in this process: the gate and the printing of
// cells. Google Benchmark's own options hold (--benchmark_filter=Gate).
#include "cells/cell_writer.h"
#include "cells/logical_type_text.h"
#include "engine.h"
#include "gate/gate.h"
#include "relation_catalog.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace adit::worker {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

class Workspace {
 public:
  Workspace() : directory_(std::filesystem::temp_directory_path() / fmt::format("adit-worker-bench-{}", ::getpid())) {
    std::filesystem::create_directories(directory_ / "spill");
    engine_ = must(Engine::open({.directory = directory_.string(),
                                 .files = {},
                                 .memory_bytes = std::int64_t{512} << 20,
                                 .disk_bytes = std::int64_t{1} << 30,
                                 .threads = 2},
                                [] { return Result<void>(); }));
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace() {
    engine_.reset();
    std::filesystem::remove_all(directory_);
  }
  Engine& engine() { return *engine_; }

 private:
  std::filesystem::path directory_;
  std::unique_ptr<Engine> engine_;
};

Workspace& workspace() {
  static Workspace workspace;
  return workspace;
}

// A statement of about that many bytes, as people and models write them.
std::string statement_of(std::size_t bytes) {
  std::string sql = "SELECT i % 10 AS bucket, count(*) AS n, avg(i) AS mean";
  for (int column = 0; sql.size() + 60 < bytes; ++column) {
    sql += fmt::format(", sum(CASE WHEN i % {} = 0 THEN i ELSE 0 END) AS s{}", column + 2, column);
  }
  return sql + " FROM range(1000) t(i) GROUP BY ALL ORDER BY n DESC";
}

void Gate(benchmark::State& state) {
  auto& engine = workspace().engine();
  const auto catalog = must(RelationCatalog::load(engine));
  const auto sql = statement_of(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    auto gated = pass_gate(engine, sql, catalog, GateSetting::query);
    if (!gated.ok()) state.SkipWithError(gated.error().message.c_str());
    benchmark::DoNotOptimize(gated);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(sql.size()));
}
BENCHMARK(Gate)->Arg(60)->Arg(500)->Arg(1000)->Arg(16000)->Unit(benchmark::kMicrosecond);

// Cells of a page of 1,000 rows; the rows are read once.
void Render(benchmark::State& state, const std::string& columns) {
  auto& engine = workspace().engine();
  auto statement = must(engine.prepare(fmt::format("SELECT {} FROM range(1000) t(i)", columns)));
  std::vector<LogicalType> types;
  std::vector<RowWriter::ColumnType> column_types;
  for (idx_t i = 0; i < duckdb_prepared_statement_column_count(statement.get()); ++i) {
    types.emplace_back(duckdb_prepared_statement_column_logical_type(statement.get(), i));
    column_types.push_back({types.back().get(), types.back().get()});
  }
  RowWriter writer(column_types);
  auto result = must(engine.stream(statement));
  auto chunk = must(engine.next_chunk(result));
  writer.bind(chunk.get());
  const idx_t rows = duckdb_data_chunk_get_size(chunk.get());
  std::string json;
  for (auto _ : state) {
    json.clear();
    for (idx_t row = 0; row < rows; ++row) writer.append_row(json, row);
    benchmark::DoNotOptimize(json.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(json.size()));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows * types.size()));
}
BENCHMARK_CAPTURE(Render, integers, std::string("i, i * 7, i * 1000003, -i, i + 1"));
BENCHMARK_CAPTURE(Render, texts, std::string("md5(i::VARCHAR), 'item ' || i, 'größe \"' || i || '\"'"));
BENCHMARK_CAPTURE(Render, decimals, std::string("i::DECIMAL(18,3) / 7, i::DECIMAL(38,10)"));
BENCHMARK_CAPTURE(Render, doubles, std::string("i / 7.0::DOUBLE, sqrt(i)"));
BENCHMARK_CAPTURE(Render, times,
                  std::string("DATE '2020-01-01' + i::INTEGER, TIMESTAMP '2020-01-01' + INTERVAL 1 SECOND * i"));
BENCHMARK_CAPTURE(Render, nested, std::string("{'a': i, 'b': [i, i + 1], 'c': 'x' || i}"));

}  // namespace
}  // namespace adit::worker

BENCHMARK_MAIN();
