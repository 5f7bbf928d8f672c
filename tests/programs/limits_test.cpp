// Limits of datasets and calls over the real program (section "Limits" of the contract): many datasets on few workers,
// memory that runs out, sorting that needs the disk, the sizes of a call and of its answer.
#include "support/dataset_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace adit::test {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLiveWorkers = 4;
constexpr int kOpenDatasets = 64;

// Bit of a signal in /proc/PID/status.
constexpr std::uint64_t kKillPending = 1u << (9 - 1);
constexpr unsigned long kExiting = 0x4;  // PF_EXITING in /proc/PID/stat

// A process that has been killed takes a moment to end; it works no more. What waits for it is read before its state,
// so that one that ends in between is not taken for a living one.
bool is_alive(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);) {
    const bool pending = line.starts_with("ShdPnd:") || line.starts_with("SigPnd:");
    if (pending && (std::stoull(line.substr(7), nullptr, 16) & kKillPending) != 0) return false;
  }
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string line, state, skipped;
  std::getline(stat, line);
  std::istringstream fields(line.substr(std::min(line.size(), line.rfind(')') + 2)));
  unsigned long flags = 0;
  fields >> state >> skipped >> skipped >> skipped >> skipped >> skipped >> flags;
  return !state.empty() && state != "Z" && state != "X" && (flags & kExiting) == 0;
}

// Looks at the server's workers from a thread of its own for as long as it lives.
class WorkerWatch {
 public:
  explicit WorkerWatch(const ServerProcess& server) : pid_(server.pid()), thread_([this] { watch(); }) {}
  WorkerWatch(const WorkerWatch&) = delete;
  WorkerWatch& operator=(const WorkerWatch&) = delete;
  ~WorkerWatch() {
    done_ = true;
    thread_.join();
  }
  std::size_t most() const { return most_; }

 private:
  void watch() {
    while (!done_) {
      const auto workers = children_of(pid_);
      const auto alive = static_cast<std::size_t>(std::count_if(workers.begin(), workers.end(), is_alive));
      most_ = std::max<std::size_t>(most_, alive);
      std::this_thread::sleep_for(500us);
    }
  }

  pid_t pid_;
  std::atomic<bool> done_ = false;
  std::atomic<std::size_t> most_ = 0;
  std::thread thread_;
};

std::uintmax_t spilled_bytes(const std::string& state) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(state, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const bool spill = entry->path().parent_path().filename() == "spill" && entry->is_regular_file(ignored);
    const auto size = spill ? entry->file_size(ignored) : 0;
    if (!ignored) bytes += size;
  }
  return bytes;
}

std::size_t text_bytes(const json::object& message) {
  return message.at("result").at("content").at(0).at("text").as_string().size();
}

class Limits : public testing::Test {
 protected:
  Limits() { data_.write("numbers.csv", "n\n1\n2\n3\n"); }

  TemporaryDirectory data_;
};

// "64 open workspaces", "live workers 4 (stdio)".
TEST_F(Limits, SixtyFourDatasetsShareFourWorkersAndTheNextOneIsRefused) {
  ServerProcess server(with_root(data_.path()));
  const WorkerWatch watch(server);
  std::vector<std::string> ids;
  for (int i = 0; i < kOpenDatasets; ++i) {
    data_.write("table.csv", fmt::format("x\n{}\n", i));
    ids.push_back(dataset_of(open_paths(server, {"table.csv"})));
  }
  const auto refused = open_paths(server, {"table.csv"});
  EXPECT_EQ(of_error(refused, "kind"), "limit_reached");
  EXPECT_EQ(of_error(refused, "stage"), "dataset");
  EXPECT_NE(of_error(refused, "message").find("64"), std::string::npos);
  EXPECT_NE(of_error(refused, "hint").find("close_dataset"), std::string::npos);
  // Adding to an open one is no new one.
  EXPECT_EQ(dataset_of(open_paths(server, {"numbers.csv"}, ids[0])), ids[0]);

  // One after another, then all at once: each has its own rows.
  for (int i = 0; i < 32; ++i) {
    const auto index = static_cast<std::size_t>(i * 2);
    EXPECT_EQ(first_cell(query(server, ids[index], {"SELECT x FROM \"table\""})), std::to_string(index));
  }
  std::vector<std::int64_t> calls;
  for (int i = 0; i < 16; ++i) {
    calls.push_back(
        server.start_call("query", query_arguments(ids[static_cast<std::size_t>(i)], {"SELECT x FROM \"table\""})));
  }
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(first_cell(content_of(server.wait_for(calls[static_cast<std::size_t>(i)]))), std::to_string(i));
  }
  EXPECT_EQ(watch.most(), kLiveWorkers);

  server.call("close_dataset", {{"dataset_id", ids.back()}});
  EXPECT_EQ(dataset_of(open_paths(server, {"numbers.csv"})), "dataset-65");
}

// A worker needs seconds to start where others take the processors; that is no failure.
TEST_F(Limits, WorkersStartWhileTheMachineIsUnderLoad) {
  ServerProcess server(with_root(data_.path()));
  std::atomic<bool> done = false;
  std::vector<std::thread> load;
  for (unsigned i = 0; i < 4 * std::max(1u, std::thread::hardware_concurrency()); ++i) {
    load.emplace_back([&done] {
      while (!done) {
      }
    });
  }
  std::vector<std::int64_t> calls;
  for (int i = 0; i < 5; ++i) calls.push_back(server.start_call("open_dataset", open_arguments({"numbers.csv"})));
  std::vector<std::string> ids;
  for (const auto call : calls) ids.push_back(dataset_of(content_of(server.wait_for(call, 120s))));
  for (const auto& id : ids) EXPECT_EQ(first_cell(query(server, id, {"SELECT sum(n) FROM numbers"})), "6");
  done = true;
  for (auto& thread : load) thread.join();
}

// "100 statements and 64 named queries a call".
TEST_F(Limits, ACallHasAHundredStatementsAndSixtyFourNamedQueriesAtMost) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  const auto call = [&](int statements, int named) {
    json::object arguments =
        query_arguments(id, std::vector<std::string>(static_cast<std::size_t>(statements), "SELECT 1"));
    if (named > 0) {
      auto& queries = arguments["named_temp_queries"].emplace_array();
      for (int i = 0; i < named; ++i) {
        queries.push_back(
            {{"name", fmt::format("q{}", i)},
             {"sql", i == 0 ? std::string("SELECT 0 AS x") : fmt::format("SELECT x + 1 AS x FROM q{}", i - 1)}});
      }
    }
    return server.call("query", std::move(arguments));
  };
  EXPECT_EQ(call(100, 0).at("statements").as_array().size(), 100u);
  EXPECT_EQ(of_error(call(101, 0), "kind"), "invalid_argument");
  EXPECT_EQ(of_error(call(0, 0), "kind"), "invalid_argument");
  EXPECT_FALSE(call(1, 64).contains("error"));
  // A chain of as many definitions is read as it should be.
  EXPECT_EQ(first_cell(query(server, id, {"SELECT x FROM q63"})), "63");
  const auto refused = call(1, 65);
  EXPECT_EQ(of_error(refused, "kind"), "invalid_argument");
  EXPECT_EQ(of_error(refused, "stage"), "input");
  EXPECT_NE(of_error(refused, "message").find("64"), std::string::npos);
}

// "max_bytes counts the bytes of the result JSON and lowers the server's budget", however many statements share it.
TEST_F(Limits, T13_C20_TheAnswerOfManyStatementsStaysWithinItsBytes) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  const auto bytes_of = [&](const std::string& sql, int max_bytes) {
    auto arguments = query_arguments(id, std::vector<std::string>(100, sql));
    if (max_bytes > 0) arguments["max_bytes"] = max_bytes;
    return text_bytes(server.wait_for(server.start_call("query", std::move(arguments))));
  };
  EXPECT_LE(bytes_of("SELECT 1", 0), 56'000u);
  EXPECT_LE(bytes_of("SELECT i, 1, 2 FROM range(1000) t(i)", 0), 56'000u);
  EXPECT_LE(bytes_of("SELECT 1" + std::string(1100, ' '), 0), 56'000u);
  EXPECT_LE(bytes_of("SELECT 1", 4096), 4'096u);

  // One statement with more than fits, all by default: about 15,000 tokens, and where the rest is.
  const auto wide = "SELECT i, repeat('x', 400) AS x FROM range(100000) t(i)";
  const auto message = server.wait_for(server.start_call("query", query_arguments(id, {wide})));
  EXPECT_LE(text_bytes(message), 56'000u);
  const auto statement = content_of(message).at("statements").at(0).as_object();
  EXPECT_EQ(statement.at("total_rows"), 100'000);
  EXPECT_EQ(statement.at("next_offset"), statement.at("rows").as_array().size());
}

// "engine memory 512 MB": the statement fails, by an error of its own or with its worker, and the dataset lives on.
TEST_F(Limits, AStatementThatNeedsTooMuchMemoryCostsItselfAlone) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  query(server, id, {"CREATE VIEW v AS SELECT sum(n) AS s FROM numbers"});
  for (const std::string sql :
       {"SELECT list_sum(range(200000000))", "SELECT length(repeat('x', 2000000000))",
        "SELECT length(repeat('abc', 700000000) || 'x')", "SELECT array_agg(repeat('x', 1000)) FROM range(3000000)",
        "SELECT median(i) FROM range(80000000) t(i)",
        // Memory that the engine does not count is bound by the process's limit; it may end the worker.
        "SELECT mode(i) FROM range(20000000) t(i)", "SELECT histogram(i) FROM range(50000000) t(i)",
        "WITH RECURSIVE r AS (SELECT 1 AS i, repeat('x', 1000000) AS s UNION ALL SELECT i + 1, s || s FROM r WHERE i < "
        "20) "
        "SELECT max(i) FROM r"}) {
    SCOPED_TRACE(sql);
    const auto answer = query(server, id, {"SELECT 7", sql, "SELECT 8"});
    const auto kind = of_error(answer, "kind");
    EXPECT_TRUE(kind == "memory_limit" || kind == "internal_error") << json::serialize(answer);
    EXPECT_EQ(of_error(answer, "stage"), "execute");
    EXPECT_EQ(answer.at("error").at("statement_index"), 1);
    EXPECT_NE(of_error(answer, "hint").find("aggregate"), std::string::npos) << of_error(answer, "hint");
    EXPECT_EQ(answer.at("statements").as_array().size(), 1u);
    EXPECT_EQ(first_cell(query(server, id, {"SELECT s FROM v"})), "6");
  }
}

// What ran into the limit of its process's memory leaves a heap in which nothing else may fit: the next statement gets
// a process of its own. An error of another kind keeps the worker.
TEST_F(Limits, AWorkerThatRanOutOfMemoryIsFollowedByAnother) {
  ServerProcess server({.arguments = {"--root", data_.path(), "--engine-memory", "64MiB"}});
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  const auto before = server.workers();
  EXPECT_EQ(of_error(query(server, id, {"SELECT x FROM numbers"}), "kind"), "unknown_column");
  EXPECT_EQ(server.workers(), before);
  for (int i = 0; i < 3; ++i) {
    const auto last = server.workers();
    const auto kind = of_error(query(server, id, {"SELECT histogram(i) FROM range(50000000) t(i)"}), "kind");
    EXPECT_TRUE(kind == "memory_limit" || kind == "internal_error") << kind;
    EXPECT_EQ(first_cell(query(server, id, {"SELECT sum(n) FROM numbers"})), "6");
    EXPECT_NE(server.workers(), last);
  }
}

// "disk 4 GiB a workspace": told without the place where it lies.
TEST_F(Limits, AFullSpillDirectoryIsToldWithoutItsPath) {
  ServerProcess server({.arguments = {"--root", data_.path(), "--engine-memory", "64MiB", "--dataset-disk", "8MiB"}});
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  const auto answer = query(server, id,
                            {"SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY md5(i::VARCHAR)) AS r "
                             "FROM range(3000000) t(i))"});
  EXPECT_EQ(of_error(answer, "kind"), "disk_limit");
  EXPECT_FALSE(of_error(answer, "hint").empty());
  const auto text = json::serialize(answer);
  EXPECT_EQ(text.find(server.state_dir()), std::string::npos) << text;
  EXPECT_EQ(text.find("/spill"), std::string::npos) << text;
  EXPECT_EQ(first_cell(query(server, id, {"SELECT sum(n) FROM numbers"})), "6");
}

// i * 7919 mod n takes each value below a prime n once: sorted, the k-th is k.
TEST_F(Limits, FourDatasetsThatSortFiveMillionRowsAtOnceAreRight) {
  ServerProcess server(with_root(data_.path()));
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < kLiveWorkers; ++i) ids.push_back(dataset_of(open_paths(server, {"numbers.csv"})));
  std::vector<std::int64_t> calls;
  for (const auto& id : ids) {
    calls.push_back(server.start_call(
        "query",
        query_arguments(id, {"SELECT count(*) FILTER (place = key) FROM (SELECT key, row_number() OVER (ORDER BY key) "
                             "- 1 AS place FROM (SELECT i * 7919 % 5000011 AS key FROM range(5000011) t(i)))"}),
        {{"progressToken", id}}));
  }
  for (const auto call : calls) EXPECT_EQ(first_cell(content_of(server.wait_for(call))), "5000011");
}

// About 500 MB of rows: more than memory takes beside the sort itself. All keys but the largest, each with its own
// text.
TEST_F(Limits, ASortThatNeedsTheDiskIsRightAndLeavesNothingThere) {
  ServerProcess server(with_root(data_.path()));
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  server.start_call(
      "query",
      query_arguments(id,
                      {"SELECT count(*) || ' ' || sum(key) || ' ' || max(key) || ' ' || count(*) FILTER (text = key "
                       "|| repeat('.', 150)) FROM (SELECT key, text FROM (SELECT i * 7919 % 3000017 AS key, (i * "
                       "7919 % 3000017) || repeat('.', 150) AS text FROM range(3000017) t(i)) ORDER BY key LIMIT "
                       "3000016)"}),
      {{"progressToken", id}});
  std::uintmax_t most = 0;
  std::optional<std::string> line;
  while (!line || line->find(R"("id":)") == std::string::npos) {
    most = std::max(most, spilled_bytes(server.state_dir()));
    line = server.read_line(50ms);
  }
  EXPECT_EQ(first_cell(content_of(json::parse(*line).as_object())), "3000016 4500046500120 3000015 3000016");
  EXPECT_GT(most, 10u << 20);
  EXPECT_TRUE(eventually(2s, [&] { return spilled_bytes(server.state_dir()) == 0; }));
}

}  // namespace
}  // namespace adit::test
