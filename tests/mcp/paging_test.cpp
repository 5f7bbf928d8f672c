// Cursors (R9), by themselves and in all four lists.
#include "paging.h"

#include "mcp_client.h"

#include <set>

namespace adit::mcp {
namespace {

using Object = boost::json::object;

const std::vector<std::string> kFive = {"a", "b", "c", "d", "e"};

Object with_cursor(const std::string& cursor) { return {{"cursor", cursor}}; }

TEST(Paging, R9_PagesFollowEachOtherToTheEnd) {
  const auto first = find_page({}, "key", "list", kFive, 2);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->begin, 0u);
  EXPECT_EQ(first->end, 2u);
  const auto second = find_page(with_cursor(first->next_cursor.value()), "key", "list", kFive, 2);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->begin, 2u);
  EXPECT_EQ(second->end, 4u);
  const auto third = find_page(with_cursor(second->next_cursor.value()), "key", "list", kFive, 2);
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(third->begin, 4u);
  EXPECT_EQ(third->end, 5u);
  EXPECT_EQ(third->next_cursor, std::nullopt);
}

TEST(Paging, R9_AListThatFitsHasNoCursor) {
  for (const std::size_t size : {5u, 6u, 100u})
    EXPECT_EQ(find_page({}, "key", "list", kFive, size)->next_cursor, std::nullopt);
  EXPECT_EQ(find_page({}, "key", "list", {}, 2)->next_cursor, std::nullopt);
}

TEST(Paging, R9_WhatIsNoCursorOfThisListIsRefused) {
  const auto cursor = find_page({}, "key", "list", kFive, 2)->next_cursor.value();
  auto changed = cursor;
  changed.front() = changed.front() == 'A' ? 'B' : 'A';
  boost::json::array bad = {"", "2", "x", 2, true, Object()};
  for (const auto& text : {cursor + "x", changed, cursor.substr(1)}) bad.push_back(boost::json::string(text));
  for (const auto& one : bad) {
    const auto page = find_page({{"cursor", one}}, "key", "list", kFive, 2);
    ASSERT_FALSE(page.ok()) << one;
    EXPECT_EQ(page.error().code, ErrorCode::invalid_params);
    EXPECT_FALSE(page.error().hint.empty());
  }
  EXPECT_TRUE(find_page(with_cursor(cursor), "key", "list", kFive, 2).ok());
  EXPECT_FALSE(find_page(with_cursor(cursor), "another key", "list", kFive, 2).ok());
  EXPECT_FALSE(find_page(with_cursor(cursor), "key", "another list", kFive, 2).ok());
  EXPECT_FALSE(find_page(with_cursor(cursor), "key", "list", {"a", "b", "c", "d", "f"}, 2).ok()) << "it has changed";
}

Tool tool_named(std::string name) {
  Tool tool;
  tool.name = std::move(name);
  return tool;
}

class Pages : public McpClient {};

TEST_F(Pages, R9_EveryListIsPagedAndEachEntryComesOnce) {
  Offer offer;
  offer.page_size = 2;
  for (const auto& name : kFive) {
    offer.tools.push_back(tool_named(name));
    offer.resources.push_back({.uri = "test://" + name, .name = name, .title = "", .description = "", .mime_type = ""});
    offer.resource_templates.push_back(
        {.uri_template = "test://" + name + "/{id}", .name = name, .title = "", .description = "", .mime_type = ""});
    offer.prompts.push_back({.name = name, .title = "", .description = ""});
  }
  serve(std::move(offer));
  const std::pair<std::string, std::string> lists[] = {{"tools/list", "tools"},
                                                       {"resources/list", "resources"},
                                                       {"resources/templates/list", "resourceTemplates"},
                                                       {"prompts/list", "prompts"}};
  for (const auto& [method, member] : lists) {
    SCOPED_TRACE(method);
    std::vector<std::string> seen;
    std::string cursor;
    std::set<std::string> scopes;
    int pages = 0;
    do {
      const auto page = result_of(modern(method, cursor.empty() ? "" : fmt::format(R"("cursor":"{}")", cursor)));
      for (const auto& entry : page.at(member).as_array()) seen.emplace_back(entry.at("name").as_string());
      scopes.emplace(page.at("cacheScope").as_string());
      cursor = page.contains("nextCursor") ? std::string(page.at("nextCursor").as_string()) : "";
    } while (!cursor.empty() && ++pages < 10);
    EXPECT_EQ(seen, kFive);
    EXPECT_EQ(scopes.size(), 1u) << "the same on all pages";
    EXPECT_EQ(error_of(modern(method, R"("cursor":"")")).at("code"), -32602);
  }
}

}  // namespace
}  // namespace adit::mcp
