// JSON as text: printing strings into an answer, and the walk that foreign bytes pass before they are spliced.
// No tree is built here; trees are Boost.JSON's (json_fields.h).
#pragma once

#include "adit/base/result.h"

#include <cstddef>
#include <optional>
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

// Walks the elements of one JSON array in turn, each checked as append_checked_json does: a page of rows reaches an
// answer as the bytes it came as. An element that can be told from its neighbours but holds what no JSON text may (an
// unpaired surrogate, bytes that are no UTF-8, too deep a nesting) is left out and told; the walk goes on behind it.
class JsonArrayWalk {
 public:
  // REQUIRES: `text` outlives the walk.
  explicit JsonArrayWalk(std::string_view text, const JsonWalkLimits& limits = {});

  struct Element {
    std::size_t number = 0;  // from 0, in the array
    JsonKind kind{};
    std::string rejected;  // why nothing was appended; empty: it was
  };

  // Appends the next element to `out`; nothing at the array's end. An Error: the text is no array, or is broken or ends
  // here; what was appended before stays good.
  Result<std::optional<Element>> next(std::string& out);

 private:
  Result<std::optional<Element>> end_of_array();

  std::string_view text_;
  JsonWalkLimits limits_;
  bool valid_utf8_;
  std::size_t position_ = 0, count_ = 0;
  bool begun_ = false;
};

}  // namespace adit
