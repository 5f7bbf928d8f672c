#include "adit/base/json_fields.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace adit {
namespace json = boost::json;
namespace {

using namespace std::string_view_literals;

json::object object(std::string_view text) { return json::parse({text.data(), text.size()}).as_object(); }

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, GivesTheTree) {
  const auto value = parse_json(R"( {"a":[1,"é",null]} )");
  ASSERT_TRUE(value.ok()) << value.error().message;
  EXPECT_EQ(*value, (json::value{{"a", json::array{1, "é", nullptr}}}));
}

TEST(ParseJson, WhatIsNoJsonIsAParseError) {
  struct Case {
    std::string_view what, text;
  };
  constexpr Case cases[] = {
      {"nothing", ""sv},
      {"blank", " \n"sv},
      {"a word", "hello"sv},
      {"an open object", "{\"a\":1"sv},
      {"a trailing comma", "[1,]"sv},
      {"two values", "{} {}"sv},
      {"a leading zero", "01"sv},
      {"a comment", "/* */{}"sv},
      {"a lone high surrogate", "\"\\ud800\""sv},
      {"a lone low surrogate", "\"\\udc00\""sv},
      {"a raw line feed", "\"\n\""sv},
      {"a NUL behind", "{}\0"sv},
      {"NaN", "NaN"sv},
      {"a byte that is not UTF-8", "\"\xFF\""sv},
      {"a cut character", "\"\xC3\""sv},
      {"an encoded surrogate", "\"\xED\xA0\x80\""sv},
      {"an overlong form", "\"\xC0\xAF\""sv},
      {"a byte order mark", "\xEF\xBB\xBF{}"sv},
  };
  for (const auto& [what, text] : cases) {
    SCOPED_TRACE(what);
    const auto value = parse_json(text);
    ASSERT_FALSE(value.ok());
    EXPECT_EQ(value.error().code, ErrorCode::parse_error);
    EXPECT_EQ(value.error().reason, "invalid_json");
    EXPECT_FALSE(value.error().message.empty());
  }
}

TEST(ParseJson, DepthIsBounded) {
  EXPECT_TRUE(parse_json(nested(128)).ok());
  EXPECT_FALSE(parse_json(nested(129)).ok());
  EXPECT_FALSE(parse_json(nested(1'000'000)).ok());
  EXPECT_TRUE(parse_json(nested(3), 3).ok());
  EXPECT_FALSE(parse_json(nested(4), 3).ok());
  EXPECT_FALSE(parse_json(R"({"a":{"a":{"a":{}}}})", 3).ok());
}

TEST(FindField, AnAbsentFieldIsANullPointerAndAPresentNullIsNot) {
  const auto fields = object(R"({"a":null,"b":1})");
  EXPECT_EQ(find_field(fields, "c"), nullptr);
  ASSERT_NE(find_field(fields, "a"), nullptr);
  EXPECT_TRUE(find_field(fields, "a")->is_null());
  ASSERT_NE(find_field(fields, "b"), nullptr);
  EXPECT_EQ(*find_field(fields, "b"), 1);
  EXPECT_EQ(find_field(fields, "B"), nullptr) << "names have case";
}

TEST(OptionalText, BlankCountsAsAbsent) {
  const auto fields = object(
      R"({"empty":"","blank":" \t\r\n","null":null,"number":5,"array":["x"],"text":"x","spaced":" x ","nbsp":"\u00a0"})");
  for (const auto* name : {"absent", "empty", "blank", "null", "number", "array"}) {
    EXPECT_EQ(optional_text(fields, name), std::nullopt) << name;
  }
  EXPECT_EQ(optional_text(fields, "text"), "x");
  EXPECT_EQ(optional_text(fields, "spaced"), " x ") << "given as it came";
  EXPECT_EQ(optional_text(fields, "nbsp"), "\u00a0");
}

TEST(TextOr, GivesTheTextOrTheFallback) {
  const auto fields = object(R"({"text":"x","empty":"","number":5,"null":null,"true":true})");
  EXPECT_EQ(text_or(fields, "text", "other"), "x");
  EXPECT_EQ(text_or(fields, "empty", "other"), "");
  for (const auto* name : {"absent", "number", "null", "true"}) EXPECT_EQ(text_or(fields, name, "other"), "other");
}

TEST(IntegerOr, TakesWhatIsExactlyAnIntegerOf64Bits) {
  struct Case {
    std::string_view value;
    std::int64_t expected;
  };
  constexpr std::int64_t kFallback = -77;
  constexpr Case cases[] = {
      {"0", 0},
      {"-5", -5},
      {"9223372036854775807", std::numeric_limits<std::int64_t>::max()},
      {"-9223372036854775808", std::numeric_limits<std::int64_t>::min()},
      {"3.0", 3},
      {"1e3", 1000},
      {"9223372036854775808", kFallback},
      {"18446744073709551615", kFallback},
      {"1e19", kFallback},
      {"1e300", kFallback},
      {"-1e300", kFallback},
      {"1.5", kFallback},
      {"-0.1", kFallback},
      {"\"5\"", kFallback},
      {"true", kFallback},
      {"null", kFallback},
      {"[5]", kFallback},
      {"{}", kFallback},
  };
  for (const auto& [value, expected] : cases) {
    SCOPED_TRACE(value);
    EXPECT_EQ(integer_or(object(fmt::format(R"({{"n":{}}})", value)), "n", kFallback), expected);
  }
  EXPECT_EQ(integer_or(object("{}"), "n", kFallback), kFallback);
}

TEST(BooleanOr, TakesTrueAndFalseOnly) {
  const auto fields = object(R"({"true":true,"false":false,"one":1,"text":"true","null":null})");
  for (const bool fallback : {true, false}) {
    EXPECT_TRUE(boolean_or(fields, "true", fallback));
    EXPECT_FALSE(boolean_or(fields, "false", fallback));
    for (const auto* name : {"absent", "one", "text", "null"}) {
      EXPECT_EQ(boolean_or(fields, name, fallback), fallback) << name;
    }
  }
}

}  // namespace
}  // namespace adit
