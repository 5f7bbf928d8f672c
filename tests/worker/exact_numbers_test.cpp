// From the texts of a column to the type that holds each of them exactly.
#include "sources/exact_numbers.h"

#include "worker/opened_engine.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <limits>

namespace adit::worker {
namespace {

constexpr auto kAllDigits = std::numeric_limits<std::size_t>::max();

class ExactNumbers : public testing::Test {
 protected:
  static void SetUpTestSuite() { engine_ = std::make_unique<OpenedEngine>(); }
  static void TearDownTestSuite() { engine_.reset(); }

  static inline std::vector<std::string> rounded_;

  // "TYPE: value, value", for texts of a column that the reader found to be of type `found`.
  static std::string typed(const std::vector<std::string>& texts, const std::string& found,
                           std::size_t digits = kAllDigits) {
    std::string rows;
    for (const auto& text : texts)
      rows += (rows.empty() ? "(" : ", (") + (text == "NULL" ? text : quoted_literal(text)) + ")";
    engine_->run("CREATE TABLE staging (c VARCHAR)");
    if (!rows.empty()) engine_->run("INSERT INTO staging VALUES " + rows);
    std::vector<std::string> rounded;
    const auto done = type_numbers(**engine_, "staging", "result", {{.name = "c", .type = found}}, digits, rounded_);
    if (!done.ok()) {
      engine_->run("DROP TABLE IF EXISTS staging");
      return "ERROR " + done.error().message;
    }
    auto text = engine_->value("SELECT column_type FROM (DESCRIBE result)") + ":";
    for (const auto& row : engine_->rows("SELECT coalesce(c::VARCHAR, 'NULL') FROM result")) {
      text += (text.ends_with(':') ? " " : ", ") + row[0];
    }
    EXPECT_EQ(engine_->value("SELECT count(*)::VARCHAR FROM duckdb_tables() WHERE table_name = 'staging'"), "0");
    engine_->run("DROP TABLE result");
    if (!rounded.empty()) text += " rounded";
    return text;
  }

  static std::unique_ptr<OpenedEngine> engine_;
};

std::unique_ptr<OpenedEngine> ExactNumbers::engine_;

TEST_F(ExactNumbers, WholeNumbersAreIntegersOfTheSizeTheyNeed) {
  EXPECT_EQ(typed({"1", "-2", "0"}, "BIGINT"), "BIGINT: 1, -2, 0");
  EXPECT_EQ(typed({"9223372036854775807", "-9223372036854775808"}, "BIGINT"),
            "BIGINT: 9223372036854775807, -9223372036854775808");
  EXPECT_EQ(typed({"999999999999999999"}, "DOUBLE"), "BIGINT: 999999999999999999");
  EXPECT_EQ(typed({"18446744073709551615"}, "UBIGINT"), "HUGEINT: 18446744073709551615");
  EXPECT_EQ(typed({"99999999999999999999999999999999999999"}, "HUGEINT"),
            "HUGEINT: 99999999999999999999999999999999999999");
  EXPECT_EQ(typed({"99999999999999999999999999999999999999"}, "DOUBLE"),
            "HUGEINT: 99999999999999999999999999999999999999");
  EXPECT_EQ(typed({"1.", "2."}, "DOUBLE"), "BIGINT: 1, 2");
}

TEST_F(ExactNumbers, DoubleIsForWhatIsWrittenSo) {
  EXPECT_EQ(typed({"1e3", "2.5"}, "DOUBLE"), "DOUBLE: 1000.0, 2.5");
  EXPECT_EQ(typed({"nan", "1.5"}, "DOUBLE"), "DOUBLE: nan, 1.5");
  EXPECT_EQ(typed({"inf", "-inf"}, "DOUBLE"), "DOUBLE: inf, -inf");
}

TEST_F(ExactNumbers, WhatOnlyTheReaderTakesForANumberIsText) {
  EXPECT_EQ(typed({"0x1F", "1"}, "BIGINT"), "VARCHAR: 0x1F, 1");
  EXPECT_EQ(typed({"1_000"}, "BIGINT"), "VARCHAR: 1_000");
}

TEST_F(ExactNumbers, EmptyTextsAreNull) {
  EXPECT_EQ(typed({"1.5", "", "NULL", " "}, "DOUBLE"), "DECIMAL(2,1): 1.5, NULL, NULL, NULL");
  EXPECT_EQ(typed({"NULL", "NULL"}, "DOUBLE"), "BIGINT: NULL, NULL");
  EXPECT_EQ(typed({}, "DOUBLE"), "BIGINT:");
  EXPECT_EQ(typed({" 12 ", "3"}, "BIGINT"), "BIGINT: 12, 3");
  EXPECT_EQ(typed({" 007 "}, "BIGINT"), "VARCHAR:  007 ");
}

TEST_F(ExactNumbers, OtherColumnsAndNamesAreLeftAlone) {
  engine_->run("CREATE TABLE \"sta \"\"ging\" (\"a b\" VARCHAR, d DATE, \"n\"\"n\" VARCHAR, t VARCHAR)");
  engine_->run("INSERT INTO \"sta \"\"ging\" VALUES ('1.50', DATE '2020-01-01', '7', '1.50')");
  std::vector<std::string> rounded;
  const auto done = type_numbers(**engine_, "sta \"ging", "re'sult",
                                 {{.name = "a b", .type = "DOUBLE"},
                                  {.name = "d", .type = "DATE"},
                                  {.name = "n\"n", .type = "BIGINT"},
                                  {.name = "t", .type = "VARCHAR"}},
                                 kAllDigits, rounded_);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(engine_->value("SELECT string_agg(column_name || ' ' || column_type, ', ') FROM (DESCRIBE \"re'sult\")"),
            "a b DECIMAL(3,2), d DATE, n\"n BIGINT, t VARCHAR");
  EXPECT_EQ(engine_->value("SELECT \"a b\" || '|' || d || '|' || \"n\"\"n\" || '|' || t FROM \"re'sult\""),
            "1.50|2020-01-01|7|1.50");
}

TEST_F(ExactNumbers, WithoutNumbersTheStagingTableIsTheResult) {
  engine_->run("CREATE TABLE staging (t VARCHAR)");
  ASSERT_TRUE(
      type_numbers(**engine_, "staging", "renamed", {{.name = "t", .type = "VARCHAR"}}, kAllDigits, rounded_).ok());
  EXPECT_EQ(engine_->value("SELECT count(*)::VARCHAR FROM renamed"), "0");
  engine_->run("DROP TABLE renamed");
}

TEST(StagingType, NumbersAreReadAsTheirTexts) {
  for (const char* type : {"BIGINT", "UBIGINT", "HUGEINT", "DOUBLE"})
    EXPECT_EQ(staging_type({"c", type}), "VARCHAR") << type;
  for (const char* type : {"VARCHAR", "DATE", "BOOLEAN", "TIMESTAMP", "BIGINT[]", "STRUCT(a BIGINT)", "DECIMAL(3,1)"}) {
    EXPECT_EQ(staging_type({"c", type}), type);
  }
}

}  // namespace
}  // namespace adit::worker
