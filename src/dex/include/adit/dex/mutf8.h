// Strings of DEX files: modified UTF-8 to UTF-8. reference/dex.md section 4; Dalvik executable format, "MUTF-8".
#pragma once

#include "adit/base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace adit::dex {

struct Mutf8Text {
  std::string text;                 // valid UTF-8; U+FFFD for each lone surrogate and each damaged part
  std::size_t utf16_length = 0;     // in UTF-16 units; a damaged part counts as one
  std::size_t lone_surrogates = 0;  // legal in DEX, impossible in UTF-8
  std::size_t damaged_parts = 0;    // bytes that no writer may produce
  bool ascii = true;                // U+0001 to U+007F only

  // If not, `text` does not stand for the bytes: keep them as well.
  bool well_formed() const { return lone_surrogates == 0 && damaged_parts == 0; }
};

// Every input gives a text. NUL is C0 80, a supplementary character two surrogates of three bytes each; overlong
// forms, a bare zero and the four-byte forms of UTF-8 are damage.
Mutf8Text decode_mutf8(std::span<const std::byte> bytes);

// A string_data_item: the length in UTF-16 units as ULEB128, the text, a zero byte.
struct StringData {
  Mutf8Text value;
  std::uint32_t declared_utf16_length = 0;
  std::size_t text_offset = 0;  // of the text's first byte in the span read from
  std::size_t text_bytes = 0;   // without the closing zero

  // The zero byte decides where a string ends; a declared length that differs is for the caller to report.
  bool length_matches() const { return value.utf16_length == declared_utf16_length; }
};

// Reads the item at the beginning of `bytes` and never beyond their end. How far a search for the zero byte may go is
// the caller's to bound, by the size of the span.
// Error: validation, "malformed_dex", position = the byte of the span where reading stopped.
Result<StringData> read_string_data(std::span<const std::byte> bytes);

}  // namespace adit::dex
