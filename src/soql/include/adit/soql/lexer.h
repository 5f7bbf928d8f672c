// SoQL text to tokens: reference/soql.md 3.1. No grammar here, and no meaning of names.
#pragma once

#include "adit/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adit::soql {

enum class TokenKind : std::uint8_t {
  identifier,         // a column, function, type or alias, or a soft word such as CASE; value as written
  system_identifier,  // value with its ':' — ":id", ":@computed_region_ab12_cd34"
  table,              // value without the '@'
  hole,               // parameter of a table function; value without the '?'
  integer,            // digits only: LIMIT, OFFSET and frames need to know
  number,             // with a point or an exponent; value as written
  string,             // value decoded, of both kinds of quotes
  keyword,            // a reserved word outside back-ticks; value in capitals: "SELECT", "UNION ALL"
  symbol,             // an operator or a bracket: "<=", "::", ":*", "|>", …
  end,                // always the last token, empty, at the end of the text
};

// Bytes [begin, end) of the caller's text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

struct Token {
  TokenKind kind = TokenKind::end;
  bool quoted = false;  // a name in back-ticks: never a soft word
  std::string value;
  Span span;
};

// White space and comments are left out. Any bytes may be given; the work is linear in their number.
// Error: validation. `reason` is the portal's own code (query.soql.unexpected-character, .unexpected-eof,
// .unterminated-string, .unexpected-escape, .bad-unicode-escape-character, .unicode-character-out-of-range) and
// `position` the byte at fault: the offending character, or the opening quote of what is never closed.
Result<std::vector<Token>> tokenize(std::string_view text);

}  // namespace adit::soql
