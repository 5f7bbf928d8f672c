// One connection to the server on which request follows answer, and the requests.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace adit::bench {

class Caller {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Caller(std::uint16_t port);  // of 127.0.0.1
  Caller(Caller&& other) noexcept;
  Caller& operator=(Caller&&) = delete;
  ~Caller();

  int fd() const { return fd_; }
  void send(const std::string& request);
  bool receive();  // what has come; true when the answer is whole
  const std::string& ask(const std::string& request);

  const std::string& answer() const { return received_; }
  std::string header(std::string_view name) const;  // of the answer, spelled as the server spells it
  bool succeeded() const;                           // 2xx, and no error of the protocol or a tool
  double milliseconds() const;                      // from the request to now

 private:
  int fd_ = -1;
  std::string received_;
  Clock::time_point sent_;
};

// Of the modern era. `members`: further ones of params, each with a comma before it. `meta`: of _meta, likewise.
std::string modern_request(std::string_view method, std::string_view name, std::string_view members = "",
                           std::string_view meta = "");
std::string modern_call(std::string_view tool, std::string_view arguments, std::string_view meta = "");

std::string legacy_initialize();
std::string legacy_ping(std::string_view session);
std::string legacy_end(std::string_view session);

}  // namespace adit::bench
