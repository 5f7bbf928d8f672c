#include "relation_catalog.h"

#include "worker/opened_engine.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace adit::worker {
namespace {

namespace fs = std::filesystem;

// A workspace of views that know what they use, whatever their text says.
class Catalog : public testing::Test {
 protected:
  void source(const std::string& name) {
    engine_.run("CREATE TABLE " + quoted_identifier(name) + " (i INTEGER)");
    RelationRecord record;
    record.name = name;
    record.kind = "source";
    record.source = name + ".csv";
    ASSERT_TRUE(keep_record(*engine_, record, "TABLE").ok());
  }
  void view(const std::string& name, std::vector<std::string> uses, bool is_volatile = false) {
    engine_.run("CREATE VIEW " + quoted_identifier(name) + " AS SELECT 1 AS i");
    RelationRecord record;
    record.name = name;
    record.kind = "create_view";
    record.uses = std::move(uses);
    record.is_volatile = is_volatile;
    record.sql = "SELECT 1 AS i";
    ASSERT_TRUE(keep_record(*engine_, record, "VIEW").ok());
  }
  std::string reached(const std::vector<std::string>& names) {
    const auto catalog = engine_.catalog();
    std::string text;
    for (const auto* relation : catalog.reached_from(names)) text += (text.empty() ? "" : " ") + relation->name;
    return text;
  }
  std::string dependants(std::string_view name) {
    return fmt::format("{}", fmt::join(engine_.catalog().dependants(name), " "));
  }

  OpenedEngine engine_;
};

TEST_F(Catalog, OfANewWorkspaceIsEmpty) {
  const auto catalog = engine_.catalog();
  EXPECT_TRUE(catalog.relations().empty());
  EXPECT_TRUE(catalog.names().empty());
  EXPECT_EQ(catalog.find("x"), nullptr);
}

TEST_F(Catalog, GivesBackEveryFieldOfARecord) {
  const auto file = engine_.directory().write("a b.parquet", "12345");
  engine_.run("CREATE VIEW \"p \"\"q\"\"\" AS SELECT 1 AS i");
  const RelationRecord source{.name = "p \"q\"",
                              .kind = "source",
                              .source = "folder/it's é.parquet",
                              .file = file_state(file),
                              .uses = {},
                              .is_volatile = false,
                              .sql = {}};
  ASSERT_TRUE(keep_record(*engine_, source, "VIEW").ok());
  engine_.run("CREATE VIEW v AS SELECT 1 AS i");
  const RelationRecord defined{.name = "v",
                               .kind = "create_temp_table",
                               .source = {},
                               .file = {},
                               .uses = {"p \"q\"", "other"},
                               .is_volatile = true,
                               .sql = "SELECT 'it''s' -- \"é\"\n"};
  ASSERT_TRUE(keep_record(*engine_, defined, "VIEW").ok());

  const auto catalog = engine_.catalog();
  EXPECT_EQ(catalog.names(), (std::vector<std::string>{"p \"q\"", "v"}));
  const auto* kept = catalog.find("P \"Q\"");
  ASSERT_NE(kept, nullptr);
  EXPECT_TRUE(kept->is_source());
  EXPECT_EQ(kept->source, source.source);
  ASSERT_TRUE(kept->file);
  EXPECT_EQ(kept->file->path, file);
  EXPECT_EQ(kept->file->size, 5);
  EXPECT_EQ(kept->file->modified_ns, source.file->modified_ns);
  EXPECT_EQ(kept->file->inode, source.file->inode);
  const auto* view = catalog.find("v");
  ASSERT_NE(view, nullptr);
  EXPECT_FALSE(view->is_source());
  EXPECT_EQ(view->kind, "create_temp_table");
  EXPECT_EQ(view->uses, defined.uses);
  EXPECT_TRUE(view->is_volatile);
  EXPECT_EQ(view->sql, defined.sql);
  EXPECT_FALSE(view->file);
}

TEST_F(Catalog, ARelationWithoutAReadableCommentCountsAsASourceThatNothingMayChange) {
  engine_.run("CREATE TABLE plain (i INTEGER)");
  engine_.run("CREATE VIEW noted AS SELECT 1 AS i");
  engine_.run("COMMENT ON VIEW noted IS 'for people'");
  engine_.run("CREATE VIEW listed AS SELECT 1 AS i");
  engine_.run("COMMENT ON VIEW listed IS '[1]'");
  const auto catalog = engine_.catalog();
  for (const std::string_view name : {"plain", "noted", "listed"}) {
    ASSERT_NE(catalog.find(name), nullptr);
    EXPECT_TRUE(catalog.find(name)->is_source()) << name;
  }
}

TEST_F(Catalog, AFreeNameIsTheFirstThatNobodyHas) {
  for (const char* name : {"t", "t_2", "T_3", "u"}) source(name);
  const auto catalog = engine_.catalog();
  EXPECT_EQ(catalog.free_name("new"), "new");
  EXPECT_EQ(catalog.free_name("t"), "t_4");
  EXPECT_EQ(catalog.free_name("T"), "T_4");
  EXPECT_EQ(catalog.free_name("u"), "u_2");
  EXPECT_EQ(catalog.free_name("t_2"), "t_2_2");
}

TEST_F(Catalog, WhatIsReachedComesOnceAndTheNamedFirst) {
  source("s");
  source("other");
  view("a", {"s"});
  view("b", {"A", "s"});
  view("c", {"b", "a"});
  EXPECT_EQ(reached({"c"}), "c b a s");
  EXPECT_EQ(reached({"C", "c", "s"}), "c s b a");
  EXPECT_EQ(reached({"s"}), "s");
  EXPECT_EQ(reached({"nothing"}), "");
  EXPECT_EQ(reached({}), "");
}

TEST_F(Catalog, ReachingEndsInACycleAndAtANameThatIsGone) {
  view("a", {"b"});
  view("b", {"c", "gone"});
  view("c", {"a"});
  view("self", {"self"});
  EXPECT_EQ(reached({"a"}), "a b c");
  EXPECT_EQ(reached({"self"}), "self");
  const auto catalog = engine_.catalog();
  EXPECT_EQ(catalog.chain({"a"}, "gone"), "a -> b -> gone");
  EXPECT_EQ(catalog.chain({"a"}, "nowhere"), "");
}

TEST_F(Catalog, AChainIsAShortestWay) {
  source("s");
  view("a", {"s"});
  view("b", {"a"});
  view("c", {"b"});
  view("d", {"c", "a"});
  const auto catalog = engine_.catalog();
  EXPECT_EQ(catalog.chain({"c"}, "s"), "c -> b -> a -> s");
  EXPECT_EQ(catalog.chain({"d"}, "s"), "d -> a -> s");
  EXPECT_EQ(catalog.chain({"c", "a"}, "S"), "a -> s");
  EXPECT_EQ(catalog.chain({"c"}, "C"), "c");
  EXPECT_EQ(catalog.chain({"s"}, "c"), "");
  EXPECT_EQ(catalog.chain({"D"}, "B"), "D -> c -> b");
}

TEST_F(Catalog, DependantsAreWhatUsesANameDirectlyOrNot) {
  source("s");
  view("a", {"s"});
  view("b", {"A"});
  view("c", {"b", "s"});
  view("free", {});
  EXPECT_EQ(dependants("s"), "a b c");
  EXPECT_EQ(dependants("A"), "b c");
  EXPECT_EQ(dependants("c"), "");
  EXPECT_EQ(dependants("free"), "");
  EXPECT_EQ(dependants("unknown"), "");
}

TEST_F(Catalog, DependantsInACycleLeaveOutTheNameItself) {
  view("a", {"b"});
  view("b", {"a"});
  EXPECT_EQ(dependants("a"), "b");
  EXPECT_EQ(dependants("b"), "a");
}

// Definitions may share what they use: the ways double with each step, the work may not.
TEST_F(Catalog, ALadderOfSharedDefinitionsIsWalkedInLittleTime) {
  view("l0", {});
  view("r0", {});
  for (int i = 1; i <= 60; ++i) {
    view(fmt::format("l{}", i), {fmt::format("l{}", i - 1), fmt::format("r{}", i - 1)});
    view(fmt::format("r{}", i), {fmt::format("l{}", i - 1), fmt::format("r{}", i - 1)});
  }
  const auto catalog = engine_.catalog();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(catalog.reached_from({"l60"}).size(), 121u);
  EXPECT_EQ(catalog.dependants("l0").size(), 120u);
  EXPECT_NE(catalog.chain({"l60"}, "r0"), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(FileState, ChangesWithTheFile) {
  test::TemporaryDirectory directory;
  const auto path = directory.write("a", "1");
  const auto before = file_state(path);
  ASSERT_TRUE(before);
  EXPECT_EQ(before->path, path);
  EXPECT_EQ(before->size, 1);
  EXPECT_GT(before->modified_ns, std::int64_t{1'500'000'000} * 1'000'000'000);
  directory.write("a", "12");
  EXPECT_EQ(file_state(path)->size, 2);
  EXPECT_EQ(file_state(path)->inode, before->inode);
  directory.write("b", "1");
  fs::rename(directory.path() + "/b", path);
  EXPECT_NE(file_state(path)->inode, before->inode);
  fs::remove(path);
  EXPECT_FALSE(file_state(path));
}

}  // namespace
}  // namespace adit::worker
