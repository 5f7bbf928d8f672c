// The text a lexer reads: valid UTF-8, looked at by byte offset, and the errors that point into it.
#pragma once

#include "adit/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace adit::soql {

// A view: the caller's text outlives it. Offsets may be anything up to size(), and behind it where that is said.
class SourceText {
 public:
  // REQUIRES: valid UTF-8, except for one that is only asked for failure()
  explicit SourceText(std::string_view text) : text_(text) {}

  std::size_t size() const { return text_.size(); }
  char operator[](std::size_t at) const { return text_[at]; }
  std::string_view between(std::size_t begin, std::size_t end) const { return text_.substr(begin, end - begin); }

  // False behind the end.
  bool has(std::size_t at, std::string_view what) const {
    return at < text_.size() && text_.substr(at).starts_with(what);
  }

  // The offset of the next of these, or size().
  std::size_t find(std::string_view what, std::size_t from) const;
  std::size_t find_any(std::string_view characters, std::size_t from) const;
  std::size_t skip_any(std::string_view characters, std::size_t from) const;

  std::string_view character_at(std::size_t at) const;  // its bytes; REQUIRES: at < size()
  char32_t code_point_at(std::size_t at) const;         // REQUIRES: at < size()

  // `code` is the last part of the portal's code; `what` completes "Line 1, character 5: ….".
  Error failure(std::string_view code, std::size_t at, std::string_view what, std::string hint = "") const;
  Error never_closed(std::string_view what, std::size_t opening) const;

 private:
  std::string_view text_;
};

// REQUIRES: not valid UTF-8
std::size_t first_invalid_byte(std::string_view text);

}  // namespace adit::soql
