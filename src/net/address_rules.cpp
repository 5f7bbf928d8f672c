#include "adit/net/address_rules.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace adit::net {
namespace {

using Bytes4 = std::array<std::uint8_t, 4>;
using Bytes16 = std::array<std::uint8_t, 16>;

template <class Bytes>
struct Range {
  Bytes prefix;
  int bits;
};

// IANA IPv4 Special-Purpose Address Registry, and the multicast and reserved blocks of RFC 1112.
constexpr Range<Bytes4> kNotPublic4[] = {
    {{0, 0, 0, 0}, 8},        // this network
    {{10, 0, 0, 0}, 8},       // private
    {{100, 64, 0, 0}, 10},    // shared (carrier NAT)
    {{127, 0, 0, 0}, 8},      // loopback
    {{169, 254, 0, 0}, 16},   // link-local, cloud metadata
    {{172, 16, 0, 0}, 12},    // private
    {{192, 0, 0, 0}, 24},     // protocol assignments
    {{192, 0, 2, 0}, 24},     // documentation
    {{192, 31, 196, 0}, 24},  // AS112
    {{192, 52, 193, 0}, 24},  // AMT
    {{192, 88, 99, 0}, 24},   // 6to4 relay, deprecated
    {{192, 168, 0, 0}, 16},   // private
    {{192, 175, 48, 0}, 24},  // AS112
    {{198, 18, 0, 0}, 15},    // benchmarking
    {{198, 51, 100, 0}, 24},  // documentation
    {{203, 0, 113, 0}, 24},   // documentation
    {{224, 0, 0, 0}, 4},      // multicast
    {{240, 0, 0, 0}, 4},      // reserved, broadcast
};

// IANA IPv6 Special-Purpose Address Registry; global unicast is 2000::/3, and everything outside it is not public.
constexpr Range<Bytes16> kNotPublic6[] = {
    {{0x20, 0x01, 0x00}, 23},              // 2001::/23: protocol assignments, with Teredo, benchmarking, ORCHID
    {{0x20, 0x01, 0x0d, 0xb8}, 32},        // documentation
    {{0x26, 0x20, 0x00, 0x4f, 0x80}, 48},  // AS112
    {{0x3f, 0xff, 0x00}, 20},              // documentation
};
constexpr Range<Bytes16> kGlobalUnicast{{0x20}, 3};
constexpr Range<Bytes16> kSixToFour{{0x20, 0x02}, 16};  // 2002:V4ADDR::/48
constexpr Range<Bytes16> kMapped{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96};
constexpr Range<Bytes16> kNat64{{0x00, 0x64, 0xff, 0x9b}, 96};

template <class Bytes>
bool in(const Bytes& address, const Range<Bytes>& range) {
  for (int bit = 0; bit < range.bits; bit += 8) {
    const auto at = static_cast<std::size_t>(bit / 8);
    const int left = std::min(8, range.bits - bit);
    const auto mask = static_cast<std::uint8_t>(0xff << (8 - left));
    if ((address[at] & mask) != (range.prefix[at] & mask)) return false;
  }
  return true;
}

template <class Bytes, std::size_t N>
bool in_any(const Bytes& address, const Range<Bytes> (&ranges)[N]) {
  return std::any_of(std::begin(ranges), std::end(ranges), [&](const auto& range) { return in(address, range); });
}

bool is_public4(const Bytes4& address) { return !in_any(address, kNotPublic4); }

Bytes4 four_at(const Bytes16& address, std::size_t at) {
  return {address[at], address[at + 1], address[at + 2], address[at + 3]};
}

bool is_public6(const Bytes16& address) {
  // A mapped or translated address is as public as the one it stands for.
  if (in(address, kMapped) || in(address, kNat64)) return is_public4(four_at(address, 12));
  if (in(address, kSixToFour)) return is_public4(four_at(address, 2));
  return in(address, kGlobalUnicast) && !in_any(address, kNotPublic6);
}

}  // namespace

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    Bytes4 bytes{};
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in&>(address).sin_addr, bytes.size());
    return is_public4(bytes);
  }
  if (address.sa_family == AF_INET6) {
    Bytes16 bytes{};
    std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, bytes.size());
    return is_public6(bytes);
  }
  return false;
}

bool is_public_address(std::string_view literal) {
  const std::string text(literal);
  Bytes4 four{};
  if (::inet_pton(AF_INET, text.c_str(), four.data()) == 1) return is_public4(four);
  Bytes16 six{};
  return ::inet_pton(AF_INET6, text.c_str(), six.data()) == 1 && is_public6(six);
}

}  // namespace adit::net
