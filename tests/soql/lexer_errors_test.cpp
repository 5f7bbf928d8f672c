#include "adit/soql/lexer.h"

#include "adit/base/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace adit::soql {
namespace {

struct Failure {
  std::string_view text, reason;
  std::int64_t position;
};

template <std::size_t count>
void expect_failures(const Failure (&cases)[count]) {
  for (const auto& [text, reason, position] : cases) {
    SCOPED_TRACE(json_string(to_valid_utf8(text)));
    const auto tokens = tokenize(text);
    ASSERT_FALSE(tokens.ok());
    EXPECT_EQ(tokens.error().code, ErrorCode::validation);
    EXPECT_EQ(tokens.error().reason, "query.soql." + std::string(reason));
    EXPECT_EQ(tokens.error().position, position);
    EXPECT_TRUE(is_valid_utf8(tokens.error().message));
  }
}

TEST(SoqlLexerErrors, WhatIsNeverClosedPointsAtItsOpening) {
  expect_failures({
      {"a /* b", "unexpected-eof", 2},
      {"/*/", "unexpected-eof", 0},
      {"a = 'b", "unexpected-eof", 4},
      {"'it''s", "unexpected-eof", 0},
      {"\"", "unexpected-eof", 0},
      {"x \"a\\", "unexpected-eof", 2},
      {"x \"a\\u00", "unexpected-eof", 2},
      {"x \"\\ud83d\\u", "unexpected-eof", 2},
      {"x `abc", "unexpected-eof", 2},
      {"`", "unexpected-eof", 0},
      {"`:id", "unexpected-eof", 0},
  });
  EXPECT_EQ(tokenize("a =\n  'b").error().message, "Line 2, character 3: the string that begins here is never closed.");
}

TEST(SoqlLexerErrors, ALineEndBreaksADoubleQuotedString) {
  expect_failures({{"\"\n\"", "unterminated-string", 0}, {"x = \"a\nb\"", "unterminated-string", 4}});
}

TEST(SoqlLexerErrors, BadEscapesPointAtThemselves) {
  expect_failures({
      {R"("a\qb")", "unexpected-escape", 2},
      {"\"a\\\nb\"", "unexpected-escape", 2},
      {R"("\é")", "unexpected-escape", 1},
      {R"("\N")", "unexpected-escape", 1},
      {R"("\u12g4")", "bad-unicode-escape-character", 5},
      {R"("\u12")", "bad-unicode-escape-character", 5},
      {R"("\U1F600 ")", "bad-unicode-escape-character", 8},
      {R"("\U110000")", "unicode-character-out-of-range", 1},
      {R"("\UFFFFFF")", "unicode-character-out-of-range", 1},
      {R"("\ud83d")", "unicode-character-out-of-range", 1},
      {R"("\ud83dx")", "unicode-character-out-of-range", 1},
      {R"("\ud83d\u0041")", "unicode-character-out-of-range", 1},
      {R"("x\ude00\ud83d")", "unicode-character-out-of-range", 2},
      {R"("\U00D800")", "unicode-character-out-of-range", 1},
  });
}

TEST(SoqlLexerErrors, ABackTickedNameHoldsNoSpaces) {
  expect_failures({
      {"`two words`", "unexpected-eof", 4},
      {"``", "unexpected-eof", 1},
      {"`1a`", "unexpected-eof", 1},
      {"a, `b\\`c`", "unexpected-eof", 5},
      {"`a:b`", "unexpected-eof", 2},
      {"`:`", "unexpected-eof", 1},
  });
  EXPECT_NE(tokenize("`two words`").error().hint.find("no spaces"), std::string::npos);
}

TEST(SoqlLexerErrors, CharactersThatBeginNoTokenAreNamed) {
  expect_failures({
      {"a & b", "unexpected-character", 2},
      {"a | b", "unexpected-character", 2},
      {"a : b", "unexpected-character", 2},
      {":@", "unexpected-character", 0},
      {"@ t", "unexpected-character", 0},
      {"?", "unexpected-character", 0},
      {"?1", "unexpected-character", 0},
      {"{", "unexpected-character", 0},
      {"select 1;", "unexpected-character", 8},
      {"a = ‘b’", "unexpected-character", 4},
      {"a\xC2\xA0= 1", "unexpected-character", 1},  // no-break space
      {"a\xE2\x80\x8D"
       "b",
       "unexpected-character", 1},  // zero-width joiner
      {"😀", "unexpected-character", 0},
      {"\xCC\x81"
       "a",
       "unexpected-character", 0},  // a mark cannot begin a name
      {std::string_view("a\0b", 3), "unexpected-character", 1},
  });
  EXPECT_EQ(tokenize("a & b").error().message, "Line 1, character 3: unexpected character \"&\".");
  EXPECT_NE(tokenize("a = ‘b’").error().hint.find("straight single quotes"), std::string::npos);
  EXPECT_NE(tokenize("select 1;").error().hint.find("semicolon"), std::string::npos);
}

TEST(SoqlLexerErrors, TextThatIsNotUtf8PointsAtItsFirstBadByte) {
  expect_failures({
      {"\xff", "unexpected-character", 0},
      {"a\x80", "unexpected-character", 1},
      {"'é\xC3'", "unexpected-character", 3},
      {"'\xED\xA0\x80'", "unexpected-character", 1},
      {"-- \xF4\x90\x80\x80", "unexpected-character", 3},
      {"ok 'x' \xE2\x82", "unexpected-character", 7},
  });
}

}  // namespace
}  // namespace adit::soql
