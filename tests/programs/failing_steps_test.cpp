// kill -9 at every step of a worker's life, each once: the call that ran is answered with the right result or a clear
// error, the next call works, and nothing that was committed is lost. support/failing_worker carries it out.
#include "support/dataset_calls.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace adit::test {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

// Numbers of worker_protocol::MessageType.
enum Type { open = 1, import = 2, query_ = 3, describe = 5, started = 16, statement = 18, done = 19, definition = 22 };

enum class During { opening, adding, querying, describing };

// What the call during which it happens gets: a worker that had not begun is replaced and the call knows nothing of it.
enum class Gets { result, error };

struct Step {
  std::string_view name;
  During during;
  std::string_view direction;
  Type type;
  int number;
  Gets gets;
};

// Each worker's first request is `open`, so that the first `done` is its answer and the second one the call's.
constexpr Step kSteps[] = {
    {"opening, before the worker has its workspace", During::opening, "to", open, 1, Gets::error},
    {"opening, before the front knows that the worker is ready", During::opening, "from", done, 1, Gets::error},
    {"opening, before the worker knows the files", During::opening, "to", import, 1, Gets::result},
    {"opening, when loading begins", During::opening, "from", started, 1, Gets::result},
    {"opening, loaded and not told", During::opening, "from", done, 2, Gets::error},
    {"adding a file, before the worker has its workspace", During::adding, "to", open, 1, Gets::error},
    {"adding a file, before the worker knows it", During::adding, "to", import, 1, Gets::result},
    {"adding a file, loaded and not told", During::adding, "from", done, 2, Gets::error},
    {"query, before the worker has its workspace", During::querying, "to", open, 1, Gets::error},
    {"query, before the worker has it", During::querying, "to", query_, 1, Gets::result},
    {"query, when it begins", During::querying, "from", started, 1, Gets::result},
    {"query, a definition made and not told", During::querying, "from", definition, 1, Gets::error},
    {"query, a statement's rows not told", During::querying, "from", statement, 1, Gets::error},
    {"query, the last statement's rows not told", During::querying, "from", statement, 3, Gets::error},
    {"query, all told but the end", During::querying, "from", done, 2, Gets::error},
    {"describing, before the worker has the request", During::describing, "to", describe, 1, Gets::result},
    {"describing, not told", During::describing, "from", done, 2, Gets::error},
};

class FailingSteps : public testing::Test {
 protected:
  FailingSteps() {
    data_.write("numbers.csv", "n\n1\n2\n3\n");
    data_.write("more.csv", "m\n4\n5\n");
    fs::copy_file(std::string(ADIT_BIN_DIR) + "/../tests/failing_worker", program());
    const std::string given = ADIT_TEST_WORKER;
    std::ofstream(worker_.path() + "/real") << (given.empty() ? std::string(ADIT_BIN_DIR) + "/adit-worker" : given);
  }
  std::string program() const { return worker_.path() + "/failing_worker"; }

  void plan(const Step& step) const {
    std::ofstream(worker_.path() + "/plan")
        << step.direction << ' ' << static_cast<int>(step.type) << ' ' << step.number << '\n';
  }
  bool carried_out() const { return !fs::exists(worker_.path() + "/plan"); }

  json::object call_during(const Step& step, ServerProcess& server, const std::string& id) const {
    switch (step.during) {
      case During::opening: return open_paths(server, {"numbers.csv"});
      case During::adding: return open_paths(server, {"more.csv"}, id);
      case During::querying:
        return query(
            server, id,
            {"CREATE VIEW doubled AS SELECT n * 2 AS d FROM numbers", "SELECT 7", "SELECT sum(d) FROM doubled"});
      case During::describing: break;
    }
    return server.call("describe_dataset", {{"dataset_id", id}});
  }

  TemporaryDirectory data_, worker_;
};

TEST_F(FailingSteps, EachCostsTheRunningCallAtMost) {
  for (const auto& step : kSteps) {
    SCOPED_TRACE(step.name);
    ServerProcess server({.arguments = {"--root", data_.path(), "--worker", program(), "--worker-idle", "0.2"}});
    // A dataset with a source and a definition, whose worker has ended: the call starts another one.
    const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
    EXPECT_EQ(first_cell(query(server, id, {"CREATE VIEW kept AS SELECT max(n) AS top FROM numbers", "SELECT 1"}), 1),
              "1");
    ASSERT_TRUE(eventually(std::chrono::seconds(5), [&] { return server.workers().empty(); }));

    plan(step);
    const auto answer = call_during(step, server, id);
    EXPECT_TRUE(carried_out());
    EXPECT_EQ(answer.contains("error"), step.gets == Gets::error) << json::serialize(answer);
    if (answer.contains("error")) {
      expect_helpful_error(answer, std::string(step.name));
      EXPECT_EQ(answer.at("error").at("retryable"), true) << json::serialize(answer);
    }

    // Everything from before is there, and the same call works now.
    EXPECT_EQ(first_cell(query(server, id, {"SELECT sum(n) FROM numbers"})), "6");
    EXPECT_EQ(first_cell(query(server, id, {"SELECT top FROM kept"})), "3");
    const auto again = call_during(step, server, id);
    EXPECT_FALSE(again.contains("error")) << json::serialize(again);
    EXPECT_FALSE(server.call("close_dataset", {{"dataset_id", id}}).contains("error"));
  }
}

// "definitions made before it stay, and a diagnostic for each says so", also when the process has died.
TEST_F(FailingSteps, WhatADyingWorkerHasDoneIsTold) {
  ServerProcess server({.arguments = {"--root", data_.path(), "--worker", program()}});
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  ASSERT_EQ(server.workers().size(), 1u);
  plan({.name = "",
        .during = During::querying,
        .direction = "from",
        .type = statement,
        .number = 4,
        .gets = Gets::error});
  ::kill(server.workers()[0], SIGTERM);  // the next worker reads the plan
  auto arguments = query_arguments(id, {"CREATE VIEW two AS SELECT 2 AS x", "DROP VIEW IF EXISTS nothing",
                                        "SELECT n FROM numbers ORDER BY n", "SELECT 9"});
  arguments["named_temp_queries"] = json::array{{{"name", "one"}, {"sql", "SELECT 1 AS x"}}};
  arguments["limit"] = 1;
  const auto answer = server.call("query", arguments);
  EXPECT_EQ(of_error(answer, "kind"), "internal_error");
  EXPECT_EQ(answer.at("error").at("statement_index"), 3);
  EXPECT_EQ(answer.at("statements").as_array().size(), 3u);
  EXPECT_EQ(diagnostic_codes(answer), "not_defined definition_kept definition_kept");
  EXPECT_EQ(first_cell(query(server, id, {"SELECT one.x + two.x FROM one, two"})), "3");
}

}  // namespace
}  // namespace adit::test
