#include "adit/dex/mutf8.h"

#include "adit/base/json_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

namespace adit::dex {
namespace {

using namespace std::string_view_literals;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

constexpr std::string_view kShown = "\xEF\xBF\xBD";  // U+FFFD

std::string shown(int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += kShown;
  return out;
}

TEST(Mutf8, WellFormedTextBecomesUtf8) {
  struct Case {
    std::string_view bytes, text;
    std::size_t utf16_length;
    bool ascii;
  };
  constexpr Case cases[] = {
      {"", "", 0, true},
      {"Ljava/lang/Object;", "Ljava/lang/Object;", 18, true},
      {"\x01\x7F", "\x01\x7F", 2, true},
      {"Ll/\xDB\xA1;", "Ll/\u06E1;", 5, false},
      {"Ll/\xE1\xA9\xBB;", "Ll/\u1A7B;", 5, false},
      {"a\xC0\x80"
       "b"sv,
       "a\0b"sv, 3, false},
      {"\xC2\x80\xDF\xBF", "\u0080\u07FF", 2, false},
      {"\xE0\xA0\x80\xEF\xBF\xBF", "\u0800\uFFFF", 2, false},
      {"\xED\x9F\xBF\xEE\x80\x80", "\uD7FF\uE000", 2, false},
      {"\xEF\xBF\xBD", "\uFFFD", 1, false},
      {"\xED\xA0\x80\xED\xB0\x80", "\U00010000", 2, false},
      {"x\xED\xA0\xBD\xED\xB8\x80y", "x\U0001F600y", 4, false},
      {"\xED\xAF\xBF\xED\xBF\xBF", "\U0010FFFF", 2, false},
  };
  for (const auto& [bytes, text, utf16_length, ascii] : cases) {
    SCOPED_TRACE(json_string(text));
    const auto decoded = decode_mutf8(bytes_of(bytes));
    EXPECT_EQ(decoded.text, text);
    EXPECT_EQ(decoded.utf16_length, utf16_length);
    EXPECT_EQ(decoded.ascii, ascii);
    EXPECT_TRUE(decoded.well_formed());
  }
}

TEST(Mutf8, ALoneSurrogateIsShownAndCounted) {
  struct Case {
    std::string_view name, bytes;
    std::string text;
    std::size_t utf16_length, lone;
  };
  const Case cases[] = {
      {"high alone", "\xED\xA0\x80", shown(1), 1, 1},
      {"low alone", "\xED\xB0\x80", shown(1), 1, 1},
      {"high before a letter", "\xED\xA0\xBDz", shown(1) + "z", 2, 1},
      {"low before high", "\xED\xB8\x80\xED\xA0\xBD", shown(2), 2, 2},
      {"high before a pair", "\xED\xA0\xBD\xED\xA0\xBD\xED\xB8\x80", shown(1) + "\U0001F600", 3, 1},
      {"high before another character", "\xED\xA0\xBD\xC3\xA9", shown(1) + "é", 2, 1},
  };
  for (const auto& [name, bytes, text, utf16_length, lone] : cases) {
    SCOPED_TRACE(name);
    const auto decoded = decode_mutf8(bytes_of(bytes));
    EXPECT_EQ(decoded.text, text);
    EXPECT_EQ(decoded.utf16_length, utf16_length);
    EXPECT_EQ(decoded.lone_surrogates, lone);
    EXPECT_EQ(decoded.damaged_parts, 0u);
    EXPECT_FALSE(decoded.well_formed());
  }
}

TEST(Mutf8, DamageIsShownAndWhatFollowsIsRead) {
  struct Case {
    std::string_view name, bytes;
    std::string text;
    std::size_t parts;
  };
  const Case cases[] = {
      {"tail without a lead", "a\x80z", "a" + shown(1) + "z", 1},
      {"two bytes cut", "a\xC3", "a" + shown(1), 1},
      {"three bytes cut after one", "\xE2z", shown(1) + "z", 1},
      {"three bytes cut after two", "\xE2\x82z", shown(1) + "z", 1},
      {"smallest three bytes cut after two", "\xE0\xA0z", shown(1) + "z", 1},
      {"cut surrogate", "\xED\xA0", shown(1), 1},
      {"overlong letter", "\xC1\x81", shown(2), 2},
      {"overlong zero of three bytes", "\xE0\x80\x80z", shown(3) + "z", 3},
      {"four bytes of plain UTF-8", "\xF0\x9F\x98\x80z", shown(4) + "z", 4},
      {"bytes of no encoding", "\xFE\xFF", shown(2), 2},
      {"bare zero", "a\0z"sv, "a" + shown(1) + "z", 1},
  };
  for (const auto& [name, bytes, text, parts] : cases) {
    SCOPED_TRACE(name);
    const auto decoded = decode_mutf8(bytes_of(bytes));
    EXPECT_EQ(decoded.text, text);
    EXPECT_EQ(decoded.damaged_parts, parts);
    EXPECT_FALSE(decoded.well_formed());
    EXPECT_FALSE(decoded.ascii);
  }
}

TEST(StringData, EndsAtTheZeroByteWhateverLengthIsDeclared) {
  struct Case {
    std::string_view name, bytes, text;
    std::uint32_t declared;
    std::size_t text_offset;
    bool matches;
  };
  constexpr Case cases[] = {
      {"empty",
       "\0"
       "\0next"sv,
       "", 0, 1, true},
      {"right length", "\x05Ll/\xDB\xA1;\0next"sv, "Ll/\u06E1;", 5, 1, true},
      {"length of bytes", "\x06Ll/\xDB\xA1;\0"sv, "Ll/\u06E1;", 6, 1, false},
      {"too short a length",
       "\x01"
       "abc\0"sv,
       "abc", 1, 1, false},
      {"a length beyond the file",
       "\xFF\xFF\xFF\xFF\x0F"
       "abc\0"sv,
       "abc", 0xFFFFFFFF, 5, false},
      {"a length in more bytes than needed",
       "\x83\x80\x00"
       "abc\0"sv,
       "abc", 3, 3, true},
      {"a pair counts two", "\x02\xED\xA0\xBD\xED\xB8\x80\0"sv, "\U0001F600", 2, 1, true},
      {"an encoded zero goes on",
       "\x03"
       "a\xC0\x80"
       "b\0"sv,
       "a\0b"sv, 3, 1, true},
  };
  for (const auto& [name, bytes, text, declared, text_offset, matches] : cases) {
    SCOPED_TRACE(name);
    const auto data = read_string_data(bytes_of(bytes));
    ASSERT_TRUE(data.ok()) << data.error().message;
    EXPECT_EQ(data->value.text, text);
    EXPECT_EQ(data->declared_utf16_length, declared);
    EXPECT_EQ(data->text_offset, text_offset);
    EXPECT_EQ(bytes[text_offset + data->text_bytes], '\0');
    EXPECT_EQ(data->length_matches(), matches);
  }
}

TEST(StringData, AStringThatTheFileCutsOffIsAnError) {
  struct Case {
    std::string_view name, bytes;
    std::int64_t position;
  };
  constexpr Case cases[] = {
      {"nothing", "", 0},
      {"length only", "\x03", 1},
      {"length cut", "\x83", 1},
      {"no zero byte",
       "\x03"
       "abc",
       4},
      {"length of 33 bits",
       "\xFF\xFF\xFF\xFF\x10"
       "abc\0"sv,
       4},
      {"length of six bytes", "\xFF\xFF\xFF\xFF\x8F\x00"sv, 4},
  };
  for (const auto& [name, bytes, position] : cases) {
    SCOPED_TRACE(name);
    const auto data = read_string_data(bytes_of(bytes));
    ASSERT_FALSE(data.ok());
    EXPECT_EQ(data.error().code, ErrorCode::validation);
    EXPECT_EQ(data.error().reason, "malformed_dex");
    EXPECT_EQ(data.error().position, position);
  }
}

TEST(Mutf8, AnyBytesGiveValidUtf8OfACountedLength) {
  constexpr std::string_view kAlphabet = "az\x80\xA0\xB0\xBF\xC0\xC3\xE0\xE2\xED\xED\xED\xEF\xF0\xFF";
  std::mt19937 random(35);
  for (int round = 0; round < 50'000; ++round) {
    std::string bytes(random() % 16, '\0');
    for (char& c : bytes) c = kAlphabet[random() % kAlphabet.size()];
    const auto decoded = decode_mutf8(bytes_of(bytes));
    ASSERT_TRUE(is_valid_utf8(decoded.text));
    // A character of four bytes has two units, every other one unit.
    std::size_t units = 0;
    for (const char c : decoded.text) {
      const auto byte = static_cast<unsigned char>(c);
      units += byte >= 0xF0 ? 2 : (byte & 0xC0) != 0x80 ? 1 : 0;
    }
    ASSERT_EQ(decoded.utf16_length, units);
    ASSERT_LE(decoded.lone_surrogates + decoded.damaged_parts, units);
  }
}

}  // namespace
}  // namespace adit::dex
