#include "adit/base/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace adit {
namespace {

using Names = std::vector<std::string>;

TEST(NearestNames, OneSlipOfTheKeyboardIsForgiven) {
  struct Case {
    std::string_view slip, wanted;
  };
  constexpr Case cases[] = {
      {"a letter is missing", "datset_id"},  {"a letter is doubled", "dattaset_id"},
      {"a letter is another", "dataset-id"}, {"two are swapped", "datasetd_i"},
      {"two are swapped", "adtaset_id"},     {"case", "DATASET_ID"},
      {"the first is missing", "ataset_id"}, {"the last is missing", "dataset_i"},
      {"one is too many", "dataset_ids"},    {"none", "dataset_id"},
  };
  const Names known = {"sql", "limit", "dataset_id", "offset"};
  for (const auto& [slip, wanted] : cases) {
    SCOPED_TRACE(fmt::format("{}: {}", slip, wanted));
    EXPECT_EQ(nearest_names(wanted, known), Names{"dataset_id"});
  }
}

TEST(NearestNames, ASwapOfNeighboursIsOneEdit) {
  // Two edits would be too far for three letters.
  EXPECT_EQ(nearest_names("sqe", Names{"seq"}), Names{"seq"});
  EXPECT_EQ(nearest_names("esq", Names{"seq"}), Names{"seq"});
  EXPECT_EQ(nearest_names("qes", Names{"seq"}), Names{}) << "not neighbours";
}

TEST(NearestNames, AreGivenInTheirOwnSpelling) {
  EXPECT_EQ(nearest_names("state", Names{"STATE", "Statt"}), (Names{"STATE", "Statt"}));
}

TEST(NearestNames, NothingCloseGivesNothing) {
  EXPECT_EQ(nearest_names("temperature", Names{"sql", "limit", "dataset_id"}), Names{});
  EXPECT_EQ(nearest_names("sql", Names{}), Names{});
}

TEST(NearestNames, AThirdOfTheLengthMayDiffer) {
  struct Case {
    std::string_view wanted;
    std::string known;
    bool near;
  };
  const Case cases[] = {
      {"abcdefghi", "xxxdefghi", true},   // 3 of 9
      {"abcdefghi", "xxxxefghi", false},  // 4 of 9
      {"abcdef", "xxcdef", true},         // 2 of 6
      {"abcdef", "xxxdef", false},        // 3 of 6
      {"abcde", "xbcde", true},           // 1 of 5
      {"abcde", "xxcde", false},          // 2 of 5
      {"ab", "xb", true},                 // one edit is always allowed
      {"ab", "xy", false},
      {"abcdefghi", "abcdefghixxx", true},    // 3 more
      {"abcdefghixxx", "abcdefghi", true},    // 3 less
      {"abcdefghi", "abcdefghixxxxx", false}  // 5 of 14
  };
  for (const auto& [wanted, known, near] : cases) {
    SCOPED_TRACE(fmt::format("{} {}", wanted, known));
    EXPECT_EQ(nearest_names(wanted, Names{known}), near ? Names{known} : Names{});
  }
}

TEST(NearestNames, TheBestComesFirstAndEqualOnesKeepTheirOrder) {
  const Names known = {"columnXY", "columnB", "column", "columnA"};
  EXPECT_EQ(nearest_names("column", known, 10), (Names{"column", "columnB", "columnA", "columnXY"}));
}

TEST(NearestNames, NoMoreThanAskedFor) {
  const Names known = {"name1", "name2", "name3", "name4", "name5"};
  EXPECT_EQ(nearest_names("name", known), (Names{"name1", "name2", "name3"})) << "three by default";
  EXPECT_EQ(nearest_names("name", known, 1), Names{"name1"});
  EXPECT_EQ(nearest_names("name", known, 0), Names{});
  EXPECT_EQ(nearest_names("name", known, 99).size(), 5u);
}

TEST(NearestNames, VeryLongNamesAreLeftOut) {
  const std::string longest(128, 'a'), too_long(129, 'a');
  EXPECT_EQ(nearest_names(longest, Names{longest}), Names{longest});
  EXPECT_EQ(nearest_names(longest, Names{too_long}), Names{});
  EXPECT_EQ(nearest_names(too_long, Names{longest}), Names{});
  EXPECT_EQ(nearest_names(std::string(10'000'000, 'a'), Names{longest}), Names{});
}

TEST(NearestNames, AnyBytesAreFine) {
  EXPECT_EQ(nearest_names("größe", Names{"grösse", "größ"}), (Names{"größ", "grösse"}));
  EXPECT_EQ(nearest_names(std::string_view("\0\xFF", 2), Names{std::string("\0\xFE", 2)}).size(), 1u);
}

TEST(SameName, ComparesAsciiWithoutCase) {
  EXPECT_TRUE(same_name("People", "pEOPLE"));
  EXPECT_TRUE(same_name("", ""));
  EXPECT_TRUE(same_name("straße", "STRAßE"));
  EXPECT_FALSE(same_name("a", "ab"));
  EXPECT_FALSE(same_name("a", "b"));
}

}  // namespace
}  // namespace adit
