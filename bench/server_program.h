// adit serve --http as a child process, and what it costs while it runs.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace adit::bench {

struct ServerState {
  double front_rss_mb = 0;
  double pss_mb = 0;  // of all processes
  std::size_t processes = 0;
  std::ptrdiff_t descriptors = 0;  // of the front
  std::ptrdiff_t directories = 0;  // below the state directory
  std::string text() const;
};

class ServerProgram {
 public:
  // Files of `root` can be opened. It logs at level debug, which makes it measure its event loop.
  explicit ServerProgram(const std::string& root);
  ServerProgram(const ServerProgram&) = delete;
  ServerProgram& operator=(const ServerProgram&) = delete;
  ~ServerProgram();

  std::uint16_t port() const { return port_; }
  ServerState state() const;
  std::string stop();  // SIGTERM, and waits; gives what it wrote to standard error

 private:
  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
  std::string state_dir_;
  std::string said_;
  std::thread reader_;  // a server must never wait for us to read its log
};

}  // namespace adit::bench
