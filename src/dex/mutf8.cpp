#include "adit/dex/mutf8.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace adit::dex {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::size_t kLongestUleb128 = 5;                 // bytes that hold 32 bits, seven in each
constexpr unsigned kLastUleb128Bits = 0x0F;                // of them in the fifth

bool is_high_surrogate(char32_t unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(char32_t unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

char tail_byte(char32_t bits) { return static_cast<char>(0x80 | (bits & 0x3F)); }

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Mutf8Text run() {
    out_.text.reserve(bytes_.size());
    while (at_ < bytes_.size()) {
      const unsigned lead = byte(at_);
      if (lead >= 0x01 && lead <= 0x7F) {
        out_.text += static_cast<char>(lead);
        ++out_.utf16_length;
        ++at_;
        continue;
      }
      out_.ascii = false;
      if (const Unit unit = unit_at(at_); unit.size > 0) append(unit);
      else replace_damage();
    }
    return std::move(out_);
  }

 private:
  struct Unit {
    char32_t value = 0;
    std::size_t size = 0;  // bytes; 0 if none is well-formed there
  };

  unsigned byte(std::size_t at) const { return std::to_integer<unsigned>(bytes_[at]); }
  bool is_tail(std::size_t at) const { return at < bytes_.size() && (byte(at) & 0xC0) == 0x80; }

  // The UTF-16 unit that two or three bytes encode. It may be a surrogate, and zero in its two-byte form.
  Unit unit_at(std::size_t at) const {
    if (at >= bytes_.size() || !is_tail(at + 1)) return {};
    const unsigned lead = byte(at);
    if ((lead & 0xE0) == 0xC0) {
      const char32_t value = ((lead & 0x1F) << 6) | (byte(at + 1) & 0x3F);
      if (value >= 0x80 || value == 0) return {.value = value, .size = 2};
    } else if ((lead & 0xF0) == 0xE0 && is_tail(at + 2)) {
      const char32_t value = ((lead & 0x0F) << 12) | ((byte(at + 1) & 0x3F) << 6) | (byte(at + 2) & 0x3F);
      if (value >= 0x800) return {.value = value, .size = 3};
    }
    return {};
  }

  void append(const Unit& unit) {
    at_ += unit.size;
    ++out_.utf16_length;
    if (unit.value == 0) {
      out_.text += '\0';
    } else if (unit.value < 0x800) {
      out_.text += {static_cast<char>(0xC0 | (unit.value >> 6)), tail_byte(unit.value)};
    } else if (is_high_surrogate(unit.value) || is_low_surrogate(unit.value)) {
      append_surrogate(unit.value);
    } else {
      out_.text += {static_cast<char>(0xE0 | (unit.value >> 12)), tail_byte(unit.value >> 6), tail_byte(unit.value)};
    }
  }

  // The cursor is behind `unit`.
  void append_surrogate(char32_t unit) {
    const Unit low = is_high_surrogate(unit) ? unit_at(at_) : Unit{};
    if (!is_low_surrogate(low.value)) {
      ++out_.lone_surrogates;
      out_.text += kReplacement;
      return;
    }
    at_ += low.size;
    ++out_.utf16_length;
    const char32_t c = 0x10000 + ((unit - 0xD800) << 10) + (low.value - 0xDC00);
    out_.text += {static_cast<char>(0xF0 | (c >> 18)), tail_byte(c >> 12), tail_byte(c >> 6), tail_byte(c)};
  }

  // One U+FFFD for a byte that fits nowhere, and one for a lead of three bytes together with the one that follows it.
  void replace_damage() {
    const unsigned lead = byte(at_);
    const bool cut = (lead & 0xF0) == 0xE0 && is_tail(at_ + 1) && (lead != 0xE0 || byte(at_ + 1) >= 0xA0);
    at_ += cut ? 2 : 1;
    ++out_.utf16_length;
    ++out_.damaged_parts;
    out_.text += kReplacement;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  Mutf8Text out_;
};

Error malformed(std::string message, std::size_t at) {
  return Error{.code = ErrorCode::validation,
               .reason = "malformed_dex",
               .message = std::move(message),
               .hint = "",
               .position = static_cast<std::int64_t>(at)};
}

struct Uleb128 {
  std::uint32_t value = 0;
  std::size_t size = 0;
};

Result<Uleb128> read_uleb128(std::span<const std::byte> bytes) {
  Uleb128 number;
  while (number.size < bytes.size()) {
    const auto byte = std::to_integer<std::uint32_t>(bytes[number.size]);
    if (number.size + 1 == kLongestUleb128 && byte > kLastUleb128Bits) {
      return malformed("The length of a string does not fit 32 bits.", number.size);
    }
    number.value |= (byte & 0x7F) << (7 * number.size);
    ++number.size;
    if (byte < 0x80) return number;
  }
  return malformed("The file ends within the length of a string.", bytes.size());
}

}  // namespace

Mutf8Text decode_mutf8(std::span<const std::byte> bytes) { return Decoder(bytes).run(); }

Result<StringData> read_string_data(std::span<const std::byte> bytes) {
  ADIT_TRY(const auto length, read_uleb128(bytes));
  const auto rest = bytes.subspan(length.size);
  const auto zero = std::find(rest.begin(), rest.end(), std::byte{0});
  if (zero == rest.end()) return malformed("No zero byte ends the string.", bytes.size());
  const auto text_bytes = static_cast<std::size_t>(zero - rest.begin());
  return StringData{.value = decode_mutf8(rest.first(text_bytes)),
                    .declared_utf16_length = length.value,
                    .text_offset = length.size,
                    .text_bytes = text_bytes};
}

}  // namespace adit::dex
