// The limits of a worker's process, as the real worker sets them: a query that exceeds one fails, or its process ends
// alone, and the workspace stays usable.
#include "worker/forked_worker.h"
#include "worker/opened_engine.h"

#include <gtest/gtest.h>

#include <thread>

namespace adit::worker {
namespace {

namespace fs = std::filesystem;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ADIT_SANITIZED
#endif
#endif

constexpr std::int64_t kMebibyte = 1 << 20;

class ProcessLimits : public testing::Test {
 protected:
  worker_protocol::OpenWorkspace workspace(std::int64_t memory, std::int64_t disk) const {
    auto workspace = workspace_in(directory_.path() + "/workspace");
    workspace.memory_bytes = memory;
    workspace.disk_bytes = disk;
    workspace.files = {directory_.path() + "/large.csv"};
    fs::create_directory(workspace.directory);
    return workspace;
  }

  test::TemporaryDirectory directory_;
};

std::string limit_of(pid_t pid, std::string_view name) {
  const auto values = proc_field(fmt::format("/proc/{}/limits", pid), name);
  return values.substr(0, values.find(' '));
}

bool ignores(pid_t pid, int signal) {
  const auto mask = std::stoull(proc_field(fmt::format("/proc/{}/status", pid), "SigIgn"), nullptr, 16);
  return (mask >> (signal - 1) & 1) != 0;
}

TEST_F(ProcessLimits, TheProcessHasTheLimitsOfItsWorkspace) {
  ForkedWorker worker;
  worker.open(workspace(128 * kMebibyte, 50 * kMebibyte));
#ifndef ADIT_SANITIZED
  EXPECT_EQ(limit_of(worker.pid(), "Max data size"), std::to_string(128 * kMebibyte / 4 * 7 + 256 * kMebibyte));
#endif
  EXPECT_EQ(limit_of(worker.pid(), "Max file size"), std::to_string(50 * kMebibyte));
  EXPECT_EQ(limit_of(worker.pid(), "Max core file size"), "0");
  EXPECT_EQ(limit_of(worker.pid(), "Max open files"), "256");
  EXPECT_TRUE(ignores(worker.pid(), SIGXFSZ));
  EXPECT_TRUE(ignores(worker.pid(), SIGPIPE));
}

TEST_F(ProcessLimits, AQueryBeyondTheMemoryFailsOrEndsItsProcessAlone) {
#ifdef ADIT_SANITIZED
  GTEST_SKIP() << "sanitizers map terabytes: there is no limit";
#else
  const auto small = workspace(64 * kMebibyte, 1024 * kMebibyte);
  for (const std::string sql : {
           "SELECT histogram(i) FROM range(50000000) t(i)",
           "SELECT list(i) FROM range(100000000) t(i)",
           "SELECT length(string_agg(md5(i::VARCHAR), '')) FROM range(20000000) t(i)",
           "SELECT repeat('x', 2000000000)",
       }) {
    SCOPED_TRACE(sql);
    {
      ForkedWorker worker(silence_standard_error);
      worker.open(small);
      const auto answer = worker.query(sql);
      if (answer.ended) {
        const int end = worker.wait();
        EXPECT_TRUE(end == -SIGABRT || end == -SIGSEGV || end == 127) << end;
      } else {
        ASSERT_TRUE(answer.failure) << "the query fits the memory and proves nothing";
        // Its heap may be too full for anything else: the front ends it (programs/Limits).
        EXPECT_EQ(answer.failure->reason, "memory_limit") << answer.failure->message;
      }
    }
    ForkedWorker next;
    next.open(small);
    EXPECT_EQ(next.value("SELECT 42"), "42");
  }
#endif
}

TEST_F(ProcessLimits, AFileBeyondItsLimitIsAnErrorAndNoSignal) {
  std::string csv = "id,text\n";
  for (std::uint64_t i = 0; i < 400'000; ++i) {
    csv += fmt::format("{},{:016x}{:016x}\n", i, i * 0x9E3779B97F4A7C15, i * 0xC2B2AE3D27D4EB4F);
  }
  const auto path = directory_.write("large.csv", csv);
  ForkedWorker worker;
  worker.open(workspace(256 * kMebibyte, 4 * kMebibyte));
  const auto imported = worker.import(path, "csv", "large");
  ASSERT_FALSE(imported.ended) << "ended by " << worker.wait();
  ASSERT_TRUE(imported.failure) << "the file fits the limit and proves nothing";
  EXPECT_EQ(imported.failure->reason, "disk_limit") << imported.failure->message;
  EXPECT_EQ(worker.value("SELECT 42"), "42") << "the worker goes on";
}

TEST_F(ProcessLimits, SpillingBeyondTheDiskIsAnErrorAndNoSignal) {
  ForkedWorker worker;
  worker.open(workspace(64 * kMebibyte, 8 * kMebibyte));
  const auto answer = worker.query(
      "SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY md5(i::VARCHAR)) AS r FROM range(3000000) t(i))");
  ASSERT_FALSE(answer.ended) << "ended by " << worker.wait();
  ASSERT_TRUE(answer.failure) << "the query fits the limit and proves nothing";
  EXPECT_EQ(answer.failure->reason, "disk_limit") << answer.failure->message;
  EXPECT_EQ(worker.value("SELECT 42"), "42");
}

// ---- The first message

TEST(Worker, WithoutAnOpeningMessageItEnds) {
  const auto end_after = [](std::string_view bytes) {
    ForkedWorker worker(silence_standard_error);
    worker.send_bytes(bytes);
    worker.close_channel();
    return worker.wait();
  };
  EXPECT_EQ(end_after(""), 1);
  EXPECT_EQ(end_after("hello, this is no frame"), 1);
  EXPECT_EQ(end_after(worker_protocol::encode_frame(worker_protocol::MessageType::query, 1, "{}")), 1);
}

TEST(Worker, AnOpeningMessageThatCannotBeServedIsAnsweredWithTheReason) {
  test::TemporaryDirectory directory;
  auto missing = workspace_in(directory.path() + "/no/such/directory");
  auto damaged = workspace_in(directory.path());
  directory.write("main.duckdb", "this is no database, this is no database");
  for (const auto& payload : {std::string("{}"), std::string("not JSON"), encode(missing), encode(damaged)}) {
    SCOPED_TRACE(payload);
    ForkedWorker worker;
    const auto answer = worker.request(worker_protocol::MessageType::open, payload);
    ASSERT_FALSE(answer.ended);
    ASSERT_TRUE(answer.failure);
    EXPECT_FALSE(answer.failure->message.empty());
    EXPECT_EQ(worker.wait(), 1);
  }
}

TEST(Worker, TheEndOfItsChannelEndsItEvenInTheMiddleOfAQuery) {
  test::TemporaryDirectory directory;
  ForkedWorker worker;
  worker.open(workspace_in(directory.path()));
  worker_protocol::RunQuery query;
  query.sql = {"SELECT count(*) FROM range(10000000) a, range(100000) b WHERE a.range % 7 = b.range % 5"};
  worker.send(worker_protocol::MessageType::query, 2, encode(query));
  const auto started = worker.receive();
  ASSERT_TRUE(started);
  EXPECT_EQ(started->type, worker_protocol::MessageType::started);
  const auto begin = std::chrono::steady_clock::now();
  worker.close_channel();
  EXPECT_EQ(worker.wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(Worker, ItEndsWhenTheThreadThatStartedItHasEnded) {
  test::TemporaryDirectory directory;
  std::optional<ForkedWorker> worker;
  std::thread([&] {
    worker.emplace();
    worker->open(workspace_in(directory.path()));
  }).join();
  EXPECT_EQ(worker->wait(), -SIGKILL);
}

}  // namespace
}  // namespace adit::worker
