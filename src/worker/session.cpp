#include "session.h"

#include "export_rows.h"
#include "query_run.h"
#include "sources/sources.h"

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>

#include <unistd.h>

#include <thread>

namespace adit::worker {
namespace {

using namespace worker_protocol;

// How often the reader thread looks after a running request: for progress, and to interrupt it again. The engine
// forgets an interrupt that comes between two of its statements.
constexpr auto kTick = std::chrono::milliseconds(50);

constexpr auto kReportInterval = std::chrono::milliseconds(250);

}  // namespace

void Session::run() {
  std::thread(&Session::read_frames, this).detach();
  for (;;) {
    Frame frame;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [&] { return !queue_.empty(); });
      frame = std::move(queue_.front());
      queue_.pop_front();
      cancelled_ = false;
      step_ = 0;
      steps_ = 1;
      began_ = reported_ = std::chrono::steady_clock::now();
      running_ = frame.request;
    }
    handle(frame);
    running_ = 0;
  }
}

void Session::read_frames() {
  for (;;) {
    Frame frame;
    switch (channel_.receive(frame, kTick)) {
      case Channel::Event::timeout: interrupt_or_report(); break;
      // The workspace's file is consistent at any moment; nothing is worth waiting for.
      case Channel::Event::end: ::_exit(0);
      case Channel::Event::frame:
        if (frame.type == MessageType::cancel) {
          if (frame.request == running_) cancelled_ = true;
          interrupt_or_report();
          break;
        }
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(frame));
        arrived_.notify_one();
        break;
    }
  }
}

void Session::interrupt_or_report() {
  const std::uint32_t request = running_;
  if (request == 0) return;
  if (cancelled_) {
    engine_->interrupt();
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  std::chrono::duration<double> elapsed{};
  {
    const std::lock_guard lock(mutex_);
    elapsed = now - began_;
    if (now - reported_ < kReportInterval) return;
    reported_ = now;
  }
  WorkProgress progress{.elapsed_seconds = elapsed.count(), .fraction = {}, .message = ""};
  const double steps = static_cast<double>(steps_);
  if (steps_ > 1) progress.message = fmt::format("step {} of {}", step_ + 1, steps_.load());
  if (const double percent = engine_->progress_percent(); percent > 0) {
    progress.fraction = (static_cast<double>(step_) + std::min(percent, 100.0) / 100) / steps;
  }
  channel_.send(MessageType::progress, request, encode(progress));
}

void Session::handle(const Frame& frame) {
  channel_.send(MessageType::started, frame.request, "");
  auto payload = answer(frame);
  if (payload.ok()) channel_.send(MessageType::done, frame.request, *payload);
  else channel_.send(MessageType::error, frame.request, encode(without_paths(to_failure(payload.error()))));
}

// The engine names files as it was given them: absolutely, which is nobody's business but the front's.
Failure Session::without_paths(Failure failure) const {
  for (const auto& file : engine_->handed_files()) {
    boost::algorithm::replace_all(failure.message, file, file.substr(file.rfind('/') + 1));
  }
  boost::algorithm::replace_all(failure.message, engine_->directory(), "the dataset's directory");
  return failure;
}

Result<std::string> Session::answer(const Frame& frame) {
  switch (frame.type) {
    case MessageType::import_files: {
      ADIT_TRY(auto request, decode<ImportFiles>(frame.payload));
      catalog_.reset();
      ADIT_TRY(auto imported, import_files(*engine_, request, engine_->scratch_file()));
      return encode(imported);
    }
    case MessageType::query: {
      ADIT_TRY(auto request, decode<RunQuery>(frame.payload));
      ADIT_TRY(auto done, run_query(request, frame.request));
      return encode(done);
    }
    case MessageType::describe: {
      if (!catalog_) {
        ADIT_TRY(catalog_, RelationCatalog::load(*engine_));
      }
      ADIT_TRY(auto described, describe_workspace(*engine_, *catalog_));
      return encode(described);
    }
    case MessageType::export_rows: {
      ADIT_TRY(auto request, decode<ExportRows>(frame.payload));
      if (!catalog_) {
        ADIT_TRY(catalog_, RelationCatalog::load(*engine_));
      }
      ADIT_TRY(auto exported, export_rows(*engine_, *catalog_, request));
      return encode(exported);
    }
    case MessageType::open:
    case MessageType::cancel:
    case MessageType::started:
    case MessageType::progress:
    case MessageType::statement:
    case MessageType::done:
    case MessageType::error:
    case MessageType::diagnostic:
    case MessageType::definition: break;
  }
  return internal_error("the front sent a message that is not a request");
}

Result<QueryDone> Session::run_query(const RunQuery& query, std::uint32_t request) {
  steps_ = query.definitions.size() + query.sql.size();
  QueryRun run(
      *engine_, catalog_, query,
      {.on_statement = [&](std::string_view json) { channel_.send(MessageType::statement, request, json); },
       .on_diagnostic = [&](const Diagnostic& told) { channel_.send(MessageType::diagnostic, request, encode(told)); },
       .on_definition =
           [&](const DefinitionChange& change) { channel_.send(MessageType::definition, request, encode(change)); },
       .on_step = [&](std::size_t step) { step_ = step; },
       .cancelled = [&] { return cancelled_.load(); }});
  auto done = run.run();
  if (done.ok() && done->failure) done->failure = without_paths(std::move(*done->failure));
  return done;
}

}  // namespace adit::worker
