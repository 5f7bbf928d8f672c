#include "adit/cdc/wonder_measure.h"

#include "adit/base/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace adit::cdc {
namespace {

TEST(WonderMeasure, ANumberLosesItsCommasAndNothingElse) {
  struct Case {
    std::string_view text, json;
  };
  constexpr Case cases[] = {
      {"0", "0"},
      {"7", "7"},
      {"298", "298"},
      {"1,215,947", "1215947"},
      {"279,040,168", "279040168"},
      {"2391399", "2391399"},
      {"857.0", "857.0"},
      {"1,067.0", "1067.0"},
      {"0.05", "0.05"},
      {"-0.5", "-0.5"},
      {" 5.8\n", "5.8"},
      {"9,007,199,254,740,993", "9007199254740993"},
      {"123456789012345678901234567890.123456789", "123456789012345678901234567890.123456789"},
  };
  for (const auto& [text, json] : cases) {
    SCOPED_TRACE(text);
    const auto measure = parse_measure(text);
    EXPECT_EQ(measure.kind, MeasureKind::number);
    EXPECT_EQ(measure.json(), json);
    EXPECT_FALSE(measure.needs_note());
    std::string checked;
    EXPECT_TRUE(append_checked_json(checked, measure.json()).ok());
    EXPECT_EQ(checked, json);
  }
}

TEST(WonderMeasure, AnEmptyCellIsNullWithoutANote) {
  for (const std::string_view text : {"", " ", "\r\n\t"}) {
    const auto measure = parse_measure(text);
    EXPECT_EQ(measure.kind, MeasureKind::empty);
    EXPECT_EQ(measure.json(), "null");
    EXPECT_FALSE(measure.needs_note());
  }
}

TEST(WonderMeasure, TheThreeTokensAreNullWithANote) {
  struct Case {
    std::string_view text;
    MeasureKind kind;
    std::string_view note;
  };
  constexpr Case cases[] = {
      {"Suppressed", MeasureKind::suppressed, "Suppressed"},
      {"Unreliable", MeasureKind::unreliable, "Unreliable"},
      {"Not Applicable", MeasureKind::not_applicable, "Not Applicable"},
      {" Suppressed ", MeasureKind::suppressed, "Suppressed"},
  };
  for (const auto& [text, kind, note] : cases) {
    SCOPED_TRACE(text);
    const auto measure = parse_measure(text);
    EXPECT_EQ(measure.kind, kind);
    EXPECT_EQ(measure.text, note);
    EXPECT_EQ(measure.json(), "null");
    EXPECT_TRUE(measure.needs_note());
  }
}

TEST(WonderMeasure, WhatIsOnlyNearlyANumberIsKeptAsWritten) {
  constexpr std::string_view kCases[] = {
      "Missing", "suppressed", "NaN",   "1,23", "1,2345", "1234,567",  ",123",
      "1,,234",  "1,234,",     "0,123", "007",  "1.",     ".5",        "1.2.3",
      "1.5,000", "1e6",        "+1",    "--1",  "-",      "5.8%",      "0x10",
      "1 000",   "12 (5)",     "１２",  "\xff", "1.2,3",  "5.1 - 6.4", "20.5 (Unreliable)",
  };
  for (const auto text : kCases) {
    SCOPED_TRACE(json_string(to_valid_utf8(text)));
    const auto measure = parse_measure(text);
    EXPECT_EQ(measure.kind, MeasureKind::other);
    EXPECT_EQ(measure.text, text);
    EXPECT_EQ(measure.json(), "null");
    EXPECT_TRUE(measure.needs_note());
  }
}

TEST(WonderMeasure, AVeryLongNumberKeepsEveryDigit) {
  std::string text = "1", digits = "1";
  for (int group = 0; group < 100'000; ++group) {
    text += ",000";
    digits += "000";
  }
  EXPECT_EQ(parse_measure(text).json(), digits);
}

}  // namespace
}  // namespace adit::cdc
