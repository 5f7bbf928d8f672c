// SoQL's lexer on any bytes: tokens in order that cover what they say, or an error with a place in the text.
#include "adit/soql/lexer.h"
#include "adit/soql/text_position.h"
#include "fuzz/require.h"

#include "adit/base/json_text.h"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using adit::soql::TokenKind;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto tokens = adit::soql::tokenize(text);
  if (!tokens.ok()) {
    const auto& error = tokens.error();
    FUZZ_REQUIRE(error.reason.starts_with("query.soql."));
    FUZZ_REQUIRE(error.position && *error.position >= 0 && static_cast<std::size_t>(*error.position) <= size);
    FUZZ_REQUIRE(adit::is_valid_utf8(error.message));
    return 0;
  }
  FUZZ_REQUIRE(!tokens->empty() && tokens->back().kind == TokenKind::end);
  std::size_t end = 0;
  for (const auto& token : *tokens) {
    const bool last = token.kind == TokenKind::end;
    FUZZ_REQUIRE(token.span.begin >= end && token.span.end <= size);
    FUZZ_REQUIRE(last ? token.span.begin == token.span.end : token.span.begin < token.span.end);
    FUZZ_REQUIRE(adit::is_valid_utf8(token.value));
    end = token.span.end;
    if (adit::is_valid_utf8(text)) {
      const auto place = adit::soql::position_at(text, token.span.begin);
      FUZZ_REQUIRE(place.line >= 1 && place.character >= 1);
    }
  }
  FUZZ_REQUIRE(end == size);
  return 0;
}
