#include "source_text.h"

#include "adit/base/json_text.h"
#include "adit/soql/text_position.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::soql {
namespace {

std::size_t sequence_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0xC0) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

}  // namespace

std::size_t SourceText::find(std::string_view what, std::size_t from) const {
  return std::min(text_.find(what, from), text_.size());
}

std::size_t SourceText::find_any(std::string_view characters, std::size_t from) const {
  return std::min(text_.find_first_of(characters, from), text_.size());
}

std::size_t SourceText::skip_any(std::string_view characters, std::size_t from) const {
  return std::min(text_.find_first_not_of(characters, from), text_.size());
}

std::string_view SourceText::character_at(std::size_t at) const { return text_.substr(at, sequence_length(text_[at])); }

char32_t SourceText::code_point_at(std::size_t at) const {
  const auto bytes = character_at(at);
  char32_t c = static_cast<unsigned char>(bytes[0]);
  if (bytes.size() > 1) c &= 0xFFu >> (bytes.size() + 1);  // the marker bits of the lead byte go
  for (const char byte : bytes.substr(1)) c = (c << 6) | (static_cast<unsigned char>(byte) & 0x3Fu);
  return c;
}

Error SourceText::failure(std::string_view code, std::size_t at, std::string_view what, std::string hint) const {
  const auto [line, character] = position_at(text_, at);
  return Error{.code = ErrorCode::validation,
               .reason = fmt::format("query.soql.{}", code),
               .message = fmt::format("Line {}, character {}: {}.", line, character, what),
               .hint = std::move(hint),
               .position = static_cast<std::int64_t>(at)};
}

Error SourceText::never_closed(std::string_view what, std::size_t opening) const {
  return failure("unexpected-eof", opening, fmt::format("the {} that begins here is never closed", what));
}

std::size_t first_invalid_byte(std::string_view text) {
  std::size_t good = 0;
  for (;;) {
    const auto character = text.substr(good, sequence_length(text[good]));
    if (!is_valid_utf8(character)) return good;
    good += character.size();
  }
}

}  // namespace adit::soql
