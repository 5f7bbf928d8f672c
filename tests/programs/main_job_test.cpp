// The main job over the real programs: open files, query, page, close.
#include "support/server_process.h"

#include <gtest/gtest.h>

namespace adit::test {
namespace json = boost::json;
namespace {

ServerOptions with_root(const std::string& root) {
  return {.arguments = {"--root", root}, .environment = {}, .program = "", .speak_modern = true};
}

json::array one(std::string_view sql) { return {json::string(sql)}; }

TEST(MainJob, JoinsAParquetFileWithACsvFileAndPagesThroughTheResult) {
  ServerProcess server(with_root(ADIT_DEMO_DATA));
  const auto opened = server.call(
      "open_dataset",
      {{"sources", json::array{{{"path", "flights-3m.parquet"}, {"name", "flights"}}, {{"path", "airports.csv"}}}}});
  EXPECT_EQ(opened.at("relations").at(0).at("row_count"), 3'000'000);
  EXPECT_EQ(opened.at("relations").at(1).at("row_count"), 3'376);
  EXPECT_EQ(opened.at("issues").as_array().size(), 0u);

  const auto id = opened.at("dataset_id").as_string();
  const char* sql =
      "SELECT a.state, count(*) AS n FROM flights f JOIN airports a ON a.iata = f.origin "
      "GROUP BY ALL ORDER BY n DESC, a.state";
  std::vector<std::string> states;
  json::value offset = 0;
  while (!offset.is_null()) {
    const auto page = server.call("query", {{"dataset_id", id}, {"sql", one(sql)}, {"limit", 20}, {"offset", offset}});
    const auto& statement = page.at("statements").at(0).as_object();
    EXPECT_EQ(statement.at("total_rows"), 52);
    for (const auto& row : statement.at("rows").as_array()) {
      states.emplace_back(row.at(0).at("value").as_string());
    }
    offset = statement.at("next_offset");
  }
  ASSERT_EQ(states.size(), 52u);
  EXPECT_EQ(states.front(), "CA");

  EXPECT_EQ(server.call("close_dataset", {{"dataset_id", id}}).at("closed"), true);
  const auto gone = server.call("query", {{"dataset_id", id}, {"sql", one("SELECT 1")}});
  EXPECT_EQ(gone.at("error").at("kind"), "unknown_dataset");
}

}  // namespace
}  // namespace adit::test
