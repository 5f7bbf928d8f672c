// JSON as text: printing strings into an answer, and the walk that foreign bytes pass before they are spliced.
// No tree is built here; trees are Boost.JSON's (json_fields.h).
#pragma once

#include "adit/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace adit {

// Appends `text` as a JSON string, quotes included. REQUIRES: valid UTF-8 (see to_valid_utf8).
void append_json_string(std::string& out, std::string_view text);
std::string json_string(std::string_view text);

// The bytes that append_json_string would add.
std::size_t json_string_size(std::string_view text);

bool is_valid_utf8(std::string_view text);

// Each maximal part that is not well-formed becomes U+FFFD (Unicode 15, section 3.9, "best practices").
std::string to_valid_utf8(std::string_view text);

// The longest prefix of at most `bytes` bytes that does not cut a character.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

enum class JsonKind { object, array, string, number, boolean, null };

enum class BigIntegers {
  keep,
  quote,  // an integer outside ±(2^53 − 1) becomes a string of the same digits
};

struct JsonWalkLimits {
  std::size_t depth = 128;        // nesting of objects and arrays
  std::size_t bytes = 64u << 20;  // of the text walked
  BigIntegers big_integers = BigIntegers::keep;
};

// Appends one JSON value from `text` to `out`, checked byte by byte against RFC 8259: valid UTF-8, no lone surrogate
// in an escape, numbers by grammar, depth and length bounded, nothing behind the value. White space outside strings
// is left out, so that the result is one line. On an error `out` is as it was; its message and position name the byte,
// except where the text as a whole is refused, for its length or as no UTF-8.
Result<JsonKind> append_checked_json(std::string& out, std::string_view text, const JsonWalkLimits& limits = {});

}  // namespace adit
