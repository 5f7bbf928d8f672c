// Work on files that may take long (removing a directory, adding up sizes), one job after another on a thread of its
// own: the loop goes on meanwhile. The thread begins with the first job.
#pragma once

#include "adit/io/event_loop.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace adit::io {

class FileJobs {
 public:
  explicit FileJobs(EventLoop& loop) : loop_(loop) {}
  FileJobs(const FileJobs&) = delete;
  FileJobs& operator=(const FileJobs&) = delete;
  ~FileJobs();  // every job that was started is done first

  // Loop thread. `job` runs on the other one: it holds what it needs by value.
  void start(std::function<void()> job);

  // Its value, back on the loop.
  template <class T>
  boost::asio::awaitable<T> run(std::function<T()> job) {
    OneShot<T> done(loop_);
    start([&loop = loop_, job = std::move(job), done]() mutable {
      auto value = job();
      loop.post([done = std::move(done), value = std::move(value)] { done.set(value); });
    });
    return wait(std::move(done));
  }

 private:
  template <class T>
  static boost::asio::awaitable<T> wait(OneShot<T> done) {
    co_return co_await done.wait();
  }
  void work();

  EventLoop& loop_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace adit::io
