#include "string_literal.h"

#include "adit/base/json_text.h"

#include <fmt/format.h>

namespace adit::soql {
namespace {

constexpr char32_t kLastCodePoint = 0x10FFFF;

bool is_high_surrogate(char32_t c) { return c >= 0xD800 && c <= 0xDBFF; }
bool is_low_surrogate(char32_t c) { return c >= 0xDC00 && c <= 0xDFFF; }

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// REQUIRES: c is a scalar value
void append_utf8(std::string& out, char32_t c) {
  const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

// The inside of a double-quoted string; `end` of the literal is the cursor.
class Decoder {
 public:
  Decoder(const SourceText& text, std::size_t opening) : text_(text), opening_(opening) {}

  Result<StringLiteral> run() {
    at_ = opening_ + 1;
    for (;;) {
      const auto stop = text_.find_any("\"\\\n", at_);
      if (stop == text_.size()) return text_.never_closed("string", opening_);
      value_ += text_.between(at_, stop);
      at_ = stop + 1;
      if (text_[stop] == '"') return StringLiteral{.value = std::move(value_), .end = at_};
      if (text_[stop] == '\n') {
        return text_.failure("unterminated-string", opening_, "the string that begins here is broken by a line end",
                             "A string in double quotes stands on one line; write the line break as \\n.");
      }
      ADIT_CHECK(escape());
    }
  }

 private:
  // At the character behind the backslash.
  Result<void> escape() {
    if (at_ == text_.size()) return text_.never_closed("string", opening_);
    switch (text_[at_]) {
      case 'n': return simple('\n');
      case 't': return simple('\t');
      case 'b': return simple('\b');
      case 'f': return simple('\f');
      case 'r': return simple('\r');
      case '/':
      case '"':
      case '\\': return simple(text_[at_]);
      case 'u': return unicode(4);
      case 'U': return unicode(6);
      default: break;
    }
    return text_.failure("unexpected-escape", at_ - 1,
                         fmt::format("\\ before {} is no escape", json_string(text_.character_at(at_))),
                         "In double quotes a backslash is written \\\\; in single quotes it needs no escape.");
  }

  Result<void> simple(char c) {
    value_ += c;
    ++at_;
    return {};
  }

  // \uXXXX or \UXXXXXX; two \u may form a surrogate pair.
  Result<void> unicode(std::size_t digits) {
    const auto backslash = at_ - 1;
    ADIT_TRY(char32_t c, hex_digits(digits));
    if (digits == 4 && is_high_surrogate(c) && text_.has(at_, "\\u")) {
      ++at_;
      ADIT_TRY(const char32_t low, hex_digits(4));
      if (is_low_surrogate(low)) c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
    }
    if (c > kLastCodePoint || is_high_surrogate(c) || is_low_surrogate(c)) {
      return text_.failure("unicode-character-out-of-range", backslash,
                           fmt::format("{} is no Unicode character", text_.between(backslash, at_)));
    }
    append_utf8(value_, c);
    return {};
  }

  // At the letter before the digits; leaves the cursor behind them.
  Result<char32_t> hex_digits(std::size_t count) {
    char32_t number = 0;
    for (++at_; count > 0; --count, ++at_) {
      if (at_ == text_.size()) return text_.never_closed("string", opening_);
      const int digit = hex_value(text_[at_]);
      if (digit < 0) {
        return text_.failure("bad-unicode-escape-character", at_,
                             fmt::format("{} is no hexadecimal digit", json_string(text_.character_at(at_))),
                             "\\u takes four hexadecimal digits, \\U six.");
      }
      number = number * 16 + static_cast<char32_t>(digit);
    }
    return number;
  }

  const SourceText& text_;
  const std::size_t opening_;
  std::size_t at_ = 0;
  std::string value_;
};

}  // namespace

Result<StringLiteral> read_single_quoted(const SourceText& text, std::size_t begin) {
  StringLiteral literal;
  for (auto at = begin + 1;;) {
    const auto quote = text.find("'", at);
    if (quote == text.size()) return text.never_closed("string", begin);
    literal.value += text.between(at, quote);
    literal.end = quote + 1;
    if (!text.has(quote + 1, "'")) return literal;
    literal.value += '\'';
    at = quote + 2;
  }
}

Result<StringLiteral> read_double_quoted(const SourceText& text, std::size_t begin) {
  return Decoder(text, begin).run();
}

}  // namespace adit::soql
