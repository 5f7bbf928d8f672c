#include "no_proxy.h"

#include <gtest/gtest.h>

namespace adit::net {
namespace {

TEST(NoProxy, NamesMeanThemselvesAndWhatIsBelow) {
  struct Case {
    const char* host;
    const char* list;
    bool bypasses;
  };
  const Case cases[] = {
      {"data.seattle.gov", "", false},
      {"data.seattle.gov", "*", true},
      {"data.seattle.gov", "data.seattle.gov", true},
      {"data.seattle.gov", "seattle.gov", true},
      {"data.seattle.gov", ".seattle.gov", true},
      {"data.seattle.gov", "DATA.Seattle.GOV", true},
      {"data.seattle.gov", "localhost, seattle.gov ,example.org", true},
      {"data.seattle.gov", "attle.gov", false},
      {"data.seattle.gov", "gov.", false},
      {"seattle.gov", "data.seattle.gov", false},
      {"data.seattle.gov", ",,", false},
      {"data.seattle.gov", "example.org,localhost", false},
  };
  for (const auto& [host, list, bypasses] : cases)
    EXPECT_EQ(bypasses_proxy(host, list), bypasses) << host << " / " << list;
}

}  // namespace
}  // namespace adit::net
