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

  // "TYPE: value, value", for texts of a column that the reader found to be of type `found`.
  static std::string typed(const std::vector<std::string>& texts, const std::string& found,
                           std::size_t digits = kAllDigits) {
    std::string rows;
    for (const auto& text : texts)
      rows += (rows.empty() ? "(" : ", (") + (text == "NULL" ? text : quoted_literal(text)) + ")";
    engine_->run("CREATE TABLE staging (c VARCHAR)");
    if (!rows.empty()) engine_->run("INSERT INTO staging VALUES " + rows);
    std::vector<TypingNote> notes;
    const auto done = type_columns(**engine_, "staging", "result", {{.name = "c", .type = found}}, digits, notes);
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
    for (const auto& note : notes) {
      text += note.what == TypingNote::What::rounded     ? " rounded"
              : note.what == TypingNote::What::too_large ? " too large"
                                                         : " other";
    }
    return text;
  }

  static std::unique_ptr<OpenedEngine> engine_;
};

std::unique_ptr<OpenedEngine> ExactNumbers::engine_;

TEST_F(ExactNumbers, PlainDecimalsKeepEveryDigit) {
  EXPECT_EQ(typed({"1.5", "2.25"}, "DOUBLE"), "DECIMAL(3,2): 1.50, 2.25");
  EXPECT_EQ(typed({"0.1", "-0.2"}, "DOUBLE"), "DECIMAL(1,1): .1, -.2");
  EXPECT_EQ(typed({"100", "0.001"}, "DOUBLE"), "DECIMAL(6,3): 100.000, 0.001");
  EXPECT_EQ(typed({"+1.5", "-1.5"}, "DOUBLE"), "DECIMAL(2,1): 1.5, -1.5");
  EXPECT_EQ(typed({".5", "-.25"}, "DOUBLE"), "DECIMAL(2,2): .50, -.25");
  EXPECT_EQ(typed({"258914509.4001149"}, "DOUBLE"), "DECIMAL(16,7): 258914509.4001149");
  EXPECT_EQ(typed({"12345678901234567890.123456789012345678"}, "DOUBLE"),
            "DECIMAL(38,18): 12345678901234567890.123456789012345678");
}

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

TEST_F(ExactNumbers, WhatNoExactTypeHoldsIsRoundedAndTold) {
  EXPECT_EQ(typed({"0.1234567890123456789"}, "DOUBLE"), "DOUBLE: 0.12345678901234568 rounded");
  EXPECT_EQ(typed({"123456789012345678901.123456789012345678"}, "DOUBLE"), "DOUBLE: 1.2345678901234568e+20 rounded");
  // Each fits alone, and not both together: 20 digits before the point and 19 behind it.
  EXPECT_EQ(typed({"12345678901234567890", "0.1234567890123456789"}, "DOUBLE"),
            "DOUBLE: 1.2345678901234567e+19, 0.12345678901234568 rounded");
  EXPECT_EQ(typed({std::string(39, '9')}, "DOUBLE"), "DOUBLE: 1e+39 rounded");
}

TEST_F(ExactNumbers, WhatDoubleDoesNotHoldStaysTextAndIsTold) {
  EXPECT_EQ(typed({"1e400", "1"}, "DOUBLE"), "VARCHAR: 1e400, 1 too large");
  EXPECT_EQ(typed({"-1e400"}, "DOUBLE"), "VARCHAR: -1e400 too large");
  EXPECT_EQ(typed({"1.7976931348623157e308"}, "DOUBLE"), "DOUBLE: 1.7976931348623157e+308");
  EXPECT_EQ(typed({"1.7976931348623159e308"}, "DOUBLE"), "VARCHAR: 1.7976931348623159e308 too large");
  EXPECT_EQ(typed({std::string(309, '9')}, "DOUBLE"), "VARCHAR: " + std::string(309, '9') + " too large");
  EXPECT_EQ(typed({std::string(310, '9')}, "DOUBLE"), "VARCHAR: " + std::string(310, '9') + " too large");
  EXPECT_EQ(typed({"1e-400"}, "DOUBLE"), "DOUBLE: 0.0 rounded");
  EXPECT_EQ(typed({"0e-400"}, "DOUBLE"), "DOUBLE: 0.0");
  EXPECT_EQ(typed({"1.234567890123456789e5"}, "DOUBLE"), "DOUBLE: 123456.78901234567 rounded");
}

TEST_F(ExactNumbers, IntegersEndWhereTheLargestTypesEnd) {
  const std::string signed_most = "170141183460469231731687303715884105727";
  const std::string unsigned_most = "340282366920938463463374607431768211455";
  EXPECT_EQ(typed({"9223372036854775808"}, "DOUBLE"), "HUGEINT: 9223372036854775808");
  EXPECT_EQ(typed({signed_most, "-170141183460469231731687303715884105728"}, "DOUBLE"),
            "HUGEINT: " + signed_most + ", -170141183460469231731687303715884105728");
  EXPECT_EQ(typed({unsigned_most, "0"}, "DOUBLE"), "UHUGEINT: " + unsigned_most + ", 0");
  EXPECT_EQ(typed({unsigned_most, "-1"}, "DOUBLE"), "DOUBLE: 3.402823669209385e+38, -1.0 rounded");
  EXPECT_EQ(typed({"340282366920938463463374607431768211456"}, "DOUBLE"), "DOUBLE: 3.402823669209385e+38 rounded");
}

TEST_F(ExactNumbers, WhatOnlyTheReaderTakesForANumberIsText) {
  EXPECT_EQ(typed({"0x1F", "1"}, "BIGINT"), "VARCHAR: 0x1F, 1");
  EXPECT_EQ(typed({"1_000"}, "BIGINT"), "VARCHAR: 1_000");
}

TEST_F(ExactNumbers, PaddedNumbersStayText) {
  EXPECT_EQ(typed({"007", "1"}, "BIGINT"), "VARCHAR: 007, 1");
  EXPECT_EQ(typed({"-01"}, "BIGINT"), "VARCHAR: -01");
  EXPECT_EQ(typed({"00.5"}, "DOUBLE"), "VARCHAR: 00.5");
  EXPECT_EQ(typed({"00"}, "BIGINT"), "VARCHAR: 00");
  EXPECT_EQ(typed({"0", "0.5"}, "DOUBLE"), "DECIMAL(1,1): .0, .5");
  EXPECT_EQ(typed({"0", "10"}, "BIGINT"), "BIGINT: 0, 10");
}

TEST_F(ExactNumbers, EmptyTextsAreNull) {
  EXPECT_EQ(typed({"1.5", "", "NULL", " "}, "DOUBLE"), "DECIMAL(2,1): 1.5, NULL, NULL, NULL");
  EXPECT_EQ(typed({"NULL", "NULL"}, "DOUBLE"), "BIGINT: NULL, NULL");
  EXPECT_EQ(typed({}, "DOUBLE"), "BIGINT:");
  EXPECT_EQ(typed({" 12 ", "3"}, "BIGINT"), "BIGINT: 12, 3");
  EXPECT_EQ(typed({" 007 "}, "BIGINT"), "VARCHAR:  007 ");
}

TEST_F(ExactNumbers, UntrustedDigitsAreNotPromised) {
  EXPECT_EQ(typed({"1.5", "123456789012.345"}, "DOUBLE", 15), "DECIMAL(15,3): 1.500, 123456789012.345");
  EXPECT_EQ(typed({"1.5", "1234567890123.456"}, "DOUBLE", 15), "DOUBLE: 1.5, 1234567890123.456 rounded");
  // Whole numbers do not come through DOUBLE.
  EXPECT_EQ(typed({"1234567890123456789"}, "BIGINT", 15), "BIGINT: 1234567890123456789");
}

TEST_F(ExactNumbers, OtherColumnsAndNamesAreLeftAlone) {
  engine_->run("CREATE TABLE \"sta \"\"ging\" (\"a b\" VARCHAR, d DATE, \"n\"\"n\" VARCHAR, t VARCHAR)");
  engine_->run("INSERT INTO \"sta \"\"ging\" VALUES ('1.50', DATE '2020-01-01', '7', '1.50')");
  std::vector<TypingNote> notes;
  const auto done = type_columns(**engine_, "sta \"ging", "re'sult",
                                 {{.name = "a b", .type = "DOUBLE"},
                                  {.name = "d", .type = "DATE"},
                                  {.name = "n\"n", .type = "BIGINT"},
                                  {.name = "t", .type = "VARCHAR"}},
                                 kAllDigits, notes);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_EQ(engine_->value("SELECT string_agg(column_name || ' ' || column_type, ', ') FROM (DESCRIBE \"re'sult\")"),
            "a b DECIMAL(3,2), d DATE, n\"n BIGINT, t VARCHAR");
  EXPECT_EQ(engine_->value("SELECT \"a b\" || '|' || d || '|' || \"n\"\"n\" || '|' || t FROM \"re'sult\""),
            "1.50|2020-01-01|7|1.50");
}

TEST_F(ExactNumbers, WithoutNumbersTheStagingTableIsTheResult) {
  engine_->run("CREATE TABLE staging (t VARCHAR)");
  std::vector<TypingNote> notes;
  ASSERT_TRUE(
      type_columns(**engine_, "staging", "renamed", {{.name = "t", .type = "VARCHAR"}}, kAllDigits, notes).ok());
  EXPECT_EQ(engine_->value("SELECT count(*)::VARCHAR FROM renamed"), "0");
  engine_->run("DROP TABLE renamed");
}

TEST(StagingType, NumbersTruthAndTimesAreReadAsTheirTexts) {
  for (const char* type : {"BIGINT", "UBIGINT", "HUGEINT", "DOUBLE", "BOOLEAN", "TIME", "TIMESTAMP"})
    EXPECT_EQ(staging_type({"c", type}), "VARCHAR") << type;
  for (const char* type : {"VARCHAR", "DATE", "BIGINT[]", "STRUCT(a BIGINT)", "DECIMAL(3,1)"}) {
    EXPECT_EQ(staging_type({"c", type}), type);
  }
}

}  // namespace
}  // namespace adit::worker
