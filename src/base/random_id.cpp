#include "adit/base/random_id.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace adit {
namespace {

constexpr std::size_t kBytes = 16;
constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::array<std::uint8_t, kBytes> random_bytes() {
  std::array<std::uint8_t, kBytes> bytes{};
  // Up to 256 bytes come whole once the generator is seeded; before that a signal may interrupt the wait.
  ssize_t size = 0;
  do size = ::getrandom(bytes.data(), bytes.size(), 0);
  while (size < 0 && errno == EINTR);
  if (size != static_cast<ssize_t>(bytes.size())) throw std::runtime_error("the system gives no random bytes");
  return bytes;
}

}  // namespace

std::string random_id() {
  std::string id;
  unsigned pending = 0;
  int bits = 0;
  for (const auto byte : random_bytes()) {
    pending = (pending << 8 | byte) & 0x3fff;
    for (bits += 8; bits >= 6; bits -= 6) id += kAlphabet[pending >> (bits - 6) & 63];
  }
  id += kAlphabet[pending << (6 - bits) & 63];
  return id;
}

}  // namespace adit
