// A gzip file of stored (uncompressed) blocks, for tests that open one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace adit::test {

inline std::uint32_t crc32_of(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

inline std::string gzip_of(std::string_view content) {
  constexpr std::size_t kLargestBlock = 65535;
  const auto append_number = [](std::string& out, std::size_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  };
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  for (std::size_t at = 0;; at += kLargestBlock) {
    const auto block = content.substr(at, kLargestBlock);
    const bool last = at + block.size() == content.size();
    out += last ? '\x01' : '\0';
    append_number(out, block.size(), 2);
    append_number(out, ~block.size(), 2);
    out += block;
    if (last) break;
  }
  append_number(out, crc32_of(content), 4);
  append_number(out, content.size(), 4);
  return out;
}

}  // namespace adit::test
