// The conversation with the front: one request at a time on the main thread, while a reader thread answers
// cancellation, sends progress, and ends the process when the front is gone.
#pragma once

#include "channel.h"
#include "engine.h"
#include "relation_catalog.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace adit::worker {

class Session {
 public:
  Session(Channel& channel, std::unique_ptr<Engine> engine) : channel_(channel), engine_(std::move(engine)) {}

  // Serves until the front closes the channel; then the process ends from inside the reader thread.
  [[noreturn]] void run();

 private:
  void read_frames();
  void interrupt_or_report();
  void handle(const worker_protocol::Frame& frame);
  Result<std::string> answer(const worker_protocol::Frame& frame);
  worker_protocol::Failure without_paths(worker_protocol::Failure failure) const;
  Result<worker_protocol::QueryDone> run_query(const worker_protocol::RunQuery& query, std::uint32_t request);

  Channel& channel_;
  std::unique_ptr<Engine> engine_;
  std::optional<RelationCatalog> catalog_;  // absent after a change

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<worker_protocol::Frame> queue_;  // guarded by mutex_
  std::atomic<std::uint32_t> running_{0};     // number of the request at work, 0: none
  std::atomic<bool> cancelled_{false};        // the request at work
  // How far the request at work is, for the reader thread.
  std::atomic<std::size_t> step_{0}, steps_{1};             // statement or file of so many
  std::chrono::steady_clock::time_point began_, reported_;  // guarded by mutex_
};

}  // namespace adit::worker
