#include "adit/base/json_text.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace adit {
namespace json = boost::json;
namespace {

using namespace std::string_view_literals;

const std::string kReplacement = "\xEF\xBF\xBD";

std::string times(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

std::string escaped_by_table(unsigned char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case 8: return "\\b";
    case 9: return "\\t";
    case 10: return "\\n";
    case 12: return "\\f";
    case 13: return "\\r";
    default: return c < 0x20 ? fmt::format("\\u{:04x}", c) : std::string(1, static_cast<char>(c));
  }
}

// ---- Strings

TEST(JsonString, EveryAsciiCharacterIsEscapedExactlyWhenItMustBe) {
  for (unsigned c = 0; c < 0x80; ++c) {
    SCOPED_TRACE(c);
    const std::string text(1, static_cast<char>(c));
    const auto expected = "\"" + escaped_by_table(static_cast<unsigned char>(c)) + "\"";
    EXPECT_EQ(json_string(text), expected);
    EXPECT_EQ(json_string_size(text), expected.size());
  }
}

TEST(JsonString, ACharacterToEscapeIsFoundAtEachPlaceOfATextOfAnyLength) {
  for (const char special : {'\0', '\x01', '\n', '\x1f', '"', '\\'}) {
    for (std::size_t size = 1; size <= 40; ++size) {
      for (std::size_t at = 0; at < size; ++at) {
        std::string text(size, 'a');
        text[at] = special;
        const auto expected = "\"" + std::string(at, 'a') + escaped_by_table(static_cast<unsigned char>(special)) +
                              std::string(size - at - 1, 'a') + "\"";
        ASSERT_EQ(json_string(text), expected) << size << " " << at;
        ASSERT_EQ(json_string_size(text), expected.size()) << size << " " << at;
      }
    }
  }
}

TEST(JsonString, CharactersBeyondAsciiStandAsTheyAre) {
  constexpr std::string_view kTexts[] = {"é", "€", "😀", "\u2028\u2029", "\x7f", "\U0010FFFF", "ẞß漢字 with more text"};
  for (const auto text : kTexts) {
    EXPECT_EQ(json_string(text), "\"" + std::string(text) + "\"");
    EXPECT_EQ(json_string_size(text), text.size() + 2);
  }
}

TEST(JsonString, IsAddedBehindWhatIsThere) {
  std::string out = "{\"a\":";
  append_json_string(out, "b\n");
  EXPECT_EQ(out, R"({"a":"b\n")");
  append_json_string(out, "");
  EXPECT_EQ(out, R"({"a":"b\n""")");
}

TEST(JsonString, ReadsBackAsTheSameTextAndHasThePredictedSize) {
  std::mt19937 random(20260728);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 70, '\0');
    for (char& c : text) c = static_cast<char>(random() % 8 == 0 ? random() % 0x20 : random() % 0x80);
    const auto printed = json_string(text);
    ASSERT_EQ(json_string_size(text), printed.size());
    ASSERT_EQ(json::parse(printed).as_string(), text) << printed;
  }
}

// ---- UTF-8

TEST(Utf8, IsValidExactlyWhenUnicodeCallsItWellFormed) {
  struct Case {
    std::string_view text;
    bool valid;
  };
  constexpr Case cases[] = {
      {""sv, true},
      {"plain"sv, true},
      {"\0"sv, true},
      {"\x7f"sv, true},
      {"\xC2\x80"sv, true},              // U+0080
      {"\xDF\xBF"sv, true},              // U+07FF
      {"\xE0\xA0\x80"sv, true},          // U+0800
      {"\xED\x9F\xBF"sv, true},          // U+D7FF
      {"\xEE\x80\x80"sv, true},          // U+E000
      {"\xEF\xBF\xBF"sv, true},          // U+FFFF
      {"\xF0\x90\x80\x80"sv, true},      // U+10000
      {"\xF4\x8F\xBF\xBF"sv, true},      // U+10FFFF
      {"\x80"sv, false},                 // continuation alone
      {"\xBF"sv, false},                 //
      {"\xC0\x80"sv, false},             // overlong NUL
      {"\xC1\xBF"sv, false},             // overlong U+007F
      {"\xE0\x9F\xBF"sv, false},         // overlong U+07FF
      {"\xED\xA0\x80"sv, false},         // U+D800
      {"\xED\xBF\xBF"sv, false},         // U+DFFF
      {"\xF0\x8F\xBF\xBF"sv, false},     // overlong U+FFFF
      {"\xF4\x90\x80\x80"sv, false},     // U+110000
      {"\xF5\x80\x80\x80"sv, false},     //
      {"\xFF"sv, false},                 //
      {"\xC3"sv, false},                 // cut
      {"\xE2\x82"sv, false},             // cut
      {"\xF0\x9F\x98"sv, false},         // cut
      {"\xC3\x28"sv, false},             // no continuation
      {"good\xC3\xA9then\x80"sv, false}  // bad at the very end
  };
  for (const auto& [text, valid] : cases) {
    SCOPED_TRACE(json_string(to_valid_utf8(text)));
    EXPECT_EQ(is_valid_utf8(text), valid);
    EXPECT_EQ(to_valid_utf8(text) == text, valid);
  }
}

// One U+FFFD for each maximal subpart of an ill-formed sequence: tables 3-8 to 3-11 of the Unicode Standard and the
// border cases of table 3-7.
TEST(Utf8, EachMaximalSubpartThatIsIllFormedBecomesOneReplacementCharacter) {
  struct Case {
    std::string_view text;
    std::string expected;
  };
  const auto r = [](std::size_t count) { return times(kReplacement, count); };
  const Case cases[] = {
      {"\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", r(8) + "A"},               // table 3-8, not shortest form
      {"\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41", r(8) + "A"},               // table 3-9, surrogates
      {"\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42", r(5) + "A" + r(2) + "B"},  // table 3-10, other
      {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", r(4) + "A"},               // table 3-11, cut sequences
      {"\x80", r(1)},
      {"\x80\x80\x80", r(3)},
      {"\xC3", r(1)},
      {"\xC3\x41", r(1) + "A"},
      {"\xC3\xC3\xA9", r(1) + "é"},
      {"\xE2\x82", r(1)},
      {"\xE2\x82\x41", r(1) + "A"},
      {"\xE0\xA0", r(1)},
      {"\xE0\x9F\x80", r(3)},
      {"\xF0\x9F\x98", r(1)},
      {"\xF0\x9F\x98\x41", r(1) + "A"},
      {"\xF0\x90", r(1)},
      {"\xF0\x8F\xBF\xBF", r(4)},
      {"\xF4\x8F\xBF", r(1)},
      {"\xF5\x80\x80\x80", r(4)},
      {"\xFE\xFF", r(2)},
      {"a\xFF"
       "b\xC3\xA9"
       "c\xE2\x82",
       "a" + r(1) + "bé" + "c" + r(1)},
  };
  for (const auto& [text, expected] : cases) {
    SCOPED_TRACE(json_string(expected));
    EXPECT_EQ(to_valid_utf8(text), expected);
  }
}

TEST(Utf8, ABadByteOrACutCharacterIsFoundAtEachPlaceOfATextOfAnyLength) {
  for (const std::string_view bad : {"\x80"sv, "\xFF"sv, "\xC3"sv, "\xE2\x82"sv, "\xF0\x9F\x98"sv, "\xED\xA0\x80"sv}) {
    for (std::size_t before = 0; before <= 40; ++before) {
      for (std::size_t behind = 0; behind <= 20; ++behind) {
        const auto text = std::string(before, 'a') + std::string(bad) + std::string(behind, 'b');
        ASSERT_FALSE(is_valid_utf8(text)) << before << " " << behind;
        const auto repaired =
            std::string(before, 'a') + times(kReplacement, bad == "\xED\xA0\x80"sv ? 3 : 1) + std::string(behind, 'b');
        ASSERT_EQ(to_valid_utf8(text), repaired);
        ASSERT_TRUE(is_valid_utf8(repaired)) << before << " " << behind;
      }
    }
  }
}

TEST(Utf8, AnyTwoBytesBecomeValidAndValidOnesStay) {
  for (unsigned pair = 0; pair < 0x10000; ++pair) {
    const std::string text{'x', static_cast<char>(pair >> 8), static_cast<char>(pair & 0xff), 'y'};
    const auto repaired = to_valid_utf8(text);
    ASSERT_TRUE(is_valid_utf8(repaired)) << pair;
    ASSERT_EQ(repaired == text, is_valid_utf8(text)) << pair;
    ASSERT_TRUE(repaired.starts_with('x') && repaired.ends_with('y')) << pair;
  }
}

TEST(Utf8, EveryCharacterOfUnicodeStays) {
  for (std::uint32_t c = 0; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 7) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else if (c < 0x800) {
      text += static_cast<char>(0xC0 | (c >> 6));
      text += static_cast<char>(0x80 | (c & 63));
    } else if (c < 0x10000) {
      text += static_cast<char>(0xE0 | (c >> 12));
      text += static_cast<char>(0x80 | ((c >> 6) & 63));
      text += static_cast<char>(0x80 | (c & 63));
    } else {
      text += static_cast<char>(0xF0 | (c >> 18));
      text += static_cast<char>(0x80 | ((c >> 12) & 63));
      text += static_cast<char>(0x80 | ((c >> 6) & 63));
      text += static_cast<char>(0x80 | (c & 63));
    }
    ASSERT_TRUE(is_valid_utf8(text)) << c;
    ASSERT_EQ(to_valid_utf8(text), text) << c;
  }
}

TEST(Utf8, APrefixNeverCutsACharacterAndIsTheLongestOne) {
  struct Case {
    std::size_t bytes;
    std::string_view prefix;
  };
  constexpr std::string_view kText = "aé€😀z";  // 1 + 2 + 3 + 4 + 1 bytes
  constexpr Case cases[] = {
      {0, ""},    {1, "a"},   {2, "a"},   {3, "aé"},     {4, "aé"},      {5, "aé"},      {6, "aé€"},
      {7, "aé€"}, {8, "aé€"}, {9, "aé€"}, {10, "aé€😀"}, {11, "aé€😀z"}, {12, "aé€😀z"}, {1000, "aé€😀z"},
  };
  for (const auto& [bytes, prefix] : cases) {
    SCOPED_TRACE(bytes);
    EXPECT_EQ(utf8_prefix(kText, bytes), prefix);
  }
  EXPECT_EQ(utf8_prefix("", 0), "");
  EXPECT_EQ(utf8_prefix("", 5), "");
}

TEST(Utf8, APrefixOfContinuationBytesOnlyIsEmptyAndNoCrash) { EXPECT_EQ(utf8_prefix("\x80\x80\x80", 2), ""); }

// ---- The walk over foreign JSON

struct Good {
  std::string_view text, printed;
  JsonKind kind;
};

constexpr Good kGood[] = {
    {"null", "null", JsonKind::null},
    {"true", "true", JsonKind::boolean},
    {"false", "false", JsonKind::boolean},
    {"0", "0", JsonKind::number},
    {"-0", "-0", JsonKind::number},
    {"10", "10", JsonKind::number},
    {"-1", "-1", JsonKind::number},
    {"0.0", "0.0", JsonKind::number},
    {"0.10", "0.10", JsonKind::number},
    {"-0.5e-7", "-0.5e-7", JsonKind::number},
    {"1E+007", "1E+007", JsonKind::number},
    {"1e400", "1e400", JsonKind::number},
    {"123456789012345678901234567890", "123456789012345678901234567890", JsonKind::number},
    {R"("")", R"("")", JsonKind::string},
    {R"("a b")", R"("a b")", JsonKind::string},
    {R"("\"\\\/\b\f\n\r\t")", R"("\"\\\/\b\f\n\r\t")", JsonKind::string},
    {R"("\u0000\u00e9\uABCD\uffff")", R"("\u0000\u00e9\uABCD\uffff")", JsonKind::string},
    {R"("\ud83d\ude00")", R"("\ud83d\ude00")", JsonKind::string},
    {R"("\uDBFF\uDFFF")", R"("\uDBFF\uDFFF")", JsonKind::string},
    {R"("\\ud800")", R"("\\ud800")", JsonKind::string},
    {"\"é€😀\u2028\x7f\"", "\"é€😀\u2028\x7f\"", JsonKind::string},
    {"[]", "[]", JsonKind::array},
    {"[1]", "[1]", JsonKind::array},
    {"[[],{},\"\",0,null]", "[[],{},\"\",0,null]", JsonKind::array},
    {"{}", "{}", JsonKind::object},
    {R"({"":""})", R"({"":""})", JsonKind::object},
    {R"({"a":1,"a":2})", R"({"a":1,"a":2})", JsonKind::object},
    {R"({"a":{"b":[true,{"c":null}]}})", R"({"a":{"b":[true,{"c":null}]}})", JsonKind::object},
    // White space between tokens goes, so that a line stays a line; inside strings it stays.
    {" \t\r\n1 \t\r\n", "1", JsonKind::number},
    {"[\r\n]", "[]", JsonKind::array},
    {"{ \n }", "{}", JsonKind::object},
    {"{\r\n  \"a b\"\t:\n[ 1 ,\r2 ]\n,\"c\" : { } }\r\n", "{\"a b\":[1,2],\"c\":{}}", JsonKind::object},
};

TEST(CheckedJson, GoodTextsAreTakenWithoutTheSpaceBetweenTokens) {
  for (const auto& [text, printed, kind] : kGood) {
    SCOPED_TRACE(text);
    std::string out = "before ";
    const auto result = append_checked_json(out, text);
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(*result, kind);
    EXPECT_EQ(out, "before " + std::string(printed));
  }
}

struct Bad {
  std::string_view text, why;
};

constexpr Bad kBad[] = {
    {""sv, "empty"},
    {" \r\n"sv, "empty"},
    // Literals
    {"nul"sv, "value"},
    {"nulL"sv, "value"},
    {"True"sv, "value"},
    {"NaN"sv, "value"},
    {"Infinity"sv, "value"},
    {"undefined"sv, "value"},
    {"nullx"sv, "behind"},
    // Numbers
    {"01"sv, "begin with 0"},
    {"-01"sv, "begin with 0"},
    {"00"sv, "begin with 0"},
    {"[1,007]"sv, "begin with 0"},
    {"-"sv, "value"},
    {"+1"sv, "value"},
    {".5"sv, "value"},
    {"1."sv, "value"},
    {"1.e5"sv, "value"},
    {"1e"sv, "value"},
    {"1e+"sv, "value"},
    {"--1"sv, "value"},
    {"-Infinity"sv, "value"},
    {"0x10"sv, "behind"},
    {"1.2.3"sv, "behind"},
    {"1 2"sv, "behind"},
    {"1,"sv, "behind"},
    // Strings
    {"\""sv, "not closed"},
    {"\"abc"sv, "not closed"},
    {"\"abc\\\""sv, "not closed"},
    {"'a'"sv, "value"},
    {"\"\\\""sv, "not closed"},
    {"\"\\"sv, "no such escape"},
    {"\"\\a\""sv, "no such escape"},
    {"\"\\'\""sv, "no such escape"},
    {"\"\\x41\""sv, "no such escape"},
    {"\"\\U0041\""sv, "no such escape"},
    {"\"\\\n\""sv, "no such escape"},
    {"\"\\\0\""sv, "no such escape"},
    {"\"\\u\""sv, "hexadecimal"},
    {"\"\\u12\""sv, "hexadecimal"},
    {"\"\\u12g4\""sv, "hexadecimal"},
    {"\"\\u 123\""sv, "hexadecimal"},
    {"\"\\u+123\""sv, "hexadecimal"},
    {"\"\\u123\0\""sv, "hexadecimal"},
    {"\"\\u123"sv, "hexadecimal"},
    {"\"\\ud800\""sv, "high surrogate"},
    {"\"\\udbff and text\""sv, "high surrogate"},
    {"\"\\ud800\\n\""sv, "high surrogate"},
    {"\"\\ud800\\ud800\""sv, "high surrogate"},
    {"\"\\ud800\\u0041\""sv, "high surrogate"},
    {"\"\\ud800\\ue000\""sv, "high surrogate"},
    {"\"\\ud800\\udbff\""sv, "high surrogate"},
    {"\"\\ud800\\u12\""sv, "hexadecimal"},
    {"\"\\ud800"sv, "high surrogate"},
    {"\"\\udc00\""sv, "low surrogate"},
    {"\"\\uDFFF\""sv, "low surrogate"},
    {"\"\\ude00\\ud83d\""sv, "low surrogate"},
    {"\"a\nb\""sv, "control character"},
    {"\"a\tb\""sv, "control character"},
    {"\"a\rb\""sv, "control character"},
    {"\"\0\""sv, "control character"},
    {"\"\x1f\""sv, "control character"},
    {"\"0123456789abcdef0123456789\x01\""sv, "control character"},
    // Arrays and objects
    {"["sv, "value"},
    {"[1"sv, "','"},
    {"[1,"sv, "value"},
    {"[,]"sv, "value"},
    {"[1,]"sv, "value"},
    {"[1,,2]"sv, "value"},
    {"[1 2]"sv, "','"},
    {"[1}"sv, "','"},
    {"]"sv, "value"},
    {"{"sv, "name"},
    {"{]"sv, "name"},
    {"{\"a\"}"sv, "':'"},
    {"{\"a\" 1}"sv, "':'"},
    {"{\"a\":}"sv, "value"},
    {"{\"a\":1"sv, "','"},
    {"{\"a\":1,}"sv, "name"},
    {"{,\"a\":1}"sv, "name"},
    {"{\"a\":1 \"b\":2}"sv, "','"},
    {"{a:1}"sv, "name"},
    {"{1:1}"sv, "name"},
    {"{\"a\":1]"sv, "','"},
    {"[{\"a\":[1}]"sv, "','"},
    // Behind the value
    {"{}{}"sv, "behind"},
    {"[]]"sv, "behind"},
    {"null null"sv, "behind"},
    {"1\0"sv, "behind"},
    {"{} //"sv, "behind"},
    // What only other formats allow
    {"/* */1"sv, "value"},
    {"\v1"sv, "value"},
    {"\xC2\xA0"
     "1"sv,
     "value"},
    {"\xEF\xBB\xBF"
     "1"sv,
     "value"},
    {"1\f"sv, "behind"},
    // UTF-8
    {"\"\xFF\""sv, "UTF-8"},
    {"\"\xC3\""sv, "UTF-8"},
    {"\"\xED\xA0\x80\""sv, "UTF-8"},
    {"[1]\x80"sv, "UTF-8"},
};

TEST(CheckedJson, BadTextsAreRefusedWithTheReasonAndTheOutputStays) {
  for (const auto& [text, why] : kBad) {
    SCOPED_TRACE(json_string(to_valid_utf8(text)));
    std::string out = "before";
    const auto result = append_checked_json(out, text);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::parse_error);
    EXPECT_EQ(result.error().reason, "invalid_json");
    EXPECT_NE(result.error().message.find(why), std::string::npos) << result.error().message;
    EXPECT_TRUE(is_valid_utf8(result.error().message));
    EXPECT_EQ(out, "before");
  }
}

TEST(CheckedJson, ABadTextIsBadAtTheEndOfALongArrayToo) {
  for (const auto& [text, why] : kBad) {
    if (text.find_first_not_of(" \r\n") == std::string_view::npos) continue;
    SCOPED_TRACE(json_string(to_valid_utf8(text)));
    std::string out = "before";
    const auto long_text = "[" + times("\"some text\",", 1000) + std::string(text) + "]";
    EXPECT_FALSE(append_checked_json(out, long_text).ok());
    EXPECT_EQ(out, "before");
  }
}

TEST(CheckedJson, AnErrorNamesTheByte) {
  struct Case {
    std::string_view text;
    std::int64_t byte;
  };
  constexpr Case cases[] = {
      {"x", 0},    {"  nul", 2},      {"[1,]", 3},        {"[1 2]", 3}, {"{\"a\" 1}", 5}, {"{\"a\":1,}", 7},
      {"{} x", 3}, {"\"ab\ncd\"", 3}, {"\"ab\\xcd\"", 4}, {"[1", 2},    {"\"é\" \"", 5},
  };
  for (const auto& [text, byte] : cases) {
    SCOPED_TRACE(text);
    std::string out;
    const auto result = append_checked_json(out, text);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().position, byte);
    EXPECT_NE(result.error().message.find(fmt::format("at byte {}:", byte)), std::string::npos)
        << result.error().message;
  }
}

std::string nested(std::size_t depth) { return times("[", depth) + times("]", depth); }

std::string nested_mixed(std::size_t depth) {
  std::string open, close;
  for (std::size_t i = 0; i < depth; ++i) {
    open += i % 2 == 0 ? "{\"a\":" : "[";
    close.insert(0, i % 2 == 0 ? "}" : "]");
  }
  return open + "1" + close;
}

TEST(CheckedJson, NestingEndsAtTheLimit) {
  struct Case {
    std::size_t limit, depth;
    bool ok;
  };
  constexpr Case cases[] = {{0, 0, true},  {0, 1, false},    {1, 1, true},      {1, 2, false},     {5, 5, true},
                            {5, 6, false}, {128, 128, true}, {128, 129, false}, {5, 50'000, false}};
  for (const auto& [limit, depth, ok] : cases) {
    SCOPED_TRACE(fmt::format("limit {} depth {}", limit, depth));
    std::string out;
    const JsonWalkLimits limits{.depth = limit};
    if (depth > 0) EXPECT_EQ(append_checked_json(out, nested(depth), limits).ok(), ok);
    EXPECT_EQ(append_checked_json(out, nested_mixed(depth), limits).ok(), ok);
    if (!ok) EXPECT_EQ(out, "");
  }
}

TEST(CheckedJson, TheDefaultDepthIs128) {
  std::string out;
  EXPECT_TRUE(append_checked_json(out, nested(128)).ok());
  const auto deep = append_checked_json(out, nested(129));
  ASSERT_FALSE(deep.ok());
  EXPECT_NE(deep.error().message.find("too deeply"), std::string::npos) << deep.error().message;
  EXPECT_EQ(out, nested(128));
}

TEST(CheckedJson, WhatStandsSideBySideIsNoDepth) {
  std::string out;
  const auto flat = "[" + times("[],", 1000) + "{}]";
  EXPECT_TRUE(append_checked_json(out, flat, {.depth = 2}).ok());
  EXPECT_EQ(out, flat);
}

TEST(CheckedJson, TheLengthOfTheTextIsLimited) {
  std::string out = "before";
  EXPECT_TRUE(append_checked_json(out, "[1,2]", {.bytes = 5}).ok());
  const auto longer = append_checked_json(out, "[1,2] ", {.bytes = 5});
  ASSERT_FALSE(longer.ok());
  EXPECT_EQ(longer.error().code, ErrorCode::parse_error);
  EXPECT_NE(longer.error().message.find("6 bytes"), std::string::npos) << longer.error().message;
  EXPECT_EQ(out, "before[1,2]");
}

TEST(CheckedJson, IntegersBeyond2To53AreQuotedWhenAskedAndOnlyThose) {
  struct Case {
    std::string_view number;
    bool quoted;
  };
  constexpr Case cases[] = {
      {"0", false},
      {"-0", false},
      {"9007199254740990", false},
      {"9007199254740991", false},
      {"9007199254740992", true},
      {"9007199254740993", true},
      {"9007199254740999", true},
      {"9999999999999999", true},
      {"10000000000000000", true},
      {"999999999999999", false},
      {"-9007199254740991", false},
      {"-9007199254740992", true},
      {"-10000000000000000", true},
      {"18446744073709551616", true},
      {"123456789012345678901234567890", true},
      // Not integers by their text: a reader takes them as floating point in any case.
      {"9007199254740993.0", false},
      {"9007199254740993e0", false},
      {"1e300", false},
      {"0.9007199254740993", false},
  };
  for (const auto& [number, quoted] : cases) {
    SCOPED_TRACE(number);
    const auto expected = quoted ? fmt::format("\"{}\"", number) : std::string(number);
    std::string out;
    ASSERT_TRUE(append_checked_json(out, number, {.big_integers = BigIntegers::quote}).ok());
    EXPECT_EQ(out, expected);
    out.clear();
    ASSERT_TRUE(
        append_checked_json(out, fmt::format("{{\"n\":[{}]}}", number), {.big_integers = BigIntegers::quote}).ok());
    EXPECT_EQ(out, fmt::format("{{\"n\":[{}]}}", expected));
    out.clear();
    ASSERT_TRUE(append_checked_json(out, number).ok());
    EXPECT_EQ(out, number) << "kept by default";
  }
}

TEST(CheckedJson, DigitsInAStringAreNoNumber) {
  std::string out;
  ASSERT_TRUE(
      append_checked_json(out, R"({"9007199254740993":"9007199254740993"})", {.big_integers = BigIntegers::quote})
          .ok());
  EXPECT_EQ(out, R"({"9007199254740993":"9007199254740993"})");
}

// Texts put together from JSON's pieces are near misses; a parser of another origin says which of them are JSON.
TEST(CheckedJson, TakesWhatAnotherParserTakesAndRefusesWhatItRefuses) {
  constexpr std::string_view kPieces[] = {
      "{",       "}",       "[",   "]",  ",",  ":",         "\"",    "\\",   "\"a\"", "\"b\":", "\\u",  "\\ud83d",
      "\\ude00", "00e9",    "0",   "1",  "-",  "+",         ".",     "e",    "E5",    "12",     "null", "true",
      "false",   "nul",     " ",   "\n", "\r", "\t",        "\x01",  "\0"sv, "é",     "\xC3",   "\xFF", "[]",
      "{}",      "\"\\n\"", "1.5", "-0", "01", "{\"k\":1}", "[1,2]", "/",    "'",     "\"\\",
  };
  std::mt19937 random(8259);
  int taken = 0;
  for (int round = 0; round < 300'000; ++round) {
    std::string text;
    for (auto pieces = random() % 9; pieces-- > 0;) text += kPieces[random() % std::size(kPieces)];
    std::string out = "x";
    const auto result = append_checked_json(out, text);
    json::error_code error;
    const auto other = json::parse(text, error);
    if (error == json::error::exponent_overflow) continue;  // a limit of that parser, no rule of JSON's
    ASSERT_EQ(result.ok(), !error) << json_string(to_valid_utf8(text)) << ": "
                                   << (result.ok() ? "taken" : result.error().message) << " / " << error.message();
    if (!result.ok()) {
      ASSERT_EQ(out, "x");
      continue;
    }
    ++taken;
    ASSERT_EQ(json::serialize(json::parse(out.substr(1))), json::serialize(other)) << out;
    ASSERT_EQ(out.find_first_of("\r\n"), std::string::npos) << out;
  }
  EXPECT_GT(taken, 1000) << "the pieces no longer make JSON: the test is empty";
}

TEST(CheckedJson, RandomBytesNeverCrashAndNeverGetThroughUnlessTheyAreJson) {
  std::mt19937 random(53);
  for (int round = 0; round < 100'000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = static_cast<char>(random());
    std::string out;
    const auto result = append_checked_json(out, text);
    if (result.ok()) ASSERT_TRUE(is_valid_utf8(out));
    else ASSERT_EQ(out, "");
  }
}

TEST(CheckedJson, GoodTextsWithOneByteChangedNeverCrash) {
  std::mt19937 random(4711);
  for (int round = 0; round < 100'000; ++round) {
    std::string text(kGood[random() % std::size(kGood)].text);
    text[random() % text.size()] = static_cast<char>(random());
    std::string out;
    if (append_checked_json(out, text).ok()) {
      json::error_code error;
      json::parse(out, error);
      ASSERT_TRUE(!error || error == json::error::exponent_overflow) << json_string(out) << error.message();
    }
  }
}

}  // namespace
}  // namespace adit
