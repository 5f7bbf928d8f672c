#include "host_lookup.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

namespace adit::net {
namespace {

// A slow resolver holds its thread for half a minute.
constexpr int kAtOnce = 16;

Error lookup_error(const std::string& host, int code) {
  const bool absent = code == EAI_NONAME || code == EAI_NODATA;
  return {.code = absent ? ErrorCode::not_found : ErrorCode::unavailable,
          .reason = absent ? "host_not_found" : "lookup_failed",
          .message = absent ? fmt::format("There is no host {}", host)
                            : fmt::format("The name {} could not be looked up: {}", host, ::gai_strerror(code)),
          .hint = "",
          .retryable = !absent};
}

// Blocks.
Result<std::vector<std::string>> look_up(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); code != 0) return lookup_error(host, code);
  std::vector<std::string> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(entry->ai_addr, entry->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text.data());
    }
  }
  ::freeaddrinfo(found);
  if (addresses.empty()) return lookup_error(host, EAI_NONAME);
  return addresses;
}

}  // namespace

// What the threads know of us. They never own what belongs to the loop: they bring a name and a finding.
struct SystemHostLookup::Shared : std::enable_shared_from_this<Shared> {
  using Addresses = Result<std::vector<std::string>>;

  // ---- Loop thread only

  void start_more() {
    while (at_work < kAtOnce && !queue.empty()) {
      auto host = std::move(queue.front());
      queue.pop_front();
      ++at_work;
      try {
        std::thread([self = shared_from_this(), host] { self->bring(host, look_up(host)); }).detach();
      } catch (const std::system_error&) {  // no more threads
        take(host, lookup_error(host, EAI_AGAIN));
      }
    }
  }

  void take(const std::string& host, const Addresses& found) {
    --at_work;
    const auto at = waiting.find(host);
    if (at != waiting.end()) {
      const auto waiters = std::move(at->second);
      waiting.erase(at);
      for (const auto& waiter : waiters) waiter.set(found);
    }
    start_more();
  }

  std::map<std::string, std::vector<io::OneShot<Addresses>>> waiting;
  std::deque<std::string> queue;
  int at_work = 0;

  // ---- Any thread

  void bring(const std::string& host, Addresses found) {
    const std::lock_guard lock(mutex);
    if (loop == nullptr) return;
    loop->post([self = shared_from_this(), host, found = std::move(found)] { self->take(host, found); });
  }

  std::mutex mutex;
  io::EventLoop* loop = nullptr;  // under the mutex; nullptr when we are gone
};

SystemHostLookup::SystemHostLookup(io::EventLoop& loop) : loop_(loop), shared_(std::make_shared<Shared>()) {
  shared_->loop = &loop;
}

SystemHostLookup::~SystemHostLookup() {
  shared_->waiting.clear();
  shared_->queue.clear();
  const std::lock_guard lock(shared_->mutex);
  shared_->loop = nullptr;
}

Task<std::vector<std::string>> SystemHostLookup::find(RequestContext context, std::string host) {
  const auto shared = shared_;
  io::OneShot<Shared::Addresses> mine(loop_);
  const bool is_new = !shared->waiting.contains(host);
  shared->waiting[host].push_back(mine);
  if (is_new) shared->queue.push_back(host);
  shared->start_more();
  const auto leave = [mine](const char* reason, const char* message) {
    mine.set(Error{.code = ErrorCode::timeout, .reason = reason, .message = message, .hint = "", .retryable = true});
  };
  io::Timer deadline(loop_);
  if (context.deadline()) {
    deadline.start(*context.deadline(), [leave] { leave("timed_out", "A name could not be looked up in time"); });
  }
  const auto guard = context.on_cancel([leave] { leave("cancelled", "The request was cancelled"); });
  co_return co_await mine.wait();
}

}  // namespace adit::net
