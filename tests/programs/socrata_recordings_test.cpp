// What real portals answered once goes in over real HTTP, and what a right client makes of it comes out of the tools.
// tests/recordings/socrata/README.md says what the expectations mean; they were made without this client.
#include "support/recordings.h"
#include "support/replay_portal.h"
#include "support/server_process.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <mutex>
#include <sstream>

namespace adit::test {
namespace {

namespace json = boost::json;

const std::string kHost = "data.example.org", kUs = "api.us.socrata.com";
const std::string kDirectory = socrata_recordings();

json::array expectations(const std::string& file) {
  std::ifstream in(kDirectory + "/" + file);
  std::stringstream text;
  text << in.rdbuf();
  return json::parse(text.str()).as_array();
}

// One portal that answers every request with what is put in.
class Recorded : public testing::Test {
 protected:
  Recorded() : server_(options()) {}

  ServerOptions options() {
    portal_.handle([this](const PortalRequest& request) -> std::optional<PortalAnswer> {
      const std::lock_guard lock(mutex_);
      if (request.host == kUs && !catalog_asked_) return PortalAnswer{.body = R"({"results":[],"resultSetSize":0})"};
      return answer_;
    });
    return {.arguments = {"--retry-delay", "0.001", "--default-domain", kHost, "--portal-map",
                          kHost + "=" + portal_.url(), "--portal-map", kUs + "=" + portal_.url(), "--answer-bytes",
                          "0"}};
  }

  json::object call(const Recording& recording, std::string_view tool, json::object arguments) {
    {
      const std::lock_guard lock(mutex_);
      answer_ = PortalAnswer{.status = recording.status, .headers = {}, .body = recording.body};
      for (const auto& header : recording.headers) {
        if (header.first != "Transfer-Encoding" && header.first != "Content-Encoding" && header.first != "Connection") {
          answer_.headers.push_back(header);
        }
      }
      catalog_asked_ = tool == "socrata_find_datasets";
    }
    return server_.call(tool, std::move(arguments));
  }

  void check(const json::object& expected, const Recording& recording) {
    const std::string_view kind = expected.at("kind").as_string();
    if (kind == "views")
      check_views(expected, call(recording, "socrata_get_dataset", {{"dataset_id", expected.at("id")}}));
    else if (kind == "catalog") check_catalog(expected, call(recording, "socrata_find_datasets", {}));
    else if (kind == "rows")
      check_rows(
          expected, recording,
          call(recording, "socrata_query_dataset", {{"dataset_id", "abcd-1234"}, {"limit", 5000}, {"where", "a=1"}}));
    else check_error(expected, call(recording, error_tool(expected), {{"dataset_id", "abcd-1234"}}));
  }

  static std::string_view error_tool(const json::object& expected) {
    const bool metadata = expected.at("file").as_string().find("views") != json::string::npos;
    return metadata ? "socrata_get_dataset" : "socrata_query_dataset";
  }

  static void check_views(const json::object& expected, const json::object& answer) {
    for (const char* name : {"name", "description", "category", "license", "row_count", "row_count_source"}) {
      EXPECT_EQ(expected.contains(name), answer.contains(name)) << name;
      if (expected.contains(name) && answer.contains(name)) EXPECT_EQ(expected.at(name), answer.at(name)) << name;
    }
    EXPECT_EQ(answer.at("tags"), expected.at("tags"));
    if (expected.contains("data_updated_at")) EXPECT_EQ(answer.at("data_updated_at"), expected.at("data_updated_at"));
    const auto& columns = expected.at("columns").as_array();
    ASSERT_EQ(answer.at("columns").as_array().size(), columns.size());
    json::object counts;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto& column = answer.at("columns").at(i).as_object();
      EXPECT_EQ(column.at("field_name"), columns[i].at(0));
      if (column.contains("non_null_count")) counts[column.at("field_name").as_string()] = column.at("non_null_count");
    }
    EXPECT_EQ(counts, expected.at("non_null_counts").as_object());
  }

  static void check_catalog(const json::object& expected, const json::object& answer) {
    EXPECT_EQ(answer.at("totalCount"), expected.at("result_set_size"));
    const auto& results = expected.at("results").as_array();
    ASSERT_EQ(answer.at("results").as_array().size(), results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto& result = results[i].as_object();
      const auto& found = answer.at("results").at(i).as_object();
      for (const auto& [name, value] : result) {
        if (name == "description_length") continue;
        ASSERT_TRUE(found.contains(name)) << name;
        EXPECT_EQ(found.at(name), value) << name;
      }
      EXPECT_EQ(found.contains("description"), result.contains("description_length"));
    }
  }

  // Values and keys, and the union of the keys in their order.
  static void check_rows(const json::object& expected, const Recording& recording, const json::object& answer) {
    const auto sent = json::parse(recording.body);
    EXPECT_EQ(answer.at("rows"), sent) << "row for row, value for value";
    EXPECT_EQ(answer.at("row_count"), expected.at("row_count"));
    json::array keys;
    for (const auto& row : answer.at("rows").as_array()) {
      for (const auto& member : row.as_object()) {
        const json::value key(member.key());
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
      }
    }
    EXPECT_EQ(keys, expected.at("keys").as_array());
    EXPECT_EQ(answer.contains("notice"), expected.at("row_count") == 0);
  }

  static void check_error(const json::object& expected, const json::object& answer) {
    ASSERT_TRUE(answer.contains("error")) << json::serialize(answer).substr(0, 500);
    const auto& data = answer.at("error").at("data").as_object();
    const std::map<std::string, std::string> reasons{{"retried", "upstream_error"},
                                                     {"forbidden", "access_denied"},
                                                     {"invalid_params", "bad_request"},
                                                     {"internal_error", "upstream_error"},
                                                     {"invalid_app_token", "access_denied"}};
    const std::string wanted(expected.at("reason").as_string());
    const auto word = reasons.find(wanted);
    const std::string reason(data.at("reason").as_string());
    const std::string message(answer.at("error").at("message").as_string());
    // Of a 403 about what is no table the tools say more; a 504 is a timeout of its own.
    if (reason != "not_queryable" && reason != "timeout")
      EXPECT_EQ(reason, word == reasons.end() ? wanted : word->second);
    EXPECT_EQ(message.find("; position: Map("), std::string::npos);
    if (reason == "soql_error") {
      EXPECT_EQ(data.at("socrataCode"), expected.at("upstream_code"));
      if (expected.contains("message")) EXPECT_EQ(answer.at("error").at("message"), expected.at("message"));
      if (expected.contains("upstream_column")) EXPECT_EQ(data.at("column"), expected.at("upstream_column"));
    }
  }

  std::mutex mutex_;  // of the two below, which the portal's thread reads: they outlive it
  PortalAnswer answer_;
  bool catalog_asked_ = false;
  ReplayPortal portal_;
  ServerProcess server_;
};

TEST_F(Recorded, EveryAnswerInTheRepositoryIsReadRight) {
  std::map<std::string, Recording> by_file;
  for (auto& recording : read_recordings(kDirectory)) by_file.emplace(recording.file, std::move(recording));
  std::size_t checked = 0;
  for (const auto& entry : expectations("expected.json")) {
    const auto& expected = entry.as_object();
    const std::string file(expected.at("file").as_string());
    SCOPED_TRACE(file);
    if (file == "sodapy/song_metadata_MOCK.json") continue;  // its id has not the form of one
    const auto at = by_file.find(file);
    ASSERT_NE(at, by_file.end());
    check(expected, at->second);
    ++checked;
  }
  EXPECT_GE(checked, 58u);
}

TEST_F(Recorded, EveryAnswerBesideTheRepositoryIsReadRight) {
  const auto directory = shared_recordings();
  if (!directory) GTEST_SKIP() << "there are no shared recordings";
  for (const auto& entry : expectations("expected_shared.json")) {
    const auto& expected = entry.as_object();
    const std::string file(expected.at("file").as_string());
    if (expected.contains("name") && file == "error_bodies.json") continue;
    SCOPED_TRACE(file);
    check(expected, read_shared_recording(*directory, file));
  }
}

}  // namespace
}  // namespace adit::test
