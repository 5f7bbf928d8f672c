// 128-bit integers as decimal text.
#pragma once

#include <duckdb.h>

#include <string>

namespace adit::worker {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

inline Int128 to_int128(duckdb_hugeint value) {
  return static_cast<Int128>((static_cast<UInt128>(static_cast<std::uint64_t>(value.upper)) << 64) | value.lower);
}
inline UInt128 to_uint128(duckdb_uhugeint value) { return (static_cast<UInt128>(value.upper) << 64) | value.lower; }

inline void append_uint128(std::string& out, UInt128 value) {
  char digits[40];
  char* begin = digits + sizeof digits;
  do {
    *--begin = static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  out.append(begin, digits + sizeof digits);
}

inline void append_int128(std::string& out, Int128 value) {
  if (value < 0) out += '-';
  // Negated as unsigned: the smallest value has no positive counterpart.
  append_uint128(out, value < 0 ? 0 - static_cast<UInt128>(value) : static_cast<UInt128>(value));
}

// `value` / 10^scale with exactly `scale` digits behind the point.
inline void append_decimal(std::string& out, Int128 value, int scale) {
  std::string digits;
  append_uint128(digits, value < 0 ? 0 - static_cast<UInt128>(value) : static_cast<UInt128>(value));
  if (digits.size() <= static_cast<std::size_t>(scale)) {
    digits.insert(0, static_cast<std::size_t>(scale) + 1 - digits.size(), '0');
  }
  if (value < 0) out += '-';
  const std::size_t point = digits.size() - static_cast<std::size_t>(scale);
  out.append(digits, 0, point);
  if (scale > 0) out.append(".").append(digits, point, std::string::npos);
}

}  // namespace adit::worker
