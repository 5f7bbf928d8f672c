// One workspace as the front keeps it (workspaces.cpp).
#pragma once

#include "adit/io/event_loop.h"
#include "known_names.h"
#include "turnstile.h"
#include "worker_handle.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace adit::workspace {

// Held by shared_ptr: a call that waits for its turn keeps it, closed or not.
struct Workspace {
  Workspace(io::EventLoop& loop, std::string the_id, std::string the_directory)
      : id(std::move(the_id)), directory(std::move(the_directory)), turnstile(loop), idle_timer(loop) {}

  std::string id;
  std::string owner;  // who opened it
  std::string directory;
  std::vector<std::string> files;  // handed files: what its workers may read
  Turnstile turnstile;
  std::unique_ptr<WorkerHandle> worker;  // a cache of the directory: may be absent or dead at any time
  // Of the one before, which holds the file until then.
  std::optional<io::OneShot<io::ExitStatus>> last_worker_gone;
  io::EventLoop::Clock::time_point last_used = io::EventLoop::Clock::now();
  // For people, by the wall clock.
  std::chrono::system_clock::time_point opened = std::chrono::system_clock::now(), used = opened;
  std::vector<std::string> sources;  // as the caller named them
  KnownNames names;
  std::uint64_t number = 0;  // in order of opening
  io::Timer idle_timer;
  bool closed = false;

  // Kills the worker, if there is one.
  void end_worker() {
    if (!worker) return;
    last_worker_gone = worker->gone();
    worker.reset();
  }
};

}  // namespace adit::workspace
