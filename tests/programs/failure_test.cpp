// What a killed worker or a killed front leaves behind: a clear error for the running call, and nothing else.
#include "support/server_process.h"

#include <gtest/gtest.h>

#include <signal.h>

#include <filesystem>
#include <fstream>

namespace adit::test {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;

// Runs for many seconds, and takes an interrupt.
constexpr std::string_view kSlowQuery =
    "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5";

ServerOptions with_root(std::string root) {
  return {.arguments = {"--root", std::move(root)}, .environment = {}, .program = "", .speak_modern = true};
}

json::array one(std::string_view sql) { return {json::string(sql)}; }

std::string open_numbers(ServerProcess& server) {
  const auto opened = server.call("open_dataset", {{"sources", json::array{{{"path", "numbers.csv"}}}}});
  return std::string(opened.at("dataset_id").as_string());
}

std::string count_of(ServerProcess& server, const std::string& id) {
  const auto answer = server.call("query", {{"dataset_id", id}, {"sql", one("SELECT count(*) FROM numbers")}});
  if (!answer.contains("statements") || answer.at("statements").as_array().empty()) return json::serialize(answer);
  return std::string(answer.at("statements").at(0).at("rows").at(0).at(0).at("value").as_string());
}

pid_t only_worker(const ServerProcess& server) {
  EXPECT_TRUE(eventually(5s, [&] { return server.workers().size() == 1; }));
  return server.workers().at(0);
}

// Directories of runs below the state directory.
std::size_t run_directories(const std::string& state) {
  std::error_code error;
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(state, error)) ++count;
  return count;
}

class Failure : public testing::Test {
 protected:
  Failure() {
    std::string csv = "n\n";
    for (int i = 0; i < 1000; ++i) csv += std::to_string(i) + "\n";
    data_.write("numbers.csv", csv);
  }
  TemporaryDirectory data_;
};

TEST_F(Failure, AWorkerKilledWhileIdleIsReplacedUnnoticed) {
  ServerProcess server(with_root(data_.path()));
  const auto id = open_numbers(server);
  const auto first = only_worker(server);
  ASSERT_EQ(::kill(first, SIGKILL), 0);
  EXPECT_EQ(count_of(server, id), "1000");
  EXPECT_NE(only_worker(server), first);
}

TEST_F(Failure, AWorkerKilledWhileItLoadsFailsTheOpeningAndNothingElse) {
  // Large enough to be still loading when the signal arrives.
  std::string csv = "n,text\n";
  for (int i = 0; i < 3'000'000; ++i) csv += std::to_string(i) + ",some text to read\n";
  data_.write("large.csv", csv);
  ServerProcess server(with_root(data_.path()));
  const auto call = server.start_call("open_dataset", {{"sources", json::array{{{"path", "large.csv"}}}}});
  const auto worker = only_worker(server);
  std::this_thread::sleep_for(100ms);
  ASSERT_EQ(::kill(worker, SIGKILL), 0);
  const auto answer = server.wait_for(call);
  const auto& result = answer.at("result").as_object();
  EXPECT_EQ(result.at("isError"), true);
  const auto& error = result.at("structuredContent").at("error").as_object();
  EXPECT_EQ(error.at("kind"), "internal_error");
  EXPECT_EQ(error.at("stage"), "dataset");
  EXPECT_EQ(error.at("retryable"), true);
  // The failed dataset is gone, the server is not.
  const auto id = open_numbers(server);
  EXPECT_EQ(count_of(server, id), "1000");
}

TEST_F(Failure, AWorkerKilledInTheMiddleOfAQueryCostsThatCallAlone) {
  ServerProcess server(with_root(data_.path()));
  const auto id = open_numbers(server);
  const auto call = server.start_call(
      "query", {{"dataset_id", id}, {"sql", json::array{"SELECT 7", json::string(kSlowQuery), "SELECT 8"}}});
  const auto worker = only_worker(server);
  std::this_thread::sleep_for(300ms);
  ASSERT_EQ(::kill(worker, SIGKILL), 0);
  const auto answer = server.wait_for(call);
  const auto& content = answer.at("result").at("structuredContent").as_object();
  EXPECT_EQ(answer.at("result").at("isError"), true);
  EXPECT_EQ(content.at("error").at("kind"), "internal_error");
  EXPECT_EQ(content.at("error").at("statement_index"), 1);
  EXPECT_EQ(content.at("error").at("retryable"), true);
  EXPECT_NE(content.at("error").at("message").as_string().find("signal 9"), json::string::npos);
  // The statement before it is whole.
  ASSERT_EQ(content.at("statements").as_array().size(), 1u);
  EXPECT_EQ(content.at("statements").at(0).at("rows").at(0).at(0).at("value"), "7");
  EXPECT_EQ(count_of(server, id), "1000");
}

TEST_F(Failure, CallsThatWaitedBehindAKilledWorkerAreAnswered) {
  ServerProcess server(with_root(data_.path()));
  const auto id = open_numbers(server);
  const auto slow = server.start_call("query", {{"dataset_id", id}, {"sql", one(kSlowQuery)}});
  const auto next = server.start_call("query", {{"dataset_id", id}, {"sql", one("SELECT 5")}});
  const auto worker = only_worker(server);
  std::this_thread::sleep_for(200ms);
  ASSERT_EQ(::kill(worker, SIGKILL), 0);
  EXPECT_EQ(server.wait_for(slow).at("result").at("isError"), true);
  EXPECT_FALSE(server.wait_for(next).at("result").as_object().contains("isError"));
}

TEST_F(Failure, ACancelledQueryStopsAndItsDatasetStaysUsable) {
  ServerProcess server(with_root(data_.path()));
  const auto id = open_numbers(server);
  const auto call = server.start_call("query", {{"dataset_id", id}, {"sql", one(kSlowQuery)}});
  std::this_thread::sleep_for(200ms);
  server.send(json::serialize(json::object{
      {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", json::object{{"requestId", call}}}}));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(count_of(server, id), "1000");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
  EXPECT_TRUE(server.stays_silent(300ms));  // no answer for the cancelled call
}

TEST_F(Failure, AQueryThatIgnoresInterruptsIsKilledOnCancelAndItsDatasetStaysUsable) {
  ServerProcess server(with_root(data_.path()));
  const auto id = open_numbers(server);
  const auto call =
      server.start_call("query", {{"dataset_id", id}, {"sql", one("SELECT len(range(30000000)) FROM range(50)")}});
  std::this_thread::sleep_for(200ms);
  server.send(json::serialize(json::object{
      {"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", json::object{{"requestId", call}}}}));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(count_of(server, id), "1000");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 3s);
}

TEST_F(Failure, OtherDatasetsAndProtocolCallsGoOnBesideASlowQuery) {
  ServerProcess server(with_root(data_.path()));
  const auto busy = open_numbers(server);
  const auto free = open_numbers(server);
  server.start_call("query", {{"dataset_id", busy}, {"sql", one(kSlowQuery)}});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(count_of(server, free), "1000");
  EXPECT_TRUE(server.request("tools/list").contains("result"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
}

TEST_F(Failure, NothingIsLeftAfterTheEndOfInputEvenWithAQueryRunning) {
  ServerProcess server(with_root(data_.path()));
  const auto id = open_numbers(server);
  server.start_call("query", {{"dataset_id", id}, {"sql", one(kSlowQuery)}});
  const auto worker = only_worker(server);
  EXPECT_EQ(run_directories(server.state_dir()), 1u);
  server.close_input();
  EXPECT_EQ(server.wait_for_exit(2s), 0);
  EXPECT_NE(::kill(worker, 0), 0);
  EXPECT_EQ(run_directories(server.state_dir()), 0u);
}

TEST_F(Failure, AFrontKilledByForceLeavesNoProcessAndItsDirectoryIsSweptAtTheNextStart) {
  TemporaryDirectory state;
  auto options = with_root(data_.path());
  options.state_dir = state.path();
  pid_t worker = -1;
  {
    ServerProcess server(options);
    const auto id = open_numbers(server);
    worker = only_worker(server);
    server.kill(SIGKILL);
    EXPECT_EQ(server.wait_for_exit(2s), -SIGKILL);
    EXPECT_TRUE(eventually(2s, [&] { return ::kill(worker, 0) != 0; }));
  }
  EXPECT_EQ(run_directories(state.path()), 1u);

  // What is not a run's directory stays, whatever it looks like.
  fs::create_directories(state.path() + "/not-ours");
  ServerProcess next(options);
  next.request("server/discover");
  EXPECT_TRUE(eventually(2s, [&] { return run_directories(state.path()) == 1; }));
  EXPECT_TRUE(fs::exists(state.path() + "/not-ours"));
}

TEST_F(Failure, AStartDoesNotSweepTheDirectoryOfAServerThatRuns) {
  TemporaryDirectory state;
  auto options = with_root(data_.path());
  options.state_dir = state.path();
  ServerProcess first(options);
  const auto id = open_numbers(first);
  ServerProcess second(options);
  second.request("server/discover");
  std::this_thread::sleep_for(200ms);
  EXPECT_EQ(count_of(first, id), "1000");
  ASSERT_EQ(::kill(only_worker(first), SIGKILL), 0);
  EXPECT_EQ(count_of(first, id), "1000");
}

TEST_F(Failure, AWorkerHoldsNothingOfTheFrontsDescriptorsOrEnvironment) {
  auto options = with_root(data_.path());
  options.environment.push_back("SOCRATA_APP_TOKEN=secret-token");
  ServerProcess server(options);
  open_numbers(server);
  const auto worker = only_worker(server);
  std::ifstream environment(fmt::format("/proc/{}/environ", worker));
  const std::string text{std::istreambuf_iterator<char>(environment), {}};
  EXPECT_EQ(text.find("secret-token"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\0'), 4) << text;
  for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", worker))) {
    std::error_code error;
    const auto target = fs::read_symlink(entry.path(), error).string();
    const bool expected = target == "/dev/null" || target.starts_with("pipe:") || target.starts_with("socket:") ||
                          target.starts_with("anon_inode:") || target.starts_with("/proc/") ||
                          target.starts_with(server.state_dir());
    EXPECT_TRUE(expected) << entry.path() << " -> " << target;
  }
}

}  // namespace
}  // namespace adit::test
