#include "known_names.h"

#include <gtest/gtest.h>

namespace adit::workspace {
namespace {

using Names = std::vector<std::string>;

TEST(KnownNames, AreComparedAsSqlDoes) {
  KnownNames names;
  for (const auto* name : {"flights", "airports", "late"}) names.add(name);
  names.add("Airports");
  EXPECT_EQ(names.all(), (Names{"flights", "Airports", "late"})) << "it keeps its place";
  names.remove("LATE");
  names.remove("unknown");
  EXPECT_EQ(names.all(), (Names{"flights", "Airports"}));
  names.clear();
  EXPECT_EQ(names.all(), Names());
}

}  // namespace
}  // namespace adit::workspace
