#include "adit/io/file_jobs.h"

#include "signal_mask.h"

namespace adit::io {

FileJobs::~FileJobs() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void FileJobs::start(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(job));
  }
  if (thread_.joinable()) wake_.notify_one();
  else thread_ = std::thread([this] { work(); });
}

void FileJobs::work() {
  block_all_signals();
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return !queue_.empty() || ending_; });
    if (queue_.empty()) return;
    auto job = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // what it holds ends here, not while the next one waits
    lock.lock();
  }
}

}  // namespace adit::io
