// Legacy sessions (rules H16 to H19): who they are, which streams they have, when they end.
#pragma once

#include "adit/io/event_loop.h"
#include "adit/mcp/connection.h"
#include "http_event_stream.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace adit::mcp {

class HttpSession {
 public:
  using Clock = io::EventLoop::Clock;

  HttpSession(std::string id, std::shared_ptr<ReplayMemory> replay) : id_(std::move(id)), replay_(std::move(replay)) {}

  const std::string& id() const { return id_; }
  std::shared_ptr<Connection> connection;  // set once, right behind the constructor

  void touch() { last_used_ = Clock::now(); }
  Clock::time_point last_used() const { return last_used_; }
  bool at_work() const;  // a call runs, or a stream is open

  // A new stream of this session, which it may resume. A POST's, or one that listens for what belongs to no request.
  std::shared_ptr<EventStream> add_stream();
  void listen(std::shared_ptr<EventStream> stream);
  std::shared_ptr<EventStream> find_stream(std::uint64_t number) const;
  bool had_stream(std::uint64_t number) const { return number > 0 && number <= last_number_; }
  std::size_t listening() const;

  // H18: what belongs to no request goes to one stream only, the newest that listens; while none does it waits.
  void send(std::string line);

  void keep_alive();
  void drop_finished();  // streams that nobody has come back for
  void end_listening();
  void end_streams();

 private:
  void forget_finished();

  std::string id_;
  std::shared_ptr<ReplayMemory> replay_;  // of all sessions
  Clock::time_point last_used_ = Clock::now();
  std::map<std::uint64_t, std::shared_ptr<EventStream>> streams_;
  std::vector<std::shared_ptr<EventStream>> listening_;
  std::uint64_t last_number_ = 0;
  std::deque<std::string> waiting_;
};

struct SessionLimits {
  std::size_t sessions = 1'000;
  std::chrono::milliseconds idle{3'600'000};        // without a request, a running call or an open stream
  std::chrono::milliseconds protected_for{60'000};  // a full table ends none that was used within this time
  std::size_t replay_bytes = 64u << 20;             // that the streams of all sessions together keep
};

class HttpSessions {
 public:
  explicit HttpSessions(SessionLimits limits)
      : limits_(limits), replay_(std::make_shared<ReplayMemory>(limits.replay_bytes)) {}

  using Ptr = std::shared_ptr<HttpSession>;

  // nullptr: as many as may be, and all in use.
  Ptr create();
  Ptr find(const std::string& id) const;  // nullptr: unknown or ended
  std::vector<Ptr> all() const;

  // From now on it is not found. `on_end` is told of each session that ends, for whatever reason.
  void end(const Ptr& session);
  void end_idle();
  std::function<void(const Ptr&)> on_end;

 private:
  SessionLimits limits_;
  std::shared_ptr<ReplayMemory> replay_;
  std::map<std::string, Ptr, std::less<>> sessions_;
};

}  // namespace adit::mcp
