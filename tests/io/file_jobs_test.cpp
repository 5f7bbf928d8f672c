#include "adit/io/file_jobs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>

namespace adit::io {
namespace {

boost::asio::awaitable<void> keep(FileJobs& jobs, std::function<int()> job, int& value) {
  value = co_await jobs.run(std::move(job));
}

TEST(FileJobs, AJobRunsBesideTheLoopAndItsValueComesBackToIt) {
  EventLoop loop;
  FileJobs jobs(loop);
  const auto loop_thread = std::this_thread::get_id();
  std::promise<void> go;
  int value = 0;
  TaskGroup tasks(loop);
  tasks.spawn(keep(
      jobs,
      [&, waits = go.get_future().share()] {
        waits.wait();
        return std::this_thread::get_id() == loop_thread ? 1 : 2;
      },
      value));
  // The loop runs this while the job waits for it.
  loop.post([&] { go.set_value(); });
  run_to_end(loop, tasks.join());
  EXPECT_EQ(value, 2);
}

TEST(FileJobs, JobsRunOneAfterAnotherAndAllOfThemBeforeTheEnd) {
  EventLoop loop;
  std::string ran;
  std::promise<void> go;
  {
    FileJobs jobs(loop);
    jobs.start([waits = go.get_future().share()] { waits.wait(); });
    for (const char c : {'a', 'b', 'c'}) jobs.start([&ran, c] { ran += c; });
    go.set_value();
  }
  EXPECT_EQ(ran, "abc");
}

TEST(FileJobs, WithoutAJobThereIsNothingToEnd) {
  EventLoop loop;
  const FileJobs jobs(loop);
}

}  // namespace
}  // namespace adit::io
