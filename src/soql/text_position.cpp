#include "adit/soql/text_position.h"

namespace adit::soql {

TextPosition position_at(std::string_view text, std::size_t offset) {
  TextPosition position;
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++position.line;
      position.character = 1;
    } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) {
      ++position.character;
    }
  }
  return position;
}

}  // namespace adit::soql
