// One stream of server-sent events (HTML standard, "Server-sent events"), as an answer to a POST or a GET: a message an
// event, one data line each (H14). A resumable one numbers its events and keeps the last of them, so that a client
// whose connection broke goes on behind the last event that it saw (H19).
#pragma once

#include "adit/net/http_server.h"
#include "replay_memory.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adit::mcp {

class EventStream {
 public:
  EventStream() = default;  // not resumable
  EventStream(std::uint64_t number, std::size_t most_kept, std::shared_ptr<ReplayMemory> memory)
      : number_(number), most_kept_(most_kept), share_(std::in_place, std::move(memory), [this] { forget(); }) {}
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  ~EventStream() = default;

  enum class Priming {
    no,
    yes,  // an empty event with an id comes first: even a client that loses the first message can resume
  };
  void open(net::HttpExchange exchange, std::vector<net::HttpHeader> headers, Priming priming);

  // Whether every event behind `last` is still there.
  bool can_resume(std::uint64_t last) const;
  // REQUIRES: can_resume(last). Whatever connection carried the stream before gets its end.
  void resume(net::HttpExchange exchange, std::vector<net::HttpHeader> headers, std::uint64_t last);

  void send(std::string line);
  void finish();      // no further message comes
  void keep_alive();  // a comment: for proxies, and to notice a peer that is gone
  void end_connection();

  bool attached() const { return exchange_ && !exchange_->closed(); }
  bool finished() const { return finished_; }
  std::size_t kept_bytes() const { return kept_bytes_; }
  void forget();  // keeps nothing any more; resuming fails from now on

 private:
  struct Event {
    std::uint64_t index;
    std::string line;
  };
  // What an event costs: bookkeeping counts, or many small ones would cost many times their text.
  static std::size_t cost_of(const Event& event) { return event.line.size() + 2 * sizeof(Event); }
  void start(net::HttpExchange exchange, std::vector<net::HttpHeader> headers, std::string first);
  std::string event_text(std::uint64_t index, std::string_view line) const;

  std::uint64_t number_ = 0;   // of the stream in its session; 0: not resumable
  std::size_t most_kept_ = 0;  // bytes
  std::uint64_t last_index_ = 0;
  std::deque<Event> kept_;
  std::size_t kept_bytes_ = 0;
  std::optional<ReplayMemory::Share> share_;  // of a resumable one
  bool finished_ = false;
  std::optional<net::HttpExchange> exchange_;
};

// "STREAM-EVENT", as the id of an event has it.
struct EventId {
  std::uint64_t stream = 0;
  std::uint64_t event = 0;
  static std::optional<EventId> parse(std::string_view text);
};

}  // namespace adit::mcp
