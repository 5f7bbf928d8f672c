// Byte offsets as people and portals count: by line and character, from 1.
#pragma once

#include <cstddef>
#include <string_view>

namespace adit::soql {

struct TextPosition {
  std::size_t line = 1;
  std::size_t character = 1;  // code points, not bytes

  friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

// Lines end at LF. An offset behind the end counts as the end. REQUIRES: valid UTF-8 before `offset`
TextPosition position_at(std::string_view text, std::size_t offset);

}  // namespace adit::soql
