// What the client makes of every recorded answer, against tests/recordings/socrata/expected.json, which was computed
// apart from it (README.md there says what its members mean). Shared recordings are looked at where they are.
#include "adit/socrata/asset.h"
#include "adit/socrata/catalog.h"
#include "adit/socrata/row_page.h"
#include "data_type_words.h"
#include "failure.h"
#include "support/recordings.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>

namespace adit::socrata {
namespace {

namespace json = boost::json;

struct Answer {
  std::string body;
  Asked asked;
  int status = 200;
};

json::array read_table(const std::string& path) {
  std::ifstream file(path);
  return json::parse(std::string(std::istreambuf_iterator<char>(file), {})).as_array();
}

std::string text(const json::object& row, std::string_view member) {
  const auto* value = row.if_contains(member);
  return value == nullptr ? "" : std::string(value->as_string());
}

std::vector<std::string> texts(const json::value& list) { return json::value_to<std::vector<std::string>>(list); }

std::optional<std::int64_t> number(const json::object& row, std::string_view member) {
  const auto* value = row.if_contains(member);
  return value == nullptr ? std::nullopt : std::optional(value->as_int64());
}

std::size_t code_points(std::string_view utf8) {
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// ---- One kind of answer each

void expect_views(const json::object& row, const Answer& answer) {
  const auto asset = parse_asset(answer.body);
  ASSERT_TRUE(asset.ok()) << asset.error().message;
  for (const auto& [member, value] : {std::pair{"id", asset->id},
                                      {"name", asset->name},
                                      {"description", asset->description},
                                      {"category", asset->category},
                                      {"license", asset->license},
                                      {"data_updated_at", asset->data_updated_at}}) {
    EXPECT_EQ(value, text(row, member)) << member;
  }
  EXPECT_EQ(asset->tags, texts(row.at("tags")));
  EXPECT_EQ(asset->row_count, number(row, "row_count"));
  if (asset->row_count) {
    const bool is_top = asset->row_count_source == RowCountSource::top_level_cached_contents;
    EXPECT_EQ(text(row, "row_count_source"), is_top ? "top_level_cached_contents" : "column_cached_contents");
  }
  const auto& columns = row.at("columns").as_array();
  ASSERT_EQ(asset->columns.size(), columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& column = asset->columns[i];
    EXPECT_EQ(column.field_name, columns[i].at(0).as_string());
    EXPECT_EQ(column.soql_type, soql_type_name(columns[i].at(1).as_string())) << column.field_name;
    EXPECT_EQ(column.data_type, data_type_words(columns[i].at(1).as_string())) << column.field_name;
    EXPECT_EQ(column.non_null_count, number(row.at("non_null_counts").as_object(), column.field_name))
        << column.field_name;
  }
}

void expect_catalog(const json::object& row, const Answer& answer) {
  const auto page = parse_catalog(answer.body);
  ASSERT_TRUE(page.ok()) << page.error().message;
  EXPECT_EQ(page->total, row.at("result_set_size").as_int64());
  const auto& results = row.at("results").as_array();
  ASSERT_EQ(page->entries.size(), results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto& entry = page->entries[i];
    const auto& expected = results[i].as_object();
    EXPECT_EQ(entry.dataset_id, text(expected, "dataset_id"));
    SCOPED_TRACE(entry.dataset_id);
    EXPECT_EQ(entry.domain, text(expected, "domain"));
    EXPECT_EQ(entry.name, text(expected, "name"));
    EXPECT_EQ(static_cast<std::int64_t>(code_points(entry.description)),
              number(expected, "description_length").value_or(0));
    EXPECT_EQ(entry.category, text(expected, "category"));
    EXPECT_EQ(entry.license, text(expected, "license"));
    EXPECT_EQ(entry.data_updated_at, text(expected, "data_updated_at"));
    EXPECT_EQ(entry.view_count, number(expected, "view_count"));
    EXPECT_EQ(entry.tags, texts(expected.at("tags")));
    EXPECT_EQ(entry.field_names, texts(expected.at("column_names")));
  }
}

void expect_rows(const json::object& row, const Answer& answer) {
  const auto page = parse_rows(answer.body);
  ASSERT_TRUE(page.ok()) << page.error().message;
  EXPECT_TRUE(page->rejected.empty());
  EXPECT_EQ(static_cast<std::int64_t>(page->size()), row.at("row_count").as_int64());
  std::vector<std::string> keys;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < page->size(); ++i) {
    const auto members = json::parse(page->row(i));
    for (const auto& member : members.as_object()) {
      if (seen.emplace(member.key()).second) keys.emplace_back(member.key());
    }
  }
  EXPECT_EQ(keys, texts(row.at("keys")));
}

struct Outcome {
  std::string_view word;  // of expected.json
  ErrorCode code;
  std::string_view reason;
  bool retryable;
};
constexpr Outcome kOutcomes[] = {
    {"not_found", ErrorCode::not_found, "not_found", false},
    {"unknown_domain", ErrorCode::not_found, "unknown_domain", false},
    {"soql_error", ErrorCode::validation, "soql_error", false},
    {"invalid_params", ErrorCode::invalid_params, "bad_request", false},
    {"rate_limited", ErrorCode::rate_limited, "rate_limited", true},
    {"forbidden", ErrorCode::forbidden, "access_denied", false},
    {"not_queryable", ErrorCode::validation, "not_queryable", false},
    // Asked again without the token by then, and so refused for good.
    {"invalid_app_token", ErrorCode::forbidden, "access_denied", false},
    {"retried", ErrorCode::unavailable, "upstream_error", true},
    {"internal_error", ErrorCode::internal, "upstream_error", false},
};

void expect_outcome(const std::string& word, const Error& error) {
  const auto* outcome = std::find_if(std::begin(kOutcomes), std::end(kOutcomes),
                                     [&](const Outcome& known) { return known.word == word; });
  ASSERT_NE(outcome, std::end(kOutcomes)) << word;
  EXPECT_EQ(error.code, outcome->code);
  EXPECT_EQ(error.reason, outcome->reason);
  EXPECT_EQ(error.retryable, outcome->retryable);
  EXPECT_FALSE(error.hint.empty());
}

void expect_error(const json::object& row, const Answer& answer) {
  const auto soda = parse_soda_error(answer.body);
  EXPECT_EQ(soda ? soda->code : "", text(row, "upstream_code"));
  EXPECT_EQ(soda ? soda->column : "", text(row, "upstream_column"));
  if (row.contains("message")) EXPECT_EQ(soda ? soda->message : "", text(row, "message"));
  if (const auto length = number(row, "message_length")) {
    EXPECT_EQ(static_cast<std::int64_t>(code_points(soda ? soda->message : "")), *length);
  }
  // What comes with a 200 depends on who asked for what: tests/programs/socrata_recordings_test.cpp.
  if (answer.status == 200) return;
  UpstreamAnswer upstream;
  upstream.status = answer.status;
  upstream.body = answer.body;
  upstream.host = answer.asked.host;
  expect_outcome(text(row, "reason"), failure_of_status(answer.asked, upstream));
}

void expect_answer(const json::object& row, const Answer& answer) {
  const auto kind = text(row, "kind");
  if (kind == "views") expect_views(row, answer);
  else if (kind == "catalog") expect_catalog(row, answer);
  else if (kind == "rows") expect_rows(row, answer);
  else if (kind == "error") expect_error(row, answer);
  else ADD_FAILURE() << "no such kind: " << kind;
}

AskedFor kind_of(std::string_view path) {
  if (path.starts_with("/api/catalog/")) return AskedFor::catalog;
  return path.starts_with("/api/views/") ? AskedFor::metadata : AskedFor::rows;
}

// ---- The tables

TEST(RecordedAnswers, AreUnderstood) {
  std::map<std::string, Answer> answers;
  for (const auto& recording : test::read_recordings(test::socrata_recordings())) {
    answers[recording.file] = {
        .body = recording.body,
        .asked = {.kind = kind_of(recording.path), .host = recording.host, .dataset_id = "abcd-1234"},
        .status = recording.status};
  }
  const auto table = read_table(test::socrata_recordings() + "/expected.json");
  EXPECT_GT(table.size(), 50u);
  for (const auto& row : table) {
    const auto file = text(row.as_object(), "file");
    SCOPED_TRACE(file);
    expect_answer(row.as_object(), answers[file]);
  }
}

TEST(RecordedAnswers, SharedOnesAreUnderstood) {
  const auto directory = test::shared_recordings();
  if (!directory) GTEST_SKIP() << "there are no shared recordings beside this repository";
  std::map<std::string, Answer> errors;
  for (const auto& entry : read_table(*directory + "/error_bodies.json")) {
    const auto& object = entry.as_object();
    const auto* body = object.if_contains("body");
    errors[text(object, "name")] = {
        .body = body != nullptr ? json::serialize(*body) : text(object, "raw_body"),
        .asked = {.kind = AskedFor::rows, .host = "data.example.org", .dataset_id = "abcd-1234"},
        .status = static_cast<int>(entry.at("status").as_int64())};
  }
  for (const auto& row : read_table(test::socrata_recordings() + "/expected_shared.json")) {
    const auto file = text(row.as_object(), "file");
    const auto name = text(row.as_object(), "name");
    SCOPED_TRACE(file + " " + name);
    if (file == "error_bodies.json") {
      expect_answer(row.as_object(), errors[name]);
      continue;
    }
    expect_answer(row.as_object(), {.body = test::read_shared_recording(*directory, file).body, .asked = {}});
  }
}

}  // namespace
}  // namespace adit::socrata
