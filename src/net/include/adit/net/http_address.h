// Where an HTTP server listens: an IP address with a port, or a Unix socket.
#pragma once

#include "adit/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace adit::net {

struct HttpAddress {
  std::string ip;  // "127.0.0.1", "::1"; empty for a Unix socket
  std::uint16_t port = 0;
  std::string unix_path;

  // "127.0.0.1:8080", "[::1]:8080", "localhost:8080", "unix:/run/adit.sock". Port 0 lets the system choose. Other
  // names are refused: which address one means is not the server's to guess.
  static Result<HttpAddress> parse(std::string_view text);

  bool is_unix() const { return !unix_path.empty(); }
  bool is_loopback() const;  // reachable from this machine only; a Unix socket is
  std::string text() const;  // as parse() reads it
};

}  // namespace adit::net
