#include "adit/base/random_id.h"

#include <gtest/gtest.h>

#include <set>

namespace adit {
namespace {

TEST(RandomId, Is22CharactersOfBase64UrlAndNeverTheSame) {
  std::set<std::string> ids;
  std::set<char> characters;
  for (int i = 0; i < 1'000; ++i) {
    const auto id = random_id();
    ASSERT_EQ(id.size(), 22u);
    characters.insert(id.begin(), id.end());
    ASSERT_TRUE(ids.insert(id).second);
    // The last character carries the two bits that are left of 128.
    ASSERT_NE(std::string("AQgw").find(id.back()), std::string::npos);
  }
  EXPECT_EQ(characters.size(), 64u);
}

}  // namespace
}  // namespace adit
