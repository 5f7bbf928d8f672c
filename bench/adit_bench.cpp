// make bench: what docs/performance.md promises, measured on this machine. Each line is one measurement beside its
// target; nothing here fails, since times are not tests.
#include "adit/base/json_fields.h"
#include "adit/mcp/stdio_client.h"
#include "process_memory.h"

#include <duckdb.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace adit::bench {
namespace json = boost::json;
using Clock = std::chrono::steady_clock;
namespace {

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print_line(std::string_view what, std::string_view measured, std::string_view target) {
  fmt::print("{:<58} {:>18}   {}\n", what, measured, target);
}

std::unique_ptr<mcp::StdioClient> start_server(io::EventLoop& loop, const std::string& root,
                                               const std::vector<std::string>& options = {}) {
  std::vector<std::string> environment;
  for (const char* name : {"HOME", "XDG_CACHE_HOME"}) {
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  }
  std::vector<std::string> arguments{"serve", "--root", root};
  arguments.insert(arguments.end(), options.begin(), options.end());
  auto client = mcp::StdioClient::start(loop, ADIT_BIN_DIR "/adit", arguments, environment);
  if (!client.ok()) throw std::runtime_error(client.error().message);
  return std::move(*client);
}

// The value of a task that a benchmark cannot go on without.
template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

json::object answered(const json::object& result) {
  if (boolean_or(result, "isError", false)) throw std::runtime_error(json::serialize(result));
  return result.at("structuredContent").get_object();
}

boost::asio::awaitable<std::string> open_file(mcp::StdioClient& client, std::string path, std::string name) {
  json::object arguments{{"sources", json::array{{{"path", path}, {"name", name}}}}};
  auto result = co_await client.call_tool("open_dataset", std::move(arguments));
  co_return text_or(answered(must(std::move(result))), "dataset_id", "");
}

boost::asio::awaitable<json::object> run_query(mcp::StdioClient& client, std::string id, std::string sql) {
  json::object arguments{{"dataset_id", id}, {"sql", json::array{json::string(sql)}}};
  auto result = co_await client.call_tool("query", std::move(arguments));
  co_return answered(must(std::move(result)));
}

boost::asio::awaitable<void> measure_start(io::EventLoop& loop, const std::string& root) {
  std::vector<double> times;
  double front_rss = 0, pss = 0;
  for (int i = 0; i < 20; ++i) {
    const auto start = Clock::now();
    auto client = start_server(loop, root);
    json::object nothing;
    must(co_await client->request("server/discover", nothing));
    times.push_back(milliseconds_since(start));
    front_rss = rss_mb(client->pid());
    pss = pss_mb({client->pid()});
    co_await client->close();
  }
  print_line("process start to first answer", fmt::format("{:.1f} ms", median(times)), "<= 20 ms");
  print_line("idle before the first dataset, front RSS", fmt::format("{:.1f} MB", front_rss), "<= 16 MB");
  print_line("idle before the first dataset, all processes PSS", fmt::format("{:.1f} MB", pss), "<= 20 MB");
}

boost::asio::awaitable<void> measure_workers(io::EventLoop& loop, const std::string& root) {
  auto client = start_server(loop, root);
  auto start = Clock::now();
  const auto id = co_await open_file(*client, "airports.csv", "airports");
  print_line("open_dataset of a 200 KB CSV, worker start included", fmt::format("{:.1f} ms", milliseconds_since(start)),
             "");
  auto processes = children_of(client->pid());
  print_line("idle worker with an open dataset, PSS", fmt::format("{:.1f} MB", pss_mb(processes)), "");

  std::vector<double> warm, after_kill;
  for (int i = 0; i < 15; ++i) {
    start = Clock::now();
    co_await run_query(*client, id, "SELECT count(*) FROM airports");
    warm.push_back(milliseconds_since(start));
    for (const pid_t worker : children_of(client->pid())) ::kill(worker, SIGKILL);
    start = Clock::now();
    co_await run_query(*client, id, "SELECT count(*) FROM airports");
    after_kill.push_back(milliseconds_since(start));
  }
  print_line("next call after a killed worker, more than a warm one",
             fmt::format("{:.1f} ms", median(after_kill) - median(warm)), "<= 100 ms");
  co_await client->close();
}

// The same statement in the engine alone: parsed, run and fetched chunk by chunk, nothing rendered.
class BareEngine {
 public:
  explicit BareEngine(const std::string& parquet) {
    if (duckdb_open(nullptr, &database_) != DuckDBSuccess || duckdb_connect(database_, &connection_) != DuckDBSuccess) {
      throw std::runtime_error("the engine does not open");
    }
    run("SET threads = 2");
    run("CREATE VIEW flights AS SELECT * FROM read_parquet('" + parquet + "')");
  }
  BareEngine(const BareEngine&) = delete;
  BareEngine& operator=(const BareEngine&) = delete;
  ~BareEngine() {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  void run(const std::string& sql) {
    duckdb_result result;
    if (duckdb_query(connection_, sql.c_str(), &result) != DuckDBSuccess) {
      throw std::runtime_error(duckdb_result_error(&result));
    }
    for (auto chunk = duckdb_fetch_chunk(result); chunk != nullptr; chunk = duckdb_fetch_chunk(result)) {
      duckdb_destroy_data_chunk(&chunk);
    }
    duckdb_destroy_result(&result);
  }

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

struct Statement {
  std::string_view what;
  std::string sql;
};

boost::asio::awaitable<void> measure_queries(io::EventLoop& loop, const std::string& root) {
  auto client = start_server(loop, root);
  const auto id = co_await open_file(*client, "flights-3m.parquet", "flights");
  BareEngine engine(root + "/flights-3m.parquet");
  const Statement statements[] = {
      {"SELECT 42", "SELECT 42"},
      {"10 rows of 5 columns", "SELECT * FROM flights LIMIT 10"},
      {"100 rows of 5 columns", "SELECT * FROM flights LIMIT 100"},
      {"group by, 8 rows",
       "SELECT origin, count(*) AS n, avg(delay) AS mean FROM flights GROUP BY origin ORDER BY n DESC, origin LIMIT 8"},
      {"filter and aggregate over 3,000,000 rows", "SELECT count(*), sum(distance) FROM flights WHERE delay > 60"},
  };
  for (const auto& statement : statements) {
    std::vector<double> ours, bare;
    for (int i = 0; i < 31; ++i) {
      auto start = Clock::now();
      co_await run_query(*client, id, statement.sql);
      ours.push_back(milliseconds_since(start));
      start = Clock::now();
      engine.run(statement.sql);
      bare.push_back(milliseconds_since(start));
    }
    print_line(fmt::format("query over the bare engine: {}", statement.what),
               fmt::format("{:.2f} - {:.2f} = {:.2f} ms", median(ours), median(bare), median(ours) - median(bare)),
               "<= 0.5 ms, 10 % for long ones");
  }
  co_await client->close();
}

boost::asio::awaitable<void> one_caller(mcp::StdioClient& client, std::string id, int calls) {
  for (int i = 0; i < calls; ++i) co_await run_query(client, id, "SELECT 42");
}

boost::asio::awaitable<void> measure_throughput(io::EventLoop& loop, const std::string& root) {
  auto client = start_server(loop, root);
  const auto id = co_await open_file(*client, "airports.csv", "airports");
  constexpr int kCalls = 250;
  io::TaskGroup callers(loop);
  const auto start = Clock::now();
  for (int i = 0; i < 8; ++i) callers.spawn(one_caller(*client, id, kCalls));
  co_await callers.join();
  print_line("query SELECT 42, 8 calls at a time on one dataset",
             fmt::format("{:.0f} calls/s", 8 * kCalls / (milliseconds_since(start) / 1000)), "");
  auto processes = children_of(client->pid());
  processes.push_back(client->pid());
  print_line("all processes after them, PSS", fmt::format("{:.1f} MB", pss_mb(processes)), "");
  co_await client->close();
}

boost::asio::awaitable<void> measure_clients(io::EventLoop& loop, const std::string& root) {
  constexpr int kClients = 8;
  constexpr int kCalls = 250;
  auto client = start_server(loop, root, {"--live-workers", "8"});
  std::vector<std::string> ids;
  for (int i = 0; i < kClients; ++i) ids.push_back(co_await open_file(*client, "airports.csv", "airports"));
  io::TaskGroup callers(loop);
  const auto start = Clock::now();
  for (const auto& id : ids) callers.spawn(one_caller(*client, id, kCalls));
  co_await callers.join();
  print_line("query SELECT 42, 8 at a time, each on a dataset of its own",
             fmt::format("{:.0f} calls/s", kClients * kCalls / (milliseconds_since(start) / 1000)), "");
  auto processes = children_of(client->pid());
  processes.push_back(client->pid());
  print_line("all processes after them, PSS", fmt::format("{:.1f} MB", pss_mb(processes)), "");
  co_await client->close();
}

// Six columns of the kinds that files have: key, whole number, decimal, text, date and time, truth.
std::string made_rows(std::int64_t rows) {
  return fmt::format(
      "SELECT i AS id, (i * 7919) % 1000003 AS amount, ((i * 104729) % 10000000)::DECIMAL(12,3) / 1000 AS price, "
      "'item ' || md5((i % 5000)::VARCHAR) AS name, TIMESTAMP '2020-01-01' + INTERVAL 1 SECOND * (i * 37 % 100000000) "
      "AS sold, i % 3 = 0 AS paid FROM range({}) t(i)",
      rows);
}

boost::asio::awaitable<void> measure_opening(io::EventLoop& loop, const std::string& root) {
  constexpr std::int64_t kRows = 1'100'000;
  const auto directory = std::filesystem::temp_directory_path() / fmt::format("adit-bench-{}", ::getpid());
  std::filesystem::create_directories(directory);
  BareEngine engine(root + "/flights-3m.parquet");
  for (const std::string format : {"csv", "parquet"}) {
    const auto path = (directory / ("made." + format)).string();
    // A Parquet file of as many bytes has more rows.
    engine.run(
        fmt::format("COPY ({}) TO '{}' (FORMAT {})", made_rows(format == "csv" ? kRows : kRows * 4), path, format));
    const double megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
    auto client = start_server(loop, directory.string());
    const auto start = Clock::now();
    co_await open_file(*client, "made." + format, "made");
    const double ms = milliseconds_since(start);
    print_line(fmt::format("open_dataset of {:.0f} MB of {}", megabytes, format),
               fmt::format("{:.0f} ms, {:.0f} MB/s", ms, megabytes / ms * 1000), "");
    auto processes = children_of(client->pid());
    processes.push_back(client->pid());
    print_line("  all processes behind it, PSS", fmt::format("{:.1f} MB", pss_mb(processes)), "");
    co_await client->close();
  }
  std::filesystem::remove_all(directory);
}

boost::asio::awaitable<void> measure_all(io::EventLoop& loop, std::string root) {
  co_await measure_start(loop, root);
  co_await measure_workers(loop, root);
  co_await measure_queries(loop, root);
  co_await measure_throughput(loop, root);
  co_await measure_clients(loop, root);
  co_await measure_opening(loop, root);
}

}  // namespace
}  // namespace adit::bench

int main(int argc, char** argv) {
  CLI::App app("Measurements of adit beside their targets", "adit_bench");
  std::string data;
  app.add_option("--data", data, "Directory with flights-3m.parquet and airports.csv")->required();
  CLI11_PARSE(app, argc, argv);
  adit::io::EventLoop loop;
  adit::io::run_to_end(loop, adit::bench::measure_all(loop, data));
}
