// The recordings themselves: what the index names is there, what is there is named, and what a right client makes of it
// is written down.
#include "support/recordings.h"

#include "support/http_client.h"
#include "support/replay_portal.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <filesystem>
#include <fstream>
#include <set>

namespace adit::test {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

json::array read_table(const std::string& name) {
  std::ifstream file(socrata_recordings() + "/" + name);
  return json::parse(std::string(std::istreambuf_iterator<char>(file), {})).as_array();
}

std::string coded(std::string_view text) {
  std::string out;
  for (const char c : text) out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

// The URL of a recording's query: split where a name follows.
std::string target_of(const Recording& recording) {
  std::string target = recording.path;
  for (const auto& [name, value] : parse_query(recording.query)) {
    target.append(target.size() == recording.path.size() ? "?" : "&")
        .append(coded(name))
        .append("=")
        .append(coded(value));
  }
  return target;
}

json::object expected_rows(const json::array& rows) {
  json::array keys;
  std::set<std::string> seen;
  for (const auto& row : rows) {
    for (const auto& member : row.as_object()) {
      if (seen.insert(std::string(member.key())).second) keys.emplace_back(member.key());
    }
  }
  return {{"row_count", rows.size()}, {"keys", std::move(keys)}};
}

TEST(Recordings, EveryEntryIsServedAsItIsRecorded) {
  ReplayPortal portal;
  portal.load(socrata_recordings());
  HttpClient client(portal.port());
  for (const auto& recording : read_recordings(socrata_recordings())) {
    const auto target = target_of(recording);
    SCOPED_TRACE(recording.host + target);
    const auto reply = client.ask(http_request(recording.method, target, {{"Host", recording.host}}));
    EXPECT_EQ(reply.status, recording.status);
    EXPECT_EQ(reply.body, recording.body);
  }
}

TEST(Recordings, EveryBodyIsInTheIndexAndInTheTableOfWhatIsExpected) {
  std::set<std::string> bodies, indexed, expected;
  for (const auto& entry : fs::recursive_directory_iterator(socrata_recordings())) {
    const auto name = fs::relative(entry.path(), socrata_recordings()).string();
    if (entry.is_regular_file() && name.find('/') != std::string::npos) bodies.insert(name);
  }
  for (const auto& recording : read_recordings(socrata_recordings())) {
    if (!recording.file.empty()) indexed.insert(recording.file);
    EXPECT_FALSE(recording.what.empty()) << recording.file;
  }
  for (const auto& row : read_table("expected.json")) expected.emplace(row.at("file").as_string());
  EXPECT_EQ(bodies, indexed);
  EXPECT_EQ(bodies, expected);
}

TEST(Recordings, RowsAreWhatTheTableSays) {
  std::map<std::string, std::string> bodies;
  for (auto& recording : read_recordings(socrata_recordings())) bodies[recording.file] = std::move(recording.body);
  for (const auto& row : read_table("expected.json")) {
    if (row.at("kind") != "rows") continue;
    const auto rows = json::parse(bodies[std::string(row.at("file").as_string())]);
    const auto found = expected_rows(rows.as_array());
    EXPECT_EQ(found.at("row_count").as_uint64(), static_cast<std::uint64_t>(row.at("row_count").as_int64()));
    EXPECT_EQ(found.at("keys"), row.at("keys")) << row.at("file");
  }
}

TEST(Recordings, SharedOnesAreServedByTheirOwnAddresses) {
  ReplayPortal portal;
  if (!portal.load_shared()) GTEST_SKIP() << "there are no shared recordings beside this repository";
  HttpClient client(portal.port());
  const auto ask = [&](std::string_view target) {
    return client.ask(http_request("GET", target, {{"Host", "soda.demo.socrata.com"}}));
  };
  const auto views = ask("/api/views/4tka-6guv.json");
  EXPECT_EQ(json::parse(views.body).at("id"), "4tka-6guv");
  const auto rows = ask("/resource/4tka-6guv.json?$select=source&$order=source&$limit=10");
  EXPECT_EQ(rows.header("x-soda2-fields"), R"(["source"])");
  EXPECT_EQ(json::parse(rows.body).as_array().size(), 10u);
}

TEST(Recordings, EverySharedOneOfTheTableCanBeRead) {
  const auto directory = shared_recordings();
  if (!directory) GTEST_SKIP() << "there are no shared recordings beside this repository";
  for (const auto& row : read_table("expected_shared.json")) {
    const std::string file(row.at("file").as_string());
    if (file == "error_bodies.json") continue;
    SCOPED_TRACE(file);
    const auto body = json::parse(read_shared_recording(*directory, file).body);
    if (row.at("kind") == "rows") EXPECT_EQ(expected_rows(body.as_array()).at("keys"), row.at("keys"));
    if (row.at("kind") == "views") EXPECT_EQ(body.at("id"), row.at("id"));
    if (row.at("kind") == "catalog") EXPECT_EQ(body.at("resultSetSize"), row.at("result_set_size"));
  }
}

}  // namespace
}  // namespace adit::test
