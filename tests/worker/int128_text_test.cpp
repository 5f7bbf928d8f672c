#include "cells/int128_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

namespace adit::worker {
namespace {

constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax64 = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMaxU64 = std::numeric_limits<std::uint64_t>::max();

TEST(Int128Text, PrintsEveryDigitOfBothHalves) {
  struct Case {
    duckdb_hugeint value;  // lower, upper
    std::string_view text;
  };
  constexpr Case cases[] = {
      {{0, 0}, "0"},
      {{1, 0}, "1"},
      {{kMaxU64, -1}, "-1"},
      {{10, 0}, "10"},
      {{kMaxU64, 0}, "18446744073709551615"},
      {{0, 1}, "18446744073709551616"},
      {{0, -1}, "-18446744073709551616"},
      {{static_cast<std::uint64_t>(kMin64), -1}, "-9223372036854775808"},
      {{static_cast<std::uint64_t>(kMax64), 0}, "9223372036854775807"},
      {{kMaxU64, kMax64}, "170141183460469231731687303715884105727"},
      {{0, kMin64}, "-170141183460469231731687303715884105728"},
      {{1, kMin64}, "-170141183460469231731687303715884105727"},
  };
  for (const auto& [value, text] : cases) {
    std::string out = "x";
    append_int128(out, to_int128(value));
    EXPECT_EQ(out, "x" + std::string(text));
  }
}

TEST(Int128Text, PrintsUnsignedToTheEnd) {
  std::string out;
  append_uint128(out, to_uint128({kMaxU64, kMaxU64}));
  EXPECT_EQ(out, "340282366920938463463374607431768211455");
  out.clear();
  append_uint128(out, to_uint128({0, std::uint64_t{1} << 63}));
  EXPECT_EQ(out, "170141183460469231731687303715884105728");
  out.clear();
  append_uint128(out, 0);
  EXPECT_EQ(out, "0");
}

TEST(DecimalText, HasExactlyTheDigitsOfItsScale) {
  struct Case {
    std::int64_t value;
    int scale;
    std::string_view text;
  };
  constexpr Case cases[] = {
      {0, 0, "0"},
      {0, 2, "0.00"},
      {5, 0, "5"},
      {5, 1, "0.5"},
      {5, 3, "0.005"},
      {-5, 3, "-0.005"},
      {-5, 0, "-5"},
      {12345, 2, "123.45"},
      {12345, 5, "0.12345"},
      {12345, 4, "1.2345"},
      {-12345, 5, "-0.12345"},
      {100, 2, "1.00"},
      {-100, 2, "-1.00"},
      {99, 2, "0.99"},
      {10, 1, "1.0"},
      {kMin64, 18, "-9.223372036854775808"},
      {kMax64, 18, "9.223372036854775807"},
  };
  for (const auto& [value, scale, text] : cases) {
    std::string out = "x";
    append_decimal(out, value, scale);
    EXPECT_EQ(out, "x" + std::string(text));
  }
}

TEST(DecimalText, OfTheWidestValues) {
  const auto power = [](int exponent) {
    Int128 value = 1;
    while (exponent-- > 0) value *= 10;
    return value;
  };
  std::string out;
  append_decimal(out, power(38) - 1, 38);
  EXPECT_EQ(out, "0." + std::string(38, '9'));
  out.clear();
  append_decimal(out, 1 - power(38), 0);
  EXPECT_EQ(out, "-" + std::string(38, '9'));
  out.clear();
  append_decimal(out, 1 - power(38), 1);
  EXPECT_EQ(out, "-" + std::string(37, '9') + ".9");
  out.clear();
  append_decimal(out, 1, 38);
  EXPECT_EQ(out, "0." + std::string(37, '0') + "1");
}

}  // namespace
}  // namespace adit::worker
