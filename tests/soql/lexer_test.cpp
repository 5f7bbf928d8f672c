#include "adit/soql/lexer.h"

#include "adit/base/json_text.h"
#include "adit/soql/text_position.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace adit::soql {
namespace {

std::string_view kind_word(TokenKind kind) {
  switch (kind) {
    case TokenKind::identifier: return "name";
    case TokenKind::system_identifier: return "system";
    case TokenKind::table: return "table";
    case TokenKind::hole: return "hole";
    case TokenKind::integer: return "integer";
    case TokenKind::number: return "number";
    case TokenKind::string: return "string";
    case TokenKind::keyword: return "keyword";
    case TokenKind::symbol: return "symbol";
    case TokenKind::end: return "end";
  }
  return "?";
}

// "name a, symbol =, …" without the end; a quoted name has a back-tick before its value.
std::string listing(std::string_view text) {
  const auto tokens = tokenize(text);
  if (!tokens.ok()) return "error: " + tokens.error().message;
  std::string out;
  for (const auto& token : *tokens) {
    if (token.kind == TokenKind::end) break;
    if (!out.empty()) out += ", ";
    out += kind_word(token.kind);
    out += token.quoted ? " `" : " ";
    out += token.value;
  }
  return out;
}

struct Listing {
  std::string_view text, tokens;
};

template <std::size_t count>
void expect_listings(const Listing (&cases)[count]) {
  for (const auto& [text, tokens] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(listing(text), tokens);
  }
}

TEST(SoqlLexer, NothingButTheEndIsInBlankText) {
  for (const std::string_view text : {"", " \t\r\n", "-- all of it", "/* all\nof it */ -- and more\n"}) {
    const auto tokens = tokenize(text);
    ASSERT_TRUE(tokens.ok());
    ASSERT_EQ(tokens->size(), 1u);
    EXPECT_EQ(tokens->front().kind, TokenKind::end);
    EXPECT_EQ(tokens->front().span, (Span{text.size(), text.size()}));
  }
}

TEST(SoqlLexer, NamesAreKeptAsWritten) {
  expect_listings({
      {"City total_cost $x _y a1", "name City, name total_cost, name $x, name _y, name a1"},
      {"Größe 街 Ωmega и́мя", "name Größe, name 街, name Ωmega, name и́мя"},
      {":id :@computed_region_ab12_cd34", "system :id, system :@computed_region_ab12_cd34"},
      {"@ab12-cd34.x", "table ab12-cd34, symbol ., name x"},
      {"@t as @u", "table t, keyword AS, table u"},
      {"f(?p, ?q)", "name f, symbol (, hole p, symbol ,, hole q, symbol )"},
      {"a-b", "name a, symbol -, name b"},
      {"case when nulls", "name case, name when, name nulls"},
  });
}

TEST(SoqlLexer, BackTickedNamesAreNeverKeywords) {
  expect_listings({
      {"`select`", "name `select"},
      {"`total-cost` `-x` `$y`", "name `total-cost, name `-x, name `$y"},
      {"`:id` `:@r-1`", "system `:id, system `:@r-1"},
      {"`case``b`", "name `case, name `b"},
  });
}

TEST(SoqlLexer, ReservedWordsAreKeywordsInAnyCase) {
  expect_listings({
      {"SELECT distinct From", "keyword SELECT, keyword DISTINCT, keyword FROM"},
      {"a and NOT b Is null", "name a, keyword AND, keyword NOT, name b, keyword IS, keyword NULL"},
      {"order by x asc limit 5", "keyword ORDER, name by, name x, keyword ASC, keyword LIMIT, integer 5"},
      {"selects _select select1", "name selects, name _select, name select1"},
  });
}

TEST(SoqlLexer, ASetOperationWithAllIsOneKeyword) {
  expect_listings({
      {"union all", "keyword UNION ALL"},
      {"Intersect \n\t All", "keyword INTERSECT ALL"},
      {"minus all select", "keyword MINUS ALL, keyword SELECT"},
      {"union", "keyword UNION"},
      {"union select", "keyword UNION, keyword SELECT"},
      {"union allow", "keyword UNION, name allow"},
      {"union /**/ all", "keyword UNION, name all"},
      {"except all", "keyword EXCEPT, name all"},
  });
  const auto tokens = tokenize("1 union  all 2");
  ASSERT_TRUE(tokens.ok());
  EXPECT_EQ((*tokens)[1].span, (Span{2, 12}));
}

TEST(SoqlLexer, AnIntegerIsToldFromANumber) {
  expect_listings({
      {"0 007 12345678901234567890", "integer 0, integer 007, integer 12345678901234567890"},
      {"1.5 5. 1e3 1E+3 2.e-7", "number 1.5, number 5., number 1e3, number 1E+3, number 2.e-7"},
      {".5", "symbol ., integer 5"},
      {"-5", "symbol -, integer 5"},
      {"1.2.3", "number 1.2, symbol ., integer 3"},
      {"1e 1e+ 2x", "integer 1, name e, integer 1, name e, symbol +, integer 2, name x"},
      {"2022-01-01T00", "integer 2022, symbol -, integer 01, symbol -, integer 01, name T00"},
  });
}

TEST(SoqlLexer, SingleQuotedStringsKnowOnlyTheDoubledQuote) {
  expect_listings({
      {"''", "string "},
      {"'it''s'", "string it's"},
      {"''''", "string '"},
      {R"('a\nb')", R"(string a\nb)"},
      {"'a\r\nb'", "string a\r\nb"},
      {"'say \"hi\" -- /* no comment'", "string say \"hi\" -- /* no comment"},
      {"'😀é'", "string 😀é"},
  });
}

TEST(SoqlLexer, DoubleQuotedStringsKnowEscapes) {
  expect_listings({
      {R"("")", "string "},
      {R"("it's")", "string it's"},
      {R"("a\nb")", "string a\nb"},
      {R"("\/\t\b\f\r\"\\")", "string /\t\b\f\r\"\\"},
      {R"("\u0041\u00e9\u20AC")", "string Aé€"},
      {R"("\U00005A\U01F600\U10ffff")", "string Z😀\xF4\x8F\xBF\xBF"},
      {R"("\ud83d\ude00")", "string 😀"},
  });
  EXPECT_EQ(tokenize(R"("a\u0000b")").value()[0].value, std::string("a\0b", 3));
}

TEST(SoqlLexer, TheLongestSymbolWins) {
  expect_listings({
      {"<=<>>=!===|>||", "symbol <=, symbol <>, symbol >=, symbol !=, symbol ==, symbol |>, symbol ||"},
      {"<= = < > ! ~ ^ %", "symbol <=, symbol =, symbol <, symbol >, symbol !, symbol ~, symbol ^, symbol %"},
      {"a::text", "name a, symbol ::, name text"},
      {":*, @t.:*", "symbol :*, symbol ,, table t, symbol ., symbol :*"},
      {":::id ::*", "symbol ::, system :id, symbol ::, symbol *"},
      {"count(*)/[2]", "name count, symbol (, symbol *, symbol ), symbol /, symbol [, integer 2, symbol ]"},
  });
}

TEST(SoqlLexer, CommentsSeparateTokensAndDoNotNest) {
  expect_listings({
      {"5 --3", "integer 5"},
      {"5 - -3", "integer 5, symbol -, symbol -, integer 3"},
      {"a -- b\nc", "name a, name c"},
      {"a -- b\rc", "name a, name c"},
      {"a/* 'b */c", "name a, name c"},
      {"a /* /* */ b */", "name a, name b, symbol *, symbol /"},
      {"/***/ a /**/", "name a"},
      {"sel/**/ect", "name sel, name ect"},
  });
}

TEST(SoqlLexer, SpansAreByteOffsetsInTheCallersText) {
  constexpr std::string_view text = "hello there\n  'wörld' `x` :id";
  const auto tokens = tokenize(text);
  ASSERT_TRUE(tokens.ok());
  constexpr Span spans[] = {{0, 5}, {6, 11}, {14, 22}, {23, 26}, {27, 30}, {30, 30}};
  ASSERT_EQ(tokens->size(), std::size(spans));
  for (std::size_t i = 0; i < std::size(spans); ++i) EXPECT_EQ((*tokens)[i].span, spans[i]) << i;
  EXPECT_EQ(position_at(text, (*tokens)[2].span.begin), (TextPosition{2, 3}));
}

TEST(SoqlLexer, LongTextNeedsNoStack) {
  const std::string quotes(2'000'000, '\'');
  EXPECT_EQ(tokenize(quotes).value()[0].value.size(), 999'999u);
  EXPECT_EQ(tokenize(std::string(1'000'000, '(')).value().size(), 1'000'001u);
  EXPECT_EQ(tokenize(std::string(1'000'000, 'x')).value().size(), 2u);
  EXPECT_FALSE(tokenize("/*" + std::string(1'000'000, '*')).ok());
}

TEST(SoqlLexer, AnyBytesGiveTokensInOrderOrAnErrorInside) {
  constexpr std::string_view kPieces[] = {"select", "union", " all", "'",  "\"", "`",  ":",    "@",   "?",
                                          "\\u",    "d83d",  "\\",   "--", "/*", "*/", "|",    ">",   "-",
                                          "1",      "e",     ".",    "é",  "\n", " ",  "\xCC", "\xF0"};
  std::mt19937 random(31);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto pieces = random() % 12; pieces > 0; --pieces) text += kPieces[random() % std::size(kPieces)];
    const auto tokens = tokenize(text);
    SCOPED_TRACE(json_string(to_valid_utf8(text)));
    if (!tokens.ok()) {
      ASSERT_TRUE(tokens.error().position.has_value());
      ASSERT_LT(static_cast<std::size_t>(*tokens.error().position), text.size());
      continue;
    }
    std::size_t end = 0;
    for (const auto& token : *tokens) {
      ASSERT_GE(token.span.begin, end);
      ASSERT_GE(token.span.end, token.span.begin + (token.kind == TokenKind::end ? 0 : 1));
      ASSERT_TRUE(is_valid_utf8(token.value));
      end = token.span.end;
    }
    ASSERT_EQ(end, text.size());
  }
}

}  // namespace
}  // namespace adit::soql
