// Scalars in the forms of the contract (docs/sql-results.md), for values of typed columns and inside a VARIANT.
#pragma once

#include "cells/int128_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>
#include <string_view>

namespace adit::worker {

constexpr std::int64_t kMaxSafeInteger = (std::int64_t{1} << 53) - 1;  // of a JSON number in every reader

// A JSON number, or a text of the digits where not every reader keeps the number.
void append_json_integer(std::string& out, Int128 value);
void append_json_unsigned(std::string& out, UInt128 value);

// The shortest digits that read back to the same value; "NaN", "Infinity", "-Infinity".
template <class Float>
void append_json_float(std::string& out, Float value) {
  if (std::isnan(value)) out += "\"NaN\"";
  else if (std::isinf(value)) out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  else fmt::format_to(std::back_inserter(out), "{}", value);
}

// Without quotation marks, and nothing in them is to be escaped.
void append_hexadecimal(std::string& out, std::string_view bytes);
void append_uuid(std::string& out, const duckdb_hugeint& value);

// The engine's own bytes of a BIGNUM: three of header, whose first bit is set unless the number is negative, then the
// magnitude, most significant byte first. Of a negative number all bits are inverted.
void append_bignum(std::string& out, std::string_view bytes);

// The engine's own bytes of a BIT: the number of bits before the first one, then the bits.
void append_bits(std::string& out, std::string_view bytes);

// ISO well-known binary, little-endian, as the text that the engine prints.
void append_wkt(std::string& out, std::string_view wkb);

}  // namespace adit::worker
