#include "cells/scalar_text.h"

#include <cstring>
#include <vector>

namespace adit::worker {

void append_json_integer(std::string& out, Int128 value) {
  const bool safe = value >= -kMaxSafeInteger && value <= kMaxSafeInteger;
  if (!safe) out += '"';
  append_int128(out, value);
  if (!safe) out += '"';
}

void append_json_unsigned(std::string& out, UInt128 value) {
  const bool safe = value <= static_cast<UInt128>(kMaxSafeInteger);
  if (!safe) out += '"';
  append_uint128(out, value);
  if (!safe) out += '"';
}

void append_hexadecimal(std::string& out, std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char c : bytes) {
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
}

void append_uuid(std::string& out, const duckdb_hugeint& value) {
  // The engine flips the top bit so that UUIDs sort as signed numbers.
  const std::uint64_t upper = static_cast<std::uint64_t>(value.upper) ^ (std::uint64_t{1} << 63);
  fmt::format_to(std::back_inserter(out), "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", upper >> 32, (upper >> 16) & 0xffff,
                 upper & 0xffff, value.lower >> 48, value.lower & 0xffff'ffff'ffff);
}

void append_bignum(std::string& out, std::string_view bytes) {
  constexpr std::size_t kHeaderBytes = 3;
  constexpr std::uint32_t kBillion = 1'000'000'000;
  if (bytes.size() <= kHeaderBytes) {
    out += '0';
    return;
  }
  const bool negative = (static_cast<unsigned char>(bytes[0]) & 0x80) == 0;
  std::vector<std::uint32_t> groups;  // of nine digits, the lowest first
  for (const char c : bytes.substr(kHeaderBytes)) {
    std::uint64_t carry = static_cast<unsigned char>(negative ? ~c : c);
    for (auto& group : groups) {
      carry += std::uint64_t{group} << 8;
      group = static_cast<std::uint32_t>(carry % kBillion);
      carry /= kBillion;
    }
    if (carry != 0) groups.push_back(static_cast<std::uint32_t>(carry));
  }
  if (groups.empty()) groups.push_back(0);
  if (negative) out += '-';
  fmt::format_to(std::back_inserter(out), "{}", groups.back());
  for (auto group = groups.rbegin() + 1; group != groups.rend(); ++group) {
    fmt::format_to(std::back_inserter(out), "{:09}", *group);
  }
}

void append_bits(std::string& out, std::string_view bytes) {
  if (bytes.empty()) return;
  const auto padding = static_cast<std::size_t>(static_cast<unsigned char>(bytes[0]));
  const auto bits = (bytes.size() - 1) * 8;
  for (std::size_t i = padding; i < bits; ++i) {
    const auto byte = static_cast<unsigned char>(bytes[1 + i / 8]);
    out += (byte >> (7 - i % 8)) & 1 ? '1' : '0';
  }
}

namespace {

// Types of ISO 13249-3: 1 to 7, plus 1000 with Z, 2000 with M, 3000 with both.
class WktPrinter {
 public:
  WktPrinter(std::string& out, std::string_view wkb) : out_(out), wkb_(wkb) {}

  void print() {
    const auto type = head();
    constexpr std::string_view kNames[] = {"GEOMETRY",   "POINT",           "LINESTRING",   "POLYGON",
                                           "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION"};
    out_ += kNames[type < std::size(kNames) ? type : 0];
    constexpr std::string_view kSuffixes[] = {"", " Z", " M", " ZM"};
    out_ += kSuffixes[flags_];
    out_ += ' ';
    body(type);
  }

 private:
  template <class T>
  T number() {
    T value{};
    const auto size = std::min(sizeof(T), wkb_.size());
    std::memcpy(&value, wkb_.data(), size);
    wkb_.remove_prefix(size);
    return value;
  }

  std::uint32_t head() {
    number<std::uint8_t>();  // byte order; the engine writes little-endian
    const auto type = number<std::uint32_t>();
    flags_ = type / 1000 < 4 ? type / 1000 : 0;
    return type % 1000;
  }

  void body(std::uint32_t type) {
    switch (type) {
      case 1: place("(", ")"); return;
      case 2: list([&] { coordinates(); }); return;
      case 3: list([&] { list([&] { coordinates(); }); }); return;
      case 4: list([&] { head(), place("", ""); }); return;
      case 5:
      case 6: list([&] { body(head()); }); return;
      case 7: list([&] { print(); }); return;
      default: out_ += "EMPTY";
    }
  }

  // A point without a place has NaN for every coordinate.
  void place(std::string_view open, std::string_view close) {
    const auto begin = out_.size();
    out_ += open;
    if (coordinates()) {
      out_ += close;
    } else {
      out_.resize(begin);
      out_ += "EMPTY";
    }
  }

  bool coordinates() {
    const std::size_t count = 2 + (flags_ == 3 ? 2u : flags_ != 0 ? 1u : 0u);
    bool placed = false;
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = number<double>();
      placed = placed || !std::isnan(value);
      fmt::format_to(std::back_inserter(out_), "{}{}", i == 0 ? "" : " ", value);
    }
    return placed;
  }

  template <class Part>
  void list(const Part& part) {
    const auto count = number<std::uint32_t>();
    if (count == 0) {
      out_ += "EMPTY";
      return;
    }
    out_ += '(';
    for (std::uint32_t i = 0; i < count && !wkb_.empty(); ++i) {
      if (i > 0) out_ += ", ";
      part();
    }
    out_ += ')';
  }

  std::string& out_;
  std::string_view wkb_;
  std::uint32_t flags_ = 0;  // 1: Z, 2: M
};

}  // namespace

void append_wkt(std::string& out, std::string_view wkb) { WktPrinter(out, wkb).print(); }

}  // namespace adit::worker
