#include "adit/socrata/dataset_id.h"

#include "adit/base/json_text.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace adit::socrata {
namespace {

TEST(DatasetId, FourDashFourIsAnId) {
  for (const std::string_view text : {"kzjm-xkqj", "0000-9999", "2u6v-ujjs", "aaaa-aaaa"}) {
    SCOPED_TRACE(text);
    const auto id = DatasetId::parse(text);
    ASSERT_TRUE(id.ok());
    EXPECT_EQ(id->text(), text);
  }
}

TEST(DatasetId, OtherTextIsRefused) {
  constexpr std::string_view kCases[] = {
      "",           "-",         "kzjm",       "kzjmxkqj",  "kzjm-xkq",     "kzjm-xkqjj",  "kzj-xkqj",
      "kzjmm-xkqj", "kzjm_xkqj", "kzjm-xk j",  "kzjm-xk.j", "kzjm--xkq",    "-zjm-xkqj",   "kzjm-xkqé",
      "kzjm–xkqj",  "../../etc", "kzjm-xk%6a", "kzjm-xk*",  "kzjm-xkq\xff", "' OR 1=1 --",
  };
  for (const auto text : kCases) {
    SCOPED_TRACE(json_string(to_valid_utf8(text)));
    const auto id = DatasetId::parse(text);
    ASSERT_FALSE(id.ok());
    EXPECT_EQ(id.error().code, ErrorCode::validation);
    EXPECT_EQ(id.error().reason, "invalid_id");
    EXPECT_TRUE(is_valid_utf8(id.error().message));
    EXPECT_TRUE(id.error().nearest.empty());
    EXPECT_NE(id.error().hint.find("nine characters"), std::string::npos);
  }
}

TEST(DatasetId, AnIdInsideTheTextIsProposedNotTaken) {
  constexpr std::string_view kCases[] = {
      "KZJM-XKQJ",
      " kzjm-xkqj",
      "kzjm-xkqj\n",
      "kzjm-xkqj.json",
      "data.seattle.gov/kzjm-xkqj",
      "https://data.seattle.gov/d/kzjm-xkqj",
      "https://data.seattle.gov/resource/kzjm-xkqj.json?$limit=5",
      "https://data.seattle.gov/Public-Safety/Fire-911-Real-Time-data-feed/kzjm-xkqj/about_data",
  };
  for (const auto text : kCases) {
    SCOPED_TRACE(text);
    const auto id = DatasetId::parse(text);
    ASSERT_FALSE(id.ok());
    EXPECT_EQ(id.error().reason, "invalid_id");
    EXPECT_EQ(id.error().nearest, std::vector<std::string>{"kzjm-xkqj"});
    EXPECT_NE(id.error().hint.find("kzjm-xkqj"), std::string::npos);
  }
}

TEST(DatasetId, PartOfALongerWordIsNotProposed) {
  for (const std::string_view text : {"akzjm-xkqj", "kzjm-xkqj-2020", "year-kzjm-xkqj", "real-timeline"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(DatasetId::parse(text).error().nearest.empty());
  }
}

TEST(DatasetId, AMessageShowsTheBeginningOfALongText) {
  const auto id = DatasetId::parse(std::string(1'000'000, '-'));
  ASSERT_FALSE(id.ok());
  EXPECT_LT(id.error().message.size(), 120u);
}

TEST(DatasetId, ComparesByItsText) {
  const auto a = DatasetId::parse("aaaa-0001").value();
  const auto b = DatasetId::parse("aaaa-0002").value();
  EXPECT_EQ(a, DatasetId::parse("aaaa-0001").value());
  EXPECT_LT(a, b);
  EXPECT_EQ((std::set<DatasetId>{b, a, a}).size(), 2u);
}

}  // namespace
}  // namespace adit::socrata
