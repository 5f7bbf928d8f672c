#include "adit/base/json_text.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace adit {
namespace {

constexpr char kHex[] = "0123456789abcdef";

bool needs_escape(unsigned char c) { return c < 0x20 || c == '"' || c == '\\'; }

// The number of leading bytes that stand in a JSON string as they are.
std::size_t plain_prefix(const char* text, std::size_t size) {
  std::size_t i = 0;
#if defined(__SSE2__)
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i control_max = _mm_set1_epi8(0x1f);
  for (; i + 16 <= size; i += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(block, control_max), block);
    const __m128i special =
        _mm_or_si128(control, _mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)));
    if (const int mask = _mm_movemask_epi8(special); mask != 0) {
      return i + static_cast<std::size_t>(__builtin_ctz(static_cast<unsigned>(mask)));
    }
  }
#endif
  while (i < size && !needs_escape(static_cast<unsigned char>(text[i]))) ++i;
  return i;
}

// The number of leading bytes below 0x80.
std::size_t ascii_prefix(const char* text, std::size_t size) {
  std::size_t i = 0;
#if defined(__SSE2__)
  for (; i + 16 <= size; i += 16) {
    const int mask = _mm_movemask_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text + i)));
    if (mask != 0) return i + static_cast<std::size_t>(__builtin_ctz(static_cast<unsigned>(mask)));
  }
#endif
  while (i < size && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

void append_escape(std::string& out, unsigned char c) {
  switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default:
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
  }
}

// Length of the well-formed UTF-8 sequence at `p`, or 0; `bad` then is the length of the maximal ill-formed part.
std::size_t utf8_sequence(const unsigned char* p, std::size_t size, std::size_t& bad) {
  bad = 1;
  const unsigned char lead = p[0];
  if (lead < 0x80) return 1;
  std::size_t need = 0;
  unsigned char low = 0x80, high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) need = 1;
  else if (lead >= 0xE0 && lead <= 0xEF) {
    need = 2;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    need = 3;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  for (std::size_t i = 1; i <= need; ++i) {
    if (i >= size || p[i] < low || p[i] > high) return 0;
    bad = i + 1;
    low = 0x80;
    high = 0xBF;
  }
  return need + 1;
}

// The walk itself: a cursor over the text and the output; each read_* leaves the cursor behind what it read.
class Walk {
 public:
  Walk(std::string& out, std::string_view text, const JsonWalkLimits& limits)
      : out_(out), text_(text), limits_(limits) {}

  // One value at `position`, which moves behind it.
  Result<JsonKind> run_at(std::size_t& position) {
    pos_ = position;
    JsonKind kind{};
    if (at_end() || !value(0, kind)) return failure();
    position = pos_;
    return kind;
  }

  Result<JsonKind> run() {
    skip_space();
    JsonKind kind{};
    if (at_end() || !value(0, kind)) return failure();
    skip_space();
    if (!at_end()) {
      fail("something stands behind the value");
      return failure();
    }
    return kind;
  }

 private:
  bool at_end() const { return pos_ == text_.size(); }
  char peek() const { return pos_ < text_.size() ? text_[pos_] : '\0'; }
  void skip_space() {
    while (pos_ < text_.size() &&
           (text_[pos_] == ' ' || text_[pos_] == '\n' || text_[pos_] == '\r' || text_[pos_] == '\t')) {
      ++pos_;
    }
  }
  bool fail(const char* why) {
    if (why_ == nullptr) why_ = why;
    return false;
  }
  Error failure() const {
    return Error{.code = ErrorCode::parse_error,
                 .reason = "invalid_json",
                 .message = fmt::format("not valid JSON at byte {}: {}", pos_, why_ ? why_ : "the text is empty"),
                 .hint = "",
                 .position = static_cast<std::int64_t>(pos_)};
  }

  bool value(std::size_t depth, JsonKind& kind) {
    switch (peek()) {
      case '{': kind = JsonKind::object; return container(depth, '}');
      case '[': kind = JsonKind::array; return container(depth, ']');
      case '"': kind = JsonKind::string; return string();
      case 't': kind = JsonKind::boolean; return literal("true");
      case 'f': kind = JsonKind::boolean; return literal("false");
      case 'n': kind = JsonKind::null; return literal("null");
      default: kind = JsonKind::number; return number();
    }
  }

  bool container(std::size_t depth, char close) {
    if (depth >= limits_.depth) return fail("nested too deeply");
    out_ += text_[pos_++];
    skip_space();
    if (peek() == close) {
      out_ += text_[pos_++];
      return true;
    }
    for (;;) {
      if (close == '}') {
        if (peek() != '"') return fail("a member's name is expected");
        if (!string()) return false;
        skip_space();
        if (peek() != ':') return fail("':' is expected");
        out_ += text_[pos_++];
        skip_space();
      }
      JsonKind ignored{};
      if (!value(depth + 1, ignored)) return false;
      skip_space();
      const char c = peek();
      if (c != ',' && c != close) return fail("',' or the end of the object or array is expected");
      out_ += c;
      ++pos_;
      if (c == close) return true;
      skip_space();
    }
  }

  bool string() {
    const std::size_t begin = pos_++;
    for (;;) {
      pos_ += plain_prefix(text_.data() + pos_, text_.size() - pos_);
      if (at_end()) return fail("the string is not closed");
      const char c = text_[pos_];
      if (c == '"') break;
      if (c != '\\') return fail("a control character in a string must be escaped");
      if (!escape()) return false;
    }
    ++pos_;
    out_.append(text_.substr(begin, pos_ - begin));
    return true;
  }

  bool escape() {
    ++pos_;
    const char c = peek();
    if (c != '\0' && std::strchr("\"\\/bfnrt", c) != nullptr) {
      ++pos_;
      return true;
    }
    if (c != 'u') return fail("no such escape");
    unsigned unit = 0;
    if (!hex4(unit)) return false;
    if (unit >= 0xDC00 && unit <= 0xDFFF) return fail("a low surrogate stands alone");
    if (unit < 0xD800 || unit > 0xDBFF) return true;
    if (text_.substr(pos_, 2) != "\\u") return fail("a high surrogate stands alone");
    ++pos_;
    if (!hex4(unit)) return false;
    if (unit < 0xDC00 || unit > 0xDFFF) return fail("a high surrogate stands alone");
    return true;
  }

  // At 'u': reads it and four digits.
  bool hex4(unsigned& unit) {
    unit = 0;
    for (std::size_t i = 1; i <= 4; ++i) {
      const char c = pos_ + i < text_.size() ? text_[pos_ + i] : '\0';
      const char* digit = c == '\0' ? nullptr : std::strchr("0123456789abcdefABCDEF", c);
      if (digit == nullptr) return fail("four hexadecimal digits are expected");
      unit = unit * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    pos_ += 5;
    return true;
  }

  bool digits() {
    const std::size_t begin = pos_;
    while (peek() >= '0' && peek() <= '9') ++pos_;
    return pos_ > begin || fail("a value is expected");
  }

  bool number() {
    const std::size_t begin = pos_;
    if (peek() == '-') ++pos_;
    const std::size_t first = pos_;
    if (!digits()) return false;
    if (text_[first] == '0' && pos_ - first > 1) return fail("a number may not begin with 0");
    const std::size_t integer_digits = pos_ - first;
    bool integer = true;
    if (peek() == '.') {
      integer = false;
      ++pos_;
      if (!digits()) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
      integer = false;
      ++pos_;
      if (peek() == '+' || peek() == '-') ++pos_;
      if (!digits()) return false;
    }
    const auto digits_text = text_.substr(first, integer_digits);
    constexpr std::string_view kMaxSafe = "9007199254740991";
    const bool big =
        integer && (integer_digits > kMaxSafe.size() || (integer_digits == kMaxSafe.size() && digits_text > kMaxSafe));
    const bool quote = big && limits_.big_integers == BigIntegers::quote;
    if (quote) out_ += '"';
    out_.append(text_.substr(begin, pos_ - begin));
    if (quote) out_ += '"';
    return true;
  }

  bool literal(std::string_view word) {
    if (text_.substr(pos_, word.size()) != word) return fail("a value is expected");
    out_.append(word);
    pos_ += word.size();
    return true;
  }

  std::string& out_;
  std::string_view text_;
  const JsonWalkLimits& limits_;
  std::size_t pos_ = 0;
  const char* why_ = nullptr;
};

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (;;) {
    const std::size_t plain = plain_prefix(text.data(), text.size());
    out.append(text.substr(0, plain));
    if (plain == text.size()) break;
    append_escape(out, static_cast<unsigned char>(text[plain]));
    text.remove_prefix(plain + 1);
  }
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::size_t json_string_size(std::string_view text) {
  std::size_t size = 2 + text.size();
  for (;;) {
    const std::size_t plain = plain_prefix(text.data(), text.size());
    if (plain == text.size()) return size;
    const auto c = static_cast<unsigned char>(text[plain]);
    const bool short_form = c >= 0x20 || (c >= 8 && c != 0x0b && c <= 13);
    size += short_form ? 1 : 5;
    text.remove_prefix(plain + 1);
  }
}

bool is_valid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    i += ascii_prefix(text.data() + i, text.size() - i);
    if (i == text.size()) return true;
    std::size_t bad = 0;
    const std::size_t good = utf8_sequence(bytes + i, text.size() - i, bad);
    if (good == 0) return false;
    i += good;
  }
  return true;
}

std::string to_valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 3);
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::size_t i = 0; i < text.size();) {
    std::size_t bad = 0;
    if (const std::size_t good = utf8_sequence(bytes + i, text.size() - i, bad); good > 0) {
      out.append(text.substr(i, good));
      i += good;
    } else {
      out += "\xEF\xBF\xBD";
      i += bad;
    }
  }
  return out;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

Result<JsonKind> append_checked_json(std::string& out, std::string_view text, const JsonWalkLimits& limits) {
  if (text.size() > limits.bytes) {
    return Error{.code = ErrorCode::parse_error,
                 .reason = "invalid_json",
                 .message = fmt::format("the JSON text has {} bytes, {} are allowed", text.size(), limits.bytes),
                 .hint = ""};
  }
  if (!is_valid_utf8(text)) {
    return Error{.code = ErrorCode::parse_error,
                 .reason = "invalid_json",
                 .message = "the JSON text is not valid UTF-8",
                 .hint = ""};
  }
  const std::size_t before = out.size();
  auto result = Walk(out, text, limits).run();
  if (!result.ok()) out.resize(before);
  return result;
}

namespace {

std::size_t behind_space(std::string_view text, std::size_t position) {
  const auto next = text.find_first_not_of(" \t\r\n", position);
  return next == std::string_view::npos ? text.size() : next;
}

// The end of the object, array or scalar at `position` by brackets and quotes alone; npos when the text ends before.
std::size_t end_of_value(std::string_view text, std::size_t position) {
  std::size_t depth = 0;
  for (std::size_t i = position; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']' || c == ',') && depth == 0) {
      return i;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return i + 1;
    }
  }
  return std::string_view::npos;
}

Error broken_array(std::size_t position, const char* why) {
  return Error{.code = ErrorCode::parse_error,
               .reason = "invalid_json",
               .message = fmt::format("not valid JSON at byte {}: {}", position, why),
               .hint = "",
               .position = static_cast<std::int64_t>(position)};
}

}  // namespace

JsonArrayWalk::JsonArrayWalk(std::string_view text, const JsonWalkLimits& limits)
    : text_(text), limits_(limits), valid_utf8_(is_valid_utf8(text)) {}

Result<std::optional<JsonArrayWalk::Element>> JsonArrayWalk::next(std::string& out) {
  position_ = behind_space(text_, position_);
  const char expected = begun_ ? ',' : '[';
  if (begun_ && position_ < text_.size() && text_[position_] == ']') return end_of_array();
  if (position_ == text_.size()) return broken_array(position_, "the text ends within the array");
  if (text_[position_] != expected) return broken_array(position_, begun_ ? "',' or ']' is expected" : "no array");
  position_ = behind_space(text_, position_ + 1);
  if (!begun_ && position_ < text_.size() && text_[position_] == ']') {
    begun_ = true;
    return end_of_array();
  }
  begun_ = true;

  const std::size_t begin = position_, before = out.size();
  Element element{.number = count_++, .kind = JsonKind::null, .rejected = ""};
  auto kind = Walk(out, text_, limits_).run_at(position_);
  if (kind.ok() && (valid_utf8_ || is_valid_utf8(std::string_view(out).substr(before)))) {
    element.kind = *kind;
    return std::optional(std::move(element));
  }
  out.resize(before);
  const auto end = end_of_value(text_, begin);
  if (end == std::string_view::npos || end == begin) return broken_array(begin, "a value is expected");
  element.rejected = kind.ok() ? "it is not valid UTF-8" : kind.error().message;
  position_ = end;
  return std::optional(std::move(element));
}

Result<std::optional<JsonArrayWalk::Element>> JsonArrayWalk::end_of_array() {
  if (behind_space(text_, position_ + 1) != text_.size()) {
    return broken_array(position_ + 1, "something stands behind the array");
  }
  return std::optional<Element>();
}

}  // namespace adit
