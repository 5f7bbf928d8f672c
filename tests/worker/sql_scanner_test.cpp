#include "gate/sql_scanner.h"

#include "adit/base/json_text.h"
#include "worker/opened_engine.h"

#include <gtest/gtest.h>

#include <random>

namespace adit::worker {
namespace {

using namespace std::string_view_literals;

std::string_view kind_name(SqlTokenKind kind) {
  switch (kind) {
    case SqlTokenKind::word: return "word";
    case SqlTokenKind::quoted_name: return "name";
    case SqlTokenKind::text: return "text";
    case SqlTokenKind::symbol: return "symbol";
    case SqlTokenKind::end: return "end";
  }
  return "";
}

// "word SELECT, symbol *", without the end.
std::string listing(std::string_view sql) {
  SqlScanner scanner(sql);
  std::string text;
  for (auto token = scanner.next(); token.kind != SqlTokenKind::end; token = scanner.next()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind_name(token.kind), token.in(sql));
  }
  return text;
}

struct Listing {
  std::string_view sql, tokens;
};

void expect_listings(std::initializer_list<Listing> cases) {
  for (const auto& [sql, tokens] : cases) {
    SCOPED_TRACE(json_string(to_valid_utf8(sql)));
    EXPECT_EQ(listing(sql), tokens);
  }
}

TEST(SqlScanner, WordsSymbolsAndNumbersAreTold) {
  expect_listings({
      {"", ""},
      {" \t\r\n\f\v ", ""},
      {"SELECT a_1,$1", "word SELECT, word a_1, symbol ,, symbol $, word 1"},
      {"a.b::INT", "word a, symbol ., word b, symbol :, symbol :, word INT"},
      {"größe naïve 街", "word größe, word naïve, word 街"},
      {"a$b$c", "word a$b$c"},
      {"1.5e-3", "word 1, symbol ., word 5e, symbol -, word 3"},
      {"$name + ?", "symbol $, word name, symbol +, symbol ?"},
      {"#1", "symbol #, word 1"},
  });
}

TEST(SqlScanner, QuotedTextsAndNamesAreTakenWhole) {
  expect_listings({
      {"'a;b' \"c;d\"", "text 'a;b', name \"c;d\""},
      {"'it''s' \"a\"\"b\"", "text 'it''s', name \"a\"\"b\""},
      {"'' \"\"", "text '', name \"\""},
      {R"('a\' b)", R"(text 'a\', word b)"},
      {R"(E'a\';b' e'\\' x)", R"(text E'a\';b', text e'\\', word x)"},
      {R"(xe'a\' y)", R"(word xe, text 'a\', word y)"},
      {"'-- no' \"/* no */\"", "text '-- no', name \"/* no */\""},
      {"'a\nb'", "text 'a\nb'"},
      {"x'41' b'1'", "word x, text '41', word b, text '1'"},
  });
}

TEST(SqlScanner, DollarQuotesEndAtTheirOwnTag) {
  expect_listings({
      {"$$;$$ x", "text $$;$$, word x"},
      {"$a$ $b$ ; $a$ x", "text $a$ $b$ ; $a$, word x"},
      {"$é_1$'$é_1$", "text $é_1$'$é_1$"},
      {"$1$", "symbol $, word 1$"},
      {"$ $", "symbol $, symbol $"},
      {"$a", "symbol $, word a"},
      {"$a b$", "symbol $, word a, word b$"},
      {"a$$;", "word a$$, symbol ;"},
  });
}

TEST(SqlScanner, CommentsOfBothKindsAreSkipped) {
  expect_listings({
      {"a -- b;c\n d", "word a, word d"},
      {"a -- b\r d", "word a, word d"},
      {"a --", "word a"},
      {"a - - b", "word a, symbol -, symbol -, word b"},
      {"a/* ; */b", "word a, word b"},
      {"/* /* ; */ ; */ a", "word a"},
      {"/**/a/***/", "word a"},
      {"/* -- */ a", "word a"},
      {"-- /*\na", "word a"},
      {"a /* ' */ b '", "word a, word b, text '"},
      {"a / * b", "word a, symbol /, symbol *, word b"},
      {"2*/**/3", "word 2, symbol *, word 3"},
  });
}

TEST(SqlScanner, WhatIsNeverClosedReachesTheEnd) {
  expect_listings({
      {"a 'b;c", "word a, text 'b;c"},
      {"a \"b;c", "word a, name \"b;c"},
      {"a E'b\\", "word a, text E'b\\"},
      {"a E'b\\'", "word a, text E'b\\'"},
      {"a $$b;c", "word a, text $$b;c"},
      {"a $t$b;c $t", "word a, text $t$b;c $t"},
  });
}

TEST(SqlScanner, AnOpenCommentIsTold) {
  struct Case {
    std::string_view sql;
    bool open;
  };
  constexpr Case cases[] = {
      {"a /* b", true},   {"a /*", true},           {"a /*/", true},    {"/* /* */", true},
      {"/* */ /*", true}, {"/* */ a /* */", false}, {"a /**/", false},  {"/* /* */ */", false},
      {"a -- /*", false}, {"'/*'", false},          {"a /* * /", true}, {"", false},
  };
  for (const auto& [sql, open] : cases) {
    SCOPED_TRACE(sql);
    SqlScanner scanner(sql);
    while (scanner.next().kind != SqlTokenKind::end) {
    }
    EXPECT_EQ(scanner.in_open_comment(), open);
  }
}

TEST(SqlScanner, ANameLosesItsQuotes) {
  struct Case {
    std::string_view sql, name;
  };
  constexpr Case cases[] = {{"abc", "abc"}, {"\"abc\"", "abc"},   {"\"a\"\"b\"", "a\"b"}, {"\"\"\"\"", "\""},
                            {"\"\"", ""},   {"Straße", "Straße"}, {"\"a b;c\"", "a b;c"}, {"\"\"\"a\"\"\"", "\"a\""},
                            {"\"'\"", "'"}};
  for (const auto& [sql, name] : cases) {
    SCOPED_TRACE(sql);
    SqlScanner scanner(sql);
    EXPECT_EQ(name_of(scanner.next(), sql), name);
  }
}

TEST(SqlScanner, KeywordsAreComparedWithoutCaseAndNeverQuoted) {
  struct Case {
    std::string_view sql;
    bool is;
  };
  constexpr Case cases[] = {{"DROP", true},      {"drop", true},    {"dRoP", true},   {"DROPS", false}, {"DRO", false},
                            {"\"DROP\"", false}, {"'DROP'", false}, {"DROP_", false}, {"", false}};
  for (const auto& [sql, is] : cases) {
    SCOPED_TRACE(sql);
    SqlScanner scanner(sql);
    EXPECT_EQ(is_word(scanner.next(), sql, "DROP"), is);
  }
}

// ---- Bounds of a statement

struct Bounds {
  std::string_view sql, statement;
  std::string_view next = "";  // what the second one begins with; "": there is none
};

void expect_bounds(std::initializer_list<Bounds> cases) {
  for (const auto& [sql, statement, next] : cases) {
    SCOPED_TRACE(json_string(to_valid_utf8(sql)));
    const auto bounds = statement_bounds(sql);
    EXPECT_EQ(sql.substr(bounds.begin, bounds.end - bounds.begin), statement);
    EXPECT_EQ(bounds.next.has_value(), !next.empty());
    if (bounds.next) {
      EXPECT_TRUE(sql.substr(*bounds.next).starts_with(next)) << *bounds.next;
    }
  }
}

TEST(StatementBounds, LeaveOutWhatIsAroundTheStatement) {
  expect_bounds({
      {"SELECT 1", "SELECT 1"},
      {"  SELECT 1 ; ", "SELECT 1"},
      {";; SELECT 1 ;;; -- end\n;", "SELECT 1"},
      {"-- a\n/* b */ SELECT 1 -- c", "SELECT 1"},
      {"SELECT /* inside */ 1", "SELECT /* inside */ 1"},
      {"SELECT ';' -- ;", "SELECT ';'"},
      {"SELECT $$;$$;", "SELECT $$;$$"},
      {"(SELECT 1);", "(SELECT 1)"},
  });
}

TEST(StatementBounds, WithoutAStatementAreEmpty) {
  for (const std::string_view sql : {"", " ", ";", " ;; ; ", "-- a", "/* a */;"}) {
    const auto bounds = statement_bounds(sql);
    EXPECT_EQ(bounds.begin, bounds.end) << sql;
    EXPECT_FALSE(bounds.next) << sql;
  }
}

TEST(StatementBounds, ASecondStatementIsTold) {
  expect_bounds({
      {"SELECT 1; SELECT 2", "SELECT 1", "SELECT 2"},
      {"SELECT 1;SELECT 2;SELECT 3", "SELECT 1", "SELECT 2"},
      {";a;;b;", "a", "b"},
      {"SELECT 1; -- two\n/* */ x", "SELECT 1", "x"},
      {"SELECT ';'; 'x'", "SELECT ';'", "'x'"},
      {"a;)", "a", ")"},
  });
}

TEST(StatementBounds, AnOpenCommentIsLeftToTheParser) {
  expect_bounds({{"SELECT 1 /* a;b", "SELECT 1 /* a;b"}, {"SELECT 1; /* x", "SELECT 1; /* x"}});
}

// Beyond ASCII: what is a space to the engine's parser is one to us, and nothing else is.
TEST(StatementBounds, SpacesOfOtherScriptsAreSpaces) {
  OpenedEngine engine;
  // The engine does not look at the text's last two bytes.
  const auto agrees = [&](const std::string& character) {
    const auto space = character + "  ";
    const auto tree = boost::json::parse(*engine->parse_tree("SELECT 1;" + space)).as_object();
    const bool one = !tree.at("error").as_bool() && tree.at("statements").as_array().size() == 1;
    return one == !statement_bounds("SELECT 1;" + space).next.has_value();
  };
  std::string disagreeing;
  for (unsigned point = 0x80; point < 0xFFFF; ++point) {
    if (point >= 0xD800 && point < 0xE000) continue;
    std::string character;
    if (point < 0x800) character = {static_cast<char>(0xC0 | (point >> 6))};
    else character = {static_cast<char>(0xE0 | (point >> 12)), static_cast<char>(0x80 | ((point >> 6) & 0x3F))};
    character += static_cast<char>(0x80 | (point & 0x3F));
    if (!agrees(character)) disagreeing += fmt::format("U+{:04X} ", point);
  }
  EXPECT_EQ(disagreeing, "");
  expect_bounds({
      {"SELECT\u00A01;\u00A0", "SELECT\u00A01"},
      {"\uFEFFSELECT 1;\u3000-- end", "SELECT 1"},
      {"SELECT '\u00A0;\u00A0';", "SELECT '\u00A0;\u00A0'"},
      {"SELECT a\u00A0FROM t;", "SELECT a\u00A0FROM t"},
  });
}

TEST(StatementBounds, AnyBytesGiveBoundsInsideTheText) {
  constexpr std::string_view kPieces[] = {"SELECT", " ",  ";",  "'", "\"", "E'", "\\", "$$",   "$a$",  "$", "--",
                                          "\n",     "/*", "*/", "1", "é",  "(",  ")",  "\xFF", "\0"sv, "x"};
  std::mt19937 random(9);
  for (int round = 0; round < 50'000; ++round) {
    std::string sql;
    for (auto pieces = random() % 12; pieces > 0; --pieces) sql += kPieces[random() % std::size(kPieces)];
    SCOPED_TRACE(json_string(to_valid_utf8(sql)));
    const auto bounds = statement_bounds(sql);
    ASSERT_LE(bounds.begin, bounds.end);
    ASSERT_LE(bounds.end, sql.size());
    if (bounds.next) {
      ASSERT_GT(*bounds.next, bounds.end);
      ASSERT_LT(*bounds.next, sql.size());
    }
    SqlScanner scanner(sql);
    std::size_t end = 0;
    for (auto token = scanner.next(); token.kind != SqlTokenKind::end; token = scanner.next()) {
      ASSERT_GE(token.begin, end);
      ASSERT_GT(token.end, token.begin);
      ASSERT_LE(token.end, sql.size());
      end = token.end;
    }
  }
}

// What the engine's parser takes for one statement we take for one, and for two.
TEST(StatementBounds, AgreeWithTheParser) {
  OpenedEngine engine;
  constexpr std::string_view kPieces[] = {
      "SELECT 1", "SELECT ", "1",       "'a'",      "\"a\"",        "E'\\''", "$$;$$", "$t$;$t$", ";", " ",
      "\n",       "-- ;\n",  "/* ; */", "/* /* */", "*/",           "+",      "-",     "(",       ")", ",",
      "''",       "a",       "x'",      "$",        "FROM range(1)"};
  std::mt19937 random(17);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string sql = "SELECT ";
    for (auto pieces = random() % 7; pieces > 0; --pieces) sql += kPieces[random() % std::size(kPieces)];
    const auto tree = engine->parse_tree(sql);
    ASSERT_TRUE(tree.ok());
    const auto parsed = boost::json::parse(*tree).as_object();
    if (parsed.at("error").as_bool()) continue;
    ++accepted;
    const auto count = parsed.at("statements").as_array().size();
    const auto bounds = statement_bounds(sql);
    const std::size_t ours = bounds.begin == bounds.end ? 0 : bounds.next ? 2 : 1;
    EXPECT_EQ(ours, std::min<std::size_t>(count, 2)) << json_string(sql);
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace adit::worker
