#include "http_session.h"

#include "adit/base/random_id.h"

#include <algorithm>

namespace adit::mcp {
namespace {

constexpr std::size_t kKeptBytesOfStream = 512u << 10;  // what a broken connection may have missed
constexpr std::size_t kKeptBytesOfSession = 1u << 20;
constexpr std::size_t kKeptStreams = 64;            // finished ones that can still be read again
constexpr std::size_t kMostStreams = 192;           // open ones, and ones whose connection broke
constexpr auto kKeptFor = std::chrono::minutes(5);  // behind a session's last request
constexpr std::size_t kMostWaiting = 100;           // messages for a session that nobody listens to

}  // namespace

bool HttpSession::at_work() const {
  const auto attached = [](const auto& stream) { return stream.second->attached() && !stream.second->finished(); };
  return connection->running_calls() > 0 || std::any_of(streams_.begin(), streams_.end(), attached);
}

std::shared_ptr<EventStream> HttpSession::add_stream() {
  forget_finished();
  const auto number = ++last_number_;
  auto stream = std::make_shared<EventStream>(number, kKeptBytesOfStream, replay_);
  streams_.emplace(number, stream);
  return stream;
}

void HttpSession::drop_finished() {
  std::erase_if(streams_, [](const auto& stream) { return stream.second->finished(); });
}

// The oldest first, until the rest fits. A stream that nobody has come back for is not kept for ever either.
void HttpSession::forget_finished() {
  std::size_t bytes = 0;
  for (const auto& [number, stream] : streams_) bytes += stream->kept_bytes();
  for (auto at = streams_.begin(); at != streams_.end();) {
    if (streams_.size() <= kKeptStreams && bytes <= kKeptBytesOfSession) return;
    const auto& stream = *at->second;
    bytes -= stream.kept_bytes();
    const bool over = bytes + stream.kept_bytes() > kKeptBytesOfSession;
    if (stream.finished() || (!stream.attached() && streams_.size() > kMostStreams)) {
      at = streams_.erase(at);
    } else {
      if (over) at->second->forget();
      ++at;
    }
  }
}

void HttpSession::listen(std::shared_ptr<EventStream> stream) {
  // One whose connection broke hears nothing any more: what belongs to no request goes to the new one.
  std::erase_if(listening_, [](const auto& other) {
    if (other->attached()) return false;
    other->finish();
    return true;
  });
  listening_.push_back(std::move(stream));
  for (auto& line : std::exchange(waiting_, {})) listening_.back()->send(std::move(line));
}

std::shared_ptr<EventStream> HttpSession::find_stream(std::uint64_t number) const {
  const auto at = streams_.find(number);
  return at != streams_.end() ? at->second : nullptr;
}

std::size_t HttpSession::listening() const {
  const auto attached = [](const auto& stream) { return stream->attached(); };
  return static_cast<std::size_t>(std::count_if(listening_.begin(), listening_.end(), attached));
}

void HttpSession::send(std::string line) {
  for (auto stream = listening_.rbegin(); stream != listening_.rend(); ++stream) {
    if (!(*stream)->attached()) continue;
    (*stream)->send(std::move(line));
    return;
  }
  // A stream whose connection broke keeps it for the client that comes back.
  if (!listening_.empty()) {
    listening_.back()->send(std::move(line));
    return;
  }
  waiting_.push_back(std::move(line));
  if (waiting_.size() > kMostWaiting) waiting_.pop_front();
}

void HttpSession::keep_alive() {
  for (const auto& [number, stream] : streams_) stream->keep_alive();
}

void HttpSession::end_listening() {
  for (const auto& stream : std::exchange(listening_, {})) stream->finish();
}

void HttpSession::end_streams() {
  for (const auto& [number, stream] : std::exchange(streams_, {})) stream->finish();
  listening_.clear();
}

HttpSessions::Ptr HttpSessions::create() {
  if (sessions_.size() >= limits_.sessions) {
    const auto unused_since = HttpSession::Clock::now() - limits_.protected_for;
    Ptr oldest;
    for (const auto& [id, session] : sessions_) {
      if (session->last_used() > unused_since || session->at_work()) continue;
      if (!oldest || session->last_used() < oldest->last_used()) oldest = session;
    }
    if (!oldest) return nullptr;
    end(oldest);
  }
  auto session = std::make_shared<HttpSession>(random_id(), replay_);
  sessions_.emplace(session->id(), session);
  return session;
}

HttpSessions::Ptr HttpSessions::find(const std::string& id) const {
  const auto at = sessions_.find(id);
  return at != sessions_.end() ? at->second : nullptr;
}

std::vector<HttpSessions::Ptr> HttpSessions::all() const {
  std::vector<Ptr> sessions;
  for (const auto& [id, session] : sessions_) sessions.push_back(session);
  return sessions;
}

void HttpSessions::end(const Ptr& session) {
  if (sessions_.erase(session->id()) == 0) return;
  if (on_end) on_end(session);
}

void HttpSessions::end_idle() {
  const auto now = HttpSession::Clock::now();
  for (const auto& session : all()) {
    if (session->at_work()) session->touch();
    else if (session->last_used() < now - limits_.idle) end(session);
    else if (session->last_used() < now - kKeptFor) session->drop_finished();
  }
}

}  // namespace adit::mcp
