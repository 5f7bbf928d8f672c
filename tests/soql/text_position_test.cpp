#include "adit/soql/text_position.h"

#include <gtest/gtest.h>

namespace adit::soql {
namespace {

TEST(TextPosition, CountsLinesAndCharactersFromOne) {
  struct Case {
    std::string_view text;
    std::size_t offset;
    TextPosition position;
  };
  constexpr Case cases[] = {
      {"", 0, {1, 1}},
      {"abc", 0, {1, 1}},
      {"abc", 2, {1, 3}},
      {"abc", 3, {1, 4}},
      {"abc", 99, {1, 4}},
      {"hello there\n  world", 6, {1, 7}},
      {"hello there\n  world", 14, {2, 3}},
      {"a\r\nb", 3, {2, 1}},
      {"\n\n\n", 3, {4, 1}},
      {"é€😀x", 9, {1, 4}},  // 2 + 3 + 4 bytes before x
  };
  for (const auto& [text, offset, position] : cases) {
    SCOPED_TRACE(::testing::Message() << text << " at " << offset);
    EXPECT_EQ(position_at(text, offset), position);
  }
}

}  // namespace
}  // namespace adit::soql
