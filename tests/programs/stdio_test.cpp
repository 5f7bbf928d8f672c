// The stdio rules over the real program that need more than a transcript (tests/wire): bytes that are no lines, times,
// signals, processes.
#include "support/server_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace adit::test {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kExitTime = 2s;  // S3
constexpr std::size_t kLargestMessage = 8u << 20;

// Runs for many seconds, and takes an interrupt.
constexpr std::string_view kSlowQuery =
    "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5";

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

std::string ping(std::string_view id) { return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"ping"}})", id); }
std::string pong(std::string_view id) { return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{{}}}})", id); }

// A ping of exactly `size` bytes.
std::string ping_of_size(std::size_t size) {
  const std::string begin = R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":")", end = "\"}}";
  return begin + std::string(size - begin.size() - end.size(), 'x') + end;
}

class Stdio : public testing::Test {
 protected:
  Stdio() { data_.write("numbers.csv", "n\n1\n2\n3\n"); }

  ServerOptions options(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.end(), {"--root", data_.path()});
    return {.arguments = std::move(arguments)};
  }

  static std::string open_numbers(ServerProcess& server) {
    const auto opened = server.call("open_dataset", {{"sources", json::array{{{"path", "numbers.csv"}}}}});
    return std::string(opened.at("dataset_id").as_string());
  }

  static std::int64_t start_query(ServerProcess& server, const std::string& id, std::string_view sql,
                                  json::object meta = {}) {
    return server.start_call("query", {{"dataset_id", id}, {"sql", json::array{json::string(sql)}}}, std::move(meta));
  }

  // The id of a dataset on which the slow query runs.
  static std::string start_slow_query(ServerProcess& server) {
    const auto id = open_numbers(server);
    start_query(server, id, kSlowQuery);
    std::this_thread::sleep_for(300ms);
    return id;
  }

  static std::string count_of(ServerProcess& server, const std::string& id) {
    const auto answer =
        server.call("query", {{"dataset_id", id}, {"sql", json::array{"SELECT count(*) FROM numbers"}}});
    return std::string(answer.at("statements").at(0).at("rows").at(0).at(0).at("value").as_string());
  }

  static void cancel(ServerProcess& server, std::int64_t id) {
    server.send(
        fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{}}}}})", id));
  }

  static bool all_gone(const std::vector<pid_t>& processes) {
    for (const auto process : processes) {
      if (::kill(process, 0) == 0) return false;
    }
    return true;
  }

  // What is left below the state directory: directories of runs and of datasets.
  static std::vector<std::string> left_over(const ServerProcess& server) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(server.state_dir(), error)) {
      names.push_back(entry.path().string());
    }
    return names;
  }

  TemporaryDirectory data_;
};

// ---- S1: lines

TEST_F(Stdio, S1_LinesMayEndInCrLfAndEmptyOnesAreIgnored) {
  ServerProcess server(options());
  server.send_bytes("\n\r\n\n" + ping("1") + "\r\n\r\n\r\n\n" + ping("2") + "\n");
  EXPECT_EQ(server.read_line(), pong("1"));
  EXPECT_EQ(server.read_line(), pong("2"));
  EXPECT_TRUE(server.stays_silent(200ms));
}

TEST_F(Stdio, S1_AMessageMayComeByteByByte) {
  ServerProcess server(options());
  for (const char c : ping("\"é😀\"") + "\n") server.send_bytes(std::string_view(&c, 1));
  EXPECT_EQ(server.read_line(), pong("\"é😀\""));
}

// Reads of 4, 8, 16 or 64 KiB end within a character, whichever the server makes.
TEST_F(Stdio, S1_C24_CharactersThatAReadCutsComeBackWhole) {
  ServerProcess server(options());
  for (const std::size_t piece : {4096u, 8192u, 16384u, 65536u}) {
    for (std::size_t before = 1; before <= 4; ++before) {
      SCOPED_TRACE(fmt::format("{} bytes before the end of {}", before, piece));
      const std::string begin = R"({"jsonrpc":"2.0","method":"ping","id":")";
      const auto id = std::string(piece - before - begin.size(), 'x') + "é😀語";
      server.send(begin + id + "\"}");
      EXPECT_EQ(server.read_line(), pong("\"" + id + "\""));
    }
  }
}

TEST_F(Stdio, S1_ManyMessagesInOnePieceAreAllAnsweredInOrder) {
  ServerProcess server(options());
  std::string bytes;
  for (int i = 0; i < 2000; ++i) bytes += ping(std::to_string(i)) + "\n";
  server.send_bytes(bytes);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(server.read_line(), pong(std::to_string(i)));
}

TEST_F(Stdio, S1_ALastLineWithoutItsLineFeedIsServed) {
  ServerProcess server(options());
  server.send_bytes(ping("1"));
  EXPECT_TRUE(server.stays_silent(100ms)) << "it may go on";
  server.close_input();
  EXPECT_EQ(server.read_line(), pong("1"));
  EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
}

TEST_F(Stdio, S1_LineBreaksInTextsAreEscaped) {
  ServerProcess server(options());
  const auto id = open_numbers(server);
  const auto answer = server.call("query", {{"dataset_id", id}, {"sql", json::array{"SELECT\r\n'a\nb\u2028c'\n"}}});
  EXPECT_EQ(answer.at("statements").at(0).at("sql"), "SELECT\r\n'a\nb\u2028c'\n");
  EXPECT_EQ(answer.at("statements").at(0).at("rows").at(0).at(0).at("value"), "a\nb\u2028c");
}

// ---- S2: nothing but messages on stdout

TEST_F(Stdio, S2_C02_StdoutHasOnlyMessagesAtTheFullLogLevelToo) {
  ServerProcess server(options({"--log-level", "debug"}));
  server.send("no JSON");
  EXPECT_TRUE(server.read_line().has_value());
  const auto id = open_numbers(server);
  EXPECT_EQ(count_of(server, id), "3");
  start_query(server, id, "SELECT nonsense");
  std::string line;
  server.close_input();
  while (auto next = server.read_line(5s)) {
    json::error_code error;
    json::parse(*next, error);
    EXPECT_FALSE(error) << *next;
  }
  EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
}

// What is wrong at the start is told on stderr, and proxies of the environment are nobody's business: no network is
// used.
TEST_F(Stdio, S2_C02_AStartThatFailsOrWarnsPrintsNothingToStdout) {
  data_.write("bad.toml", "answer_bytes = [\n");
  struct Case {
    std::string_view what;
    std::vector<std::string> arguments, environment;
    int exit_code;
    bool speaks;
  };
  const Case cases[] = {
      {"a file that is no configuration", {"--config", data_.path() + "/bad.toml"}, {}, 2, true},
      {"a file that is not there", {"--config", data_.path() + "/none.toml"}, {}, 2, true},
      {"a root that is not there", {"--root", data_.path() + "/none"}, {}, 1, true},
      {"an unknown flag", {"--verbos"}, {}, 2, true},
      {"a variable that is no number", {}, {"ADIT_ANSWER_BYTES=many"}, 2, true},
      {"proxies", {}, {"HTTP_PROXY=nonsense", "HTTPS_PROXY=http://127.0.0.1:1", "NO_PROXY=*"}, 0, false},
  };
  for (const auto& [what, arguments, environment, exit_code, speaks] : cases) {
    SCOPED_TRACE(what);
    auto start = options(arguments);
    start.environment = environment;
    ServerProcess server(start);
    server.close_input();
    EXPECT_EQ(server.read_line(5s), std::nullopt);
    EXPECT_EQ(server.wait_for_exit(5s), exit_code) << server.standard_error();
    EXPECT_EQ(!server.standard_error().empty(), speaks) << server.standard_error();
  }
}

// Whatever a library prints to descriptor 1 must not reach the client.
TEST_F(Stdio, S2_C28_Descriptor1OfTheServerIsItsStderrAndThatOfItsWorkersTheNullDevice) {
  if (::geteuid() != 0) GTEST_SKIP() << "the server forbids other processes to look at it (PR_SET_DUMPABLE)";
  ServerProcess server(options());
  open_numbers(server);
  const auto target = [](pid_t process, int fd) {
    return fs::read_symlink(fmt::format("/proc/{}/fd/{}", process, fd)).string();
  };
  EXPECT_EQ(target(server.pid(), 1), target(server.pid(), 2));
  ASSERT_EQ(server.workers().size(), 1u);
  EXPECT_EQ(target(server.workers()[0], 0), "/dev/null");
  EXPECT_EQ(target(server.workers()[0], 1), "/dev/null");
}

// ---- S3: the end

TEST_F(Stdio, S3_C03_TheEndOfInputEndsAnIdleServerWith0) {
  ServerProcess server(options());
  server.close_input();
  EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
}

// A client that is gone before the server starts: its input is at its end already, and never was a pipe.
TEST_F(Stdio, S3_C03_WithTheNullDeviceAsInputTheServerEndsWith0) {
  auto with_script = options();
  with_script.program = data_.write("null.sh", "#!/bin/sh\nexec " ADIT_BIN_DIR "/adit \"$@\" </dev/null\n");
  ::chmod(with_script.program.c_str(), 0700);
  ServerProcess server(with_script);
  EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
}

TEST_F(Stdio, S3_C03_TheEndOfInputEndsTheServerItsWorkersAndItsFilesThoughAQueryRuns) {
  ServerProcess server(options());
  start_slow_query(server);
  const auto workers = server.workers();
  ASSERT_EQ(workers.size(), 1u);
  ASSERT_FALSE(left_over(server).empty());
  server.close_input();
  EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
  EXPECT_TRUE(all_gone(workers));
  EXPECT_EQ(left_over(server), std::vector<std::string>());
  EXPECT_FALSE(server.read_line(100ms).has_value()) << "the cancelled query is not answered";
}

TEST_F(Stdio, S3_SignalsEndTheServerLikeTheEndOfInput) {
  for (const int signal : {SIGTERM, SIGINT}) {
    for (const bool busy : {false, true}) {
      SCOPED_TRACE(fmt::format("signal {} busy {}", signal, busy));
      ServerProcess server(options());
      if (busy) start_slow_query(server);
      else open_numbers(server);
      const auto workers = server.workers();
      ASSERT_EQ(workers.size(), 1u);
      server.kill(signal);
      EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
      EXPECT_TRUE(all_gone(workers));
    }
  }
}

TEST_F(Stdio, S3_SeveralDatasetsAtWorkEndInTheSameTwoSeconds) {
  ServerProcess server(options());
  for (int i = 0; i < 4; ++i) start_slow_query(server);
  const auto workers = server.workers();
  ASSERT_EQ(workers.size(), 4u);
  server.close_input();
  EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
  EXPECT_TRUE(all_gone(workers));
}

TEST_F(Stdio, S3_WhatIsNearlyDoneAtTheEndOfInputIsAnsweredAndFlushed) {
  ServerProcess server(options());
  const auto id = open_numbers(server);
  std::set<std::int64_t> owed;
  owed.insert(start_query(server, id, "SELECT 1"));
  for (int i = 0; i < 50; ++i) owed.insert(server.start_request("tools/list"));
  server.close_input();
  while (const auto line = server.read_line(5s)) owed.erase(json::parse(*line).at("id").as_int64());
  EXPECT_TRUE(owed.empty()) << owed.size() << " answers are missing";
  EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
}

TEST_F(Stdio, S3_AClientThatReadsNothingMoreDoesNotKeepTheServer) {
  ServerProcess server(options());
  // More answers than a pipe holds, and nobody reads them.
  for (int i = 0; i < 500; ++i) server.start_request("tools/list");
  std::this_thread::sleep_for(300ms);
  server.close_input();
  EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
}

TEST_F(Stdio, S3_SigpipeIsIgnored) {
  ServerProcess server(options());
  server.send(ping("1"));
  EXPECT_EQ(server.read_line(), pong("1"));
  server.kill(SIGPIPE);
  server.send(ping("2"));
  EXPECT_EQ(server.read_line(), pong("2"));
}

// The client goes without closing the server's input: the reader of the pipe ends after one line.
TEST_F(Stdio, S3_AWriteErrorEndsTheServerThoughItsInputIsOpen) {
  const auto status = data_.path() + "/status";
  const auto script = data_.write(
      "one-line.sh", "#!/bin/sh\n{ " ADIT_BIN_DIR "/adit \"$@\"; echo $? > " + status + "; } | head -n 1\n");
  ::chmod(script.c_str(), 0700);
  auto with_script = options();
  with_script.program = script;
  ServerProcess server(with_script);
  server.send(ping("1"));
  EXPECT_EQ(server.read_line(), pong("1"));
  // The reader goes a moment after its line.
  const auto ended = eventually(5s, [&] {
    server.send(ping("2"));
    std::this_thread::sleep_for(20ms);
    std::ifstream file(status);
    std::string code;
    return static_cast<bool>(std::getline(file, code));
  });
  EXPECT_TRUE(ended) << "the server still runs";
}

// ---- S4: reading, working and writing go on beside each other

TEST_F(Stdio, S4_P7_C01_OtherRequestsAreAnsweredAtOnceWhileQueriesRun) {
  struct Case {
    std::string_view method;
    json::object params;
    bool modern;
  };
  const Case cases[] = {
      {"ping", {}, false},
      {"server/discover", {}, true},
      {"tools/list", {}, true},
      {"tools/call", {{"name", "list_datasets"}}, true},
  };
  ServerProcess server(options());
  start_slow_query(server);
  std::int64_t id = 1000;
  for (const auto& [method, params, modern] : cases) {
    for (int i = 0; i < 5; ++i) {
      SCOPED_TRACE(method);
      const auto start = Clock::now();
      if (modern) EXPECT_TRUE(server.request(method, params).contains("result"));
      else server.send(ping(std::to_string(++id)));
      if (!modern) ASSERT_EQ(server.read_line(5s), pong(std::to_string(id)));
      EXPECT_LT(Clock::now() - start, 1s);
    }
  }
}

// Both sides write more than a pipe holds before either reads: a server that does one after the other would stand
// still.
TEST_F(Stdio, S4_C04_AnAnswerOfTenMegabytesAndARequestOfSevenPassEachOther) {
  ServerProcess server(options({"--answer-bytes", "0"}));
  const auto id = open_numbers(server);
  const auto big = start_query(server, id, "SELECT repeat('x', 10000000)");
  std::this_thread::sleep_for(1s);
  server.send(ping_of_size(7u << 20));
  std::optional<std::string> pong_line;
  for (int i = 0; i < 2; ++i) {
    auto line = server.read_line();
    ASSERT_TRUE(line.has_value());
    if (*line == pong("1")) {
      pong_line = std::move(line);
      continue;
    }
    const auto message = json::parse(*line).as_object();
    EXPECT_EQ(message.at("id"), big);
    const auto& content = message.at("result").at("structuredContent");
    EXPECT_EQ(content.at("statements").at(0).at("rows").at(0).at(0).at("value").as_string().size(), 10'000'000u);
  }
  EXPECT_TRUE(pong_line.has_value());
}

TEST_F(Stdio, S4_C04_AnswersThatTheClientTakesLateAreWhole) {
  ServerProcess server(options());
  std::set<std::int64_t> owed;
  for (int i = 0; i < 300; ++i) owed.insert(server.start_request("tools/list"));
  std::this_thread::sleep_for(300ms);
  const auto first = server.read_line();
  ASSERT_TRUE(first.has_value());
  owed.erase(json::parse(*first).at("id").as_int64());
  while (!owed.empty()) {
    const auto line = server.read_line();
    ASSERT_TRUE(line.has_value()) << owed.size() << " answers are missing";
    EXPECT_EQ(line->size() / 100, first->size() / 100) << "about as long as the first";
    owed.erase(json::parse(*line).at("id").as_int64());
  }
}

// ---- S5: cancelling

TEST_F(Stdio, S5_P3_C01_ACancelledQueryLeavesItsDatasetUsableWithinTwoSeconds) {
  ServerProcess server(options());
  const auto id = open_numbers(server);
  for (int round = 0; round < 3; ++round) {
    const auto slow = start_query(server, id, kSlowQuery);
    std::this_thread::sleep_for(200ms);
    const auto start = Clock::now();
    cancel(server, slow);
    EXPECT_EQ(count_of(server, id), "3");
    EXPECT_LT(Clock::now() - start, 2s);
  }
}

TEST_F(Stdio, S5_C08_AQueryThatIsCancelledAtOnceIsNotAnswered) {
  ServerProcess server(options());
  const auto id = open_numbers(server);
  for (int round = 0; round < 20; ++round) cancel(server, start_query(server, id, kSlowQuery));
  const auto next =
      server.start_call("query", {{"dataset_id", id}, {"sql", json::array{"SELECT count(*) FROM numbers"}}});
  const auto line = server.read_line();
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(json::parse(*line).at("id"), next) << *line;
}

TEST_F(Stdio, S5_P1_ProgressComesWithItsTokenAndEndsWithTheCancelling) {
  ServerProcess server(options());
  const auto id = open_numbers(server);
  const auto slow = start_query(server, id, kSlowQuery, {{"progressToken", "a token"}});
  double last = -1;
  for (int i = 0; i < 3; ++i) {
    const auto line = server.read_line();
    ASSERT_TRUE(line.has_value());
    const auto message = json::parse(*line);
    ASSERT_EQ(message.at("method"), "notifications/progress") << *line;
    EXPECT_EQ(message.at("params").at("progressToken"), "a token");
    const auto now = message.at("params").at("progress").to_number<double>();
    EXPECT_GT(now, last);
    last = now;
  }
  cancel(server, slow);
  server.send(ping("\"behind\""));
  // What was on its way when the server read the notification.
  auto line = server.read_line();
  while (line && *line != pong("\"behind\"")) line = server.read_line();
  EXPECT_TRUE(server.stays_silent(700ms));
}

TEST_F(Stdio, P1_C09_TheClientsTokenComesBackAsItWasAndNothingBehindTheAnswer) {
  ServerProcess server(options());
  const auto id = open_numbers(server);
  for (const auto& token : {json::value("a token"), json::value(7), json::value("7")}) {
    SCOPED_TRACE(json::serialize(token));
    const auto before = server.notifications().size();
    const auto call = start_query(server, id, "SELECT count(*) FROM range(300000000) a WHERE a.range % 7 = 3",
                                  {{"progressToken", token}});
    EXPECT_TRUE(server.wait_for(call).contains("result"));
    double last = -1;
    EXPECT_GT(server.notifications().size(), before);
    for (auto i = before; i < server.notifications().size(); ++i) {
      const auto& params = server.notifications()[i].at("params");
      EXPECT_EQ(params.at("progressToken"), token);
      EXPECT_GT(params.at("progress").to_number<double>(), last);
      last = params.at("progress").to_number<double>();
    }
    EXPECT_TRUE(server.stays_silent(400ms));
  }
}

TEST_F(Stdio, P1_C09_WithoutATokenNoProgressComes) {
  ServerProcess server(options());
  start_slow_query(server);
  EXPECT_TRUE(server.stays_silent(1s));
}

// ---- S7, S8

TEST_F(Stdio, S7_AnOrdinarySessionLogsNothing) {
  ServerProcess server(options());
  const auto id = open_numbers(server);
  EXPECT_EQ(count_of(server, id), "3");
  server.send("no JSON");
  EXPECT_TRUE(server.read_line().has_value());
  server.close_input();
  EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
  EXPECT_EQ(server.standard_error(), "");
}

TEST_F(Stdio, S8_TheFirstAnswerComesWithinHalfASecond) {
  // The best of some: other work on the machine is not the server's.
  auto best = Clock::duration::max();
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    ServerProcess server(options());
    EXPECT_TRUE(server.request("server/discover").contains("result"));
    best = std::min(best, Clock::now() - start);
  }
  EXPECT_LT(best, 500ms);
}

// ---- D6

TEST_F(Stdio, D6_InstructionsAreShortAndTellTheOrderOfTheTools) {
  ServerProcess server(options());
  const auto result = server.request("server/discover").at("result").as_object();
  const std::string text(result.at("instructions").as_string());
  EXPECT_LE(text.size(), 2048u);
  for (const std::vector<std::string>& order :
       {std::vector<std::string>{"socrata_list_portals", "socrata_find_datasets", "socrata_get_dataset",
                                 "socrata_query_dataset"},
        std::vector<std::string>{"open_dataset", "> query", "> close_dataset"}}) {
    std::size_t behind = 0;
    for (const auto& tool : order) {
      const auto at = text.find(tool, behind);
      ASSERT_NE(at, std::string::npos) << tool;
      behind = at + tool.size();
    }
  }
}

// ---- J7: limits of a message

// An error without an id, and the next message served.
void expect_one_error(ServerProcess& server, std::int64_t code) {
  const auto line = server.read_line();
  ASSERT_TRUE(line.has_value());
  const auto answer = json::parse(*line).as_object();
  ASSERT_TRUE(answer.contains("error")) << *line;
  EXPECT_EQ(answer.at("error").at("code"), code);
  EXPECT_FALSE(answer.contains("id"));
  server.send(ping("\"next\""));
  EXPECT_EQ(server.read_line(), pong("\"next\""));
}

TEST_F(Stdio, J7_AMessageOf8MegabytesIsServedAndALongerOneIsOneError) {
  ServerProcess server(options());
  server.send(ping_of_size(kLargestMessage));
  EXPECT_EQ(server.read_line(), pong("1"));
  server.send(ping_of_size(kLargestMessage + 1));
  expect_one_error(server, -32600);
  server.send(std::string(50u << 20, ' '));
  expect_one_error(server, -32600);
  server.send_bytes(ping_of_size(kLargestMessage + 1) + "\n" + ping_of_size(kLargestMessage) + "\n");
  EXPECT_NE(server.read_line()->find("-32600"), std::string::npos);
  EXPECT_EQ(server.read_line(), pong("1"));
}

TEST_F(Stdio, J7_C05_ALongLineInSmallPiecesIsServedOrIsOneError) {
  ServerProcess server(options());
  const auto send_in_pieces = [&](const std::string& line) {
    for (std::size_t at = 0; at < line.size(); at += 1024) server.send_bytes(std::string_view(line).substr(at, 1024));
  };
  send_in_pieces(ping_of_size(kLargestMessage) + "\n");
  EXPECT_EQ(server.read_line(), pong("1"));
  send_in_pieces(ping_of_size(10u << 20) + "\n");
  expect_one_error(server, -32600);
}

// A client that frames its messages as language servers do is told so line by line, and nothing of it runs.
TEST_F(Stdio, S1_C27_HeadersBeforeAMessageAreErrorsAndEndNothing) {
  ServerProcess server(options());
  const auto framed = fmt::format("Content-Length: {}\r\n\r\n{}", ping("1").size(), ping("1"));
  server.send_bytes(framed + framed + "\n");
  const std::pair<std::string_view, std::string_view> errors[] = {
      {"the first header", "Not JSON: a message is one line, without headers before it"},
      {"the first message with the second header", "Not JSON: extra data"},
  };
  for (const auto& [what, message] : errors) {
    SCOPED_TRACE(what);
    const auto line = server.read_line();
    ASSERT_TRUE(line.has_value());
    const auto answer = json::parse(*line);
    EXPECT_EQ(answer.at("error").at("code"), -32700);
    EXPECT_EQ(answer.at("error").at("message"), json::string(message));
  }
  EXPECT_EQ(server.read_line(), pong("1")) << "the second message stands on a line of its own";
  server.send(ping("2"));
  EXPECT_EQ(server.read_line(), pong("2"));
}

TEST_F(Stdio, J7_ATooLongLastLineWithoutItsEndIsOneErrorToo) {
  ServerProcess server(options());
  server.send_bytes(ping_of_size(kLargestMessage + 1));
  server.close_input();
  const auto line = server.read_line();
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(json::parse(*line).at("error").at("code"), -32600);
  EXPECT_FALSE(server.read_line(2s).has_value());
  EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
}

TEST_F(Stdio, J7_BytesThatAreNotUtf8AreOneError) {
  ServerProcess server(options());
  for (const auto* bytes : {"\xFF", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80"}) {
    SCOPED_TRACE(json::serialize(json::string(fmt::format("{:02x}", static_cast<unsigned char>(bytes[0])))));
    server.send(fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}})", bytes));
    expect_one_error(server, -32700);
    server.send(fmt::format(R"({{"jsonrpc":"2.0","id":"{}","method":"ping"}})", bytes));
    expect_one_error(server, -32700);
  }
  server.send("\xEF\xBB\xBF" + ping("1"));
  expect_one_error(server, -32700);
  server.send(std::string("\0\0\0", 3));
  expect_one_error(server, -32700);
}

TEST_F(Stdio, J7_AMillionBracketsAreOneError) {
  ServerProcess server(options());
  server.send(std::string(1'000'000, '['));
  expect_one_error(server, -32700);
  server.send(
      fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":{}}}}})", std::string(1'000'000, '[')));
  expect_one_error(server, -32700);
}

TEST_F(Stdio, J7_GarbageIsAnsweredLineByLineAndNeverEndsTheServer) {
  ServerProcess server(options());
  std::mt19937 random(20260728);
  std::string bytes;
  int lines = 0;
  for (int i = 0; i < 500; ++i) {
    std::string line(1 + random() % 200, '\0');
    for (char& c : line) {
      c = static_cast<char>(random());
      if (c == '\n' || c == '\r') c = 'x';
    }
    bytes += line + "\n";
    ++lines;
  }
  const std::string good = fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{}}}}})", kMeta);
  for (int i = 0; i < 500; ++i) {
    auto line = good;
    line[random() % line.size()] = "{}[]\",:\\x0"[random() % 10];
    bytes += line + "\n";
    ++lines;
  }
  server.send_bytes(bytes + ping("\"end\"") + "\n");
  int answers = 0;
  for (;;) {
    const auto line = server.read_line();
    ASSERT_TRUE(line.has_value()) << "after " << answers << " answers; stderr: " << server.standard_error();
    if (*line == pong("\"end\"")) break;
    json::error_code error;
    EXPECT_TRUE(json::parse(*line, error).is_object() && !error) << *line;
    ++answers;
  }
  EXPECT_LE(answers, lines);
  EXPECT_GE(answers, 500) << "each line that is no JSON has its error";
}

}  // namespace
}  // namespace adit::test
