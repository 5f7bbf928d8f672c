#include "host_lookup.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>

namespace adit::net {
namespace {

// A slow resolver holds its thread for half a minute; more names than this at once wait for nothing good.
constexpr int kAtOnce = 32;

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

// What the threads know of us. They never own what belongs to the loop: they bring a number and a finding.
struct SystemHostLookup::Shared {
  using Outcome = io::OneShot<Result<std::vector<std::string>>>;

  std::mutex mutex;
  io::EventLoop* loop = nullptr;             // under the mutex; nullptr when we are gone
  int at_work = 0;                           // under the mutex
  std::map<std::uint64_t, Outcome> waiting;  // loop thread only
  std::uint64_t last_number = 0;             // loop thread only
};

SystemHostLookup::SystemHostLookup(io::EventLoop& loop) : loop_(loop), shared_(std::make_shared<Shared>()) {
  shared_->loop = &loop;
}

SystemHostLookup::~SystemHostLookup() {
  shared_->waiting.clear();
  const std::lock_guard lock(shared_->mutex);
  shared_->loop = nullptr;
}

Task<std::vector<std::string>> SystemHostLookup::find(std::string host) {
  auto shared = shared_;
  {
    const std::lock_guard lock(shared->mutex);
    if (shared->at_work >= kAtOnce) co_return lookup_error(host, EAI_AGAIN);
    ++shared->at_work;
  }
  const auto number = ++shared->last_number;
  Shared::Outcome outcome(loop_);
  shared->waiting.emplace(number, outcome);
  auto work = [shared, host, number] {
    auto found = look_up(host);
    const std::lock_guard lock(shared->mutex);
    --shared->at_work;
    if (shared->loop == nullptr) return;
    shared->loop->post([shared, number, found = std::move(found)] {
      const auto at = shared->waiting.find(number);
      if (at == shared->waiting.end()) return;
      auto waiter = at->second;
      shared->waiting.erase(at);
      waiter.set(found);
    });
  };
  try {
    std::thread(std::move(work)).detach();
  } catch (const std::system_error&) {  // no more threads
    shared->waiting.erase(number);
    const std::lock_guard lock(shared->mutex);
    --shared->at_work;
    co_return lookup_error(host, EAI_AGAIN);
  }
  co_return co_await outcome.wait();
}

}  // namespace adit::net
