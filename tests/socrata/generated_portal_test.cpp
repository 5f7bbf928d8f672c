// The made-up dataset as a client sees it: pages, what is understood and what is refused, and what goes wrong with
// pages on purpose.
#include "support/generated_portal.h"

#include "support/http_client.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <cmath>
#include <set>

namespace adit::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

std::string coded(std::string_view text) {
  std::string out;
  for (const char c : text) out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

// A dataset on a portal of its own, and a connection to it.
class Generated {
 public:
  explicit Generated(GeneratedOptions options = {}) : dataset_(std::move(options)) { dataset_.serve_on(portal_); }

  GeneratedDataset& dataset() { return dataset_; }

  HttpReply ask(std::string_view path, const QueryParameters& query = {}) {
    std::string target(path);
    for (const auto& [name, value] : query) {
      target.append(target.size() == path.size() ? "?" : "&").append(coded(name)).append("=").append(coded(value));
    }
    return client_.ask(http_request("GET", target, {{"Host", "data.example.org"}}));
  }

  HttpReply ask_rows(const QueryParameters& query) { return ask("/resource/gene-rate.json", query); }

  json::array rows(const QueryParameters& query) {
    const auto reply = ask_rows(query);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return reply.status == 200 ? json::parse(reply.body).as_array() : json::array();
  }

  // A column of the answer, joined by spaces; "-" for a missing value.
  std::string column(std::string_view name, const QueryParameters& query) {
    std::string joined;
    for (const auto& row : rows(query)) {
      const auto* value = row.as_object().if_contains(name);
      joined.append(joined.empty() ? "" : " ")
          .append(value == nullptr     ? "-"
                  : value->is_string() ? std::string(value->as_string())
                                       : json::serialize(*value));
    }
    return joined;
  }

  // All case_ids, read in pages until one has fewer rows than asked for.
  std::vector<std::string> read_all(std::size_t limit, const std::string& order) {
    std::vector<std::string> found;
    for (std::size_t offset = 0;; offset += limit) {
      QueryParameters query{{"$limit", std::to_string(limit)}, {"$offset", std::to_string(offset)}};
      if (!order.empty()) query.emplace_back("$order", order);
      const auto page = rows(query);
      for (const auto& row : page) found.emplace_back(row.at("case_id").as_string());
      if (page.size() < limit) return found;
    }
  }

 private:
  GeneratedDataset dataset_;
  ReplayPortal portal_;
  HttpClient client_{portal_.port()};
};

std::size_t distinct(const std::vector<std::string>& values) { return std::set(values.begin(), values.end()).size(); }

TEST(GeneratedDataset, PagesAreRowsAsPortalsWriteThem) {
  Generated generated;
  const auto reply = generated.ask_rows({{"$limit", "2"}});
  EXPECT_EQ(reply.header("content-type"), "application/json;charset=utf-8");
  EXPECT_EQ(reply.header("x-soda2-fields"), R"(["case_id","borough","amount","opened_at","open","place"])");
  EXPECT_EQ(reply.header("x-soda2-types"), R"(["number","text","number","floating_timestamp","checkbox","location"])");
  EXPECT_NE(reply.body.find("}\n,{\"case_id\":\"2\","), std::string::npos) << reply.body;
  const auto rows = json::parse(reply.body);
  for (const auto& row : rows.as_array()) {
    EXPECT_TRUE(row.at("case_id").is_string());
    EXPECT_EQ(row.at("opened_at").as_string().size(), 23u);
    const auto* place = row.as_object().if_contains("place");
    if (place != nullptr) EXPECT_TRUE(json::parse(place->at("human_address").as_string()).is_object());
  }
}

TEST(GeneratedDataset, TheSameSeedGivesTheSameRowsAndAnotherOneOthers) {
  Generated first, second, other(GeneratedOptions{.seed = 2});
  EXPECT_EQ(first.ask_rows({}).body, second.ask_rows({}).body);
  EXPECT_NE(first.ask_rows({}).body, other.ask_rows({}).body);
}

TEST(GeneratedDataset, UnderstandsWhatClientsSend) {
  Generated generated(GeneratedOptions{.rows = 1200});
  struct Case {
    const char* name;
    QueryParameters query;
    std::size_t rows;
    std::vector<std::string_view> keys;  // of the first row
  };
  const Case cases[] = {
      {"a thousand unless told", {}, 1000, {}},
      {"more than that", {{"$limit", "5000"}}, 1200, {}},
      {"none", {{"$limit", "0"}}, 0, {}},
      {"the last ones", {{"$offset", "1195"}}, 5, {}},
      {"behind the end", {{"$offset", "1200"}}, 0, {}},
      {"all columns", {{"$select", "*"}, {"$limit", "1"}}, 1, {}},
      {"some columns", {{"$select", "opened_at, `case_id`"}, {"$limit", "1"}}, 1, {"opened_at", "case_id"}},
      {"the portal's own", {{"$select", ":id,case_id"}, {"$limit", "1"}}, 1, {":id", "case_id"}},
      {"a count", {{"$select", "count(*)"}}, 1, {"count"}},
      {"a count by another name", {{"$select", "COUNT(*) AS `n`"}}, 1, {"n"}},
      {"a token", {{"$$app_token", "t"}, {"$limit", "1"}}, 1, {}},
      {"a row", {{"$where", "case_id = '7'"}}, 1, {}},
      {"no row", {{"$where", "borough='Nowhere'"}}, 0, {}},
      {"a plain filter", {{"case_id", "7"}}, 1, {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto rows = generated.rows(c.query);
    EXPECT_EQ(rows.size(), c.rows);
    std::vector<std::string_view> keys;
    for (std::size_t i = 0; i < c.keys.size(); ++i) keys.emplace_back((rows.at(0).as_object().begin() + i)->key());
    EXPECT_EQ(keys, c.keys);
  }
}

TEST(GeneratedDataset, CountsAreThoseOfItsRows) {
  Generated generated;
  std::int64_t cents = 0;
  std::size_t amounts = 0;
  std::map<std::string, std::size_t> boroughs;
  for (const auto& row : generated.rows({})) {
    ++boroughs[std::string(row.at("borough").as_string())];
    const auto* amount = row.as_object().if_contains("amount");
    if (amount == nullptr) continue;
    ++amounts;
    cents += std::llround(std::stod(std::string(amount->as_string())) * 100);
  }
  EXPECT_EQ(generated.dataset().boroughs(), boroughs);
  EXPECT_EQ(boroughs.size(), 8u);
  EXPECT_EQ(generated.dataset().present(GeneratedColumn::amount), amounts);
  EXPECT_LT(amounts, 1000u);
  EXPECT_EQ(generated.dataset().amount_cents(), cents);
  for (const auto& [borough, count] : boroughs) {
    std::string literal;
    for (const char c : borough) literal.append(c == '\'' ? 2 : 1, c);
    const auto where = fmt::format("borough='{}'", literal);
    EXPECT_EQ(generated.column("count", {{"$select", "count(*)"}, {"$where", where}}), std::to_string(count)) << where;
    EXPECT_EQ(generated.rows({{"$where", where}, {"$limit", "5000"}}).size(), count);
  }
}

TEST(GeneratedDataset, OrdersByColumnsWithMissingValuesLast) {
  Generated generated;
  EXPECT_EQ(generated.column("case_id", {{"$order", "case_id DESC"}, {"$limit", "3"}}), "1000 999 998");
  EXPECT_EQ(generated.column("borough", {{"$order", "borough desc"}, {"$limit", "2"}}), "West West");
  EXPECT_EQ(generated.column("amount", {{"$order", "amount"}, {"$offset", "998"}}), "- -");
  EXPECT_EQ(generated.column("amount", {{"$order", "amount DESC"}, {"$limit", "2"}}), "- -");
  EXPECT_EQ(generated.column("open", {{"$order", "open ASC, case_id"}, {"$limit", "2"}}), "false false");
  const auto by_id = generated.rows({{"$order", ":id"}, {"$select", ":id,case_id"}});
  std::vector<std::string> ids;
  for (const auto& row : by_id) ids.emplace_back(row.at(":id").as_string());
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(distinct(ids), 1000u);
  EXPECT_NE(by_id.at(0).at("case_id"), "1") << "it is not the order of storage";
}

TEST(GeneratedDataset, WhatItDoesNotUnderstandItRefusesAsAPortalDoes) {
  Generated generated;
  Generated without_id(GeneratedOptions{.refuses_id_in_order = true});
  struct Case {
    Generated& portal;
    QueryParameters query;
    const char* code;
    const char* message;  // a part
  };
  const char* const kMalformed = "query.compiler.malformed";
  const char* const kNoColumn = "query.soql.no-such-column";
  const char* const kMismatch = "query.soql.type-mismatch";
  const Case cases[] = {
      {generated, {{"$where", "amount > 5"}}, kMalformed, "Could not parse SoQL query"},
      {generated, {{"$where", "borough='a' OR borough='b'"}}, kMalformed, "Could not parse SoQL query"},
      {generated, {{"$where", "nothing='x'"}}, kNoColumn, "No such column: nothing; position: Map(row -> 1"},
      {generated, {{"$where", "open='true'"}}, kMismatch, "Type mismatch for op$=, is checkbox"},
      {generated, {{"nothing", "x"}}, kNoColumn, "No such column: nothing"},
      {generated, {{"$select", "nothing"}}, kNoColumn, "No such column: nothing"},
      {generated, {{"$select", "sum(amount)"}}, kMalformed, "Could not parse SoQL query"},
      {generated, {{"$order", "nothing"}}, kNoColumn, "No such column: nothing"},
      {generated, {{"$order", "amount upwards"}}, kMalformed, "Could not parse SoQL query"},
      {generated, {{"$order", "place"}}, kMismatch, "is location"},
      {generated, {{"$group", "borough"}}, kMalformed, "Could not parse SoQL query"},
      {generated, {{"$q", "word"}}, kMalformed, "Could not parse SoQL query"},
      {generated, {{"$limit", "-1"}}, kMalformed, "Could not parse SoQL query"},
      {generated, {{"$limit", "many"}}, kMalformed, "Could not parse SoQL query"},
      {without_id, {{"$order", "borough, :id"}}, kNoColumn, "No such column: :id"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.query[0].second);
    const auto reply = c.portal.ask_rows(c.query);
    EXPECT_EQ(reply.status, 400);
    const auto body = json::parse(reply.body).as_object();
    const auto* code = body.contains("code") ? body.if_contains("code") : body.if_contains("errorCode");
    ASSERT_NE(code, nullptr) << reply.body;
    EXPECT_EQ(*code, c.code);
    EXPECT_NE(body.at("message").as_string().find(c.message), json::string::npos) << reply.body;
  }
  EXPECT_EQ(without_id.rows({{"$order", "borough"}}).size(), 1000u);
}

TEST(GeneratedDataset, MetadataFitTheRows) {
  Generated generated;
  const auto views = json::parse(generated.ask("/api/views/gene-rate.json").body).as_object();
  EXPECT_EQ(views.at("id"), "gene-rate");
  EXPECT_EQ(views.at("rowsUpdatedAt"), generated.dataset().rows_updated_at());
  const auto& columns = views.at("columns").as_array();
  ASSERT_EQ(columns.size(), kGeneratedOwnColumns);
  EXPECT_EQ(columns[2].at("fieldName"), "amount");
  EXPECT_EQ(columns[2].at("dataTypeName"), "number");
  EXPECT_EQ(columns[2].at("cachedContents").at("count"), "1000");
  EXPECT_EQ(columns[2].at("cachedContents").at("non_null").as_string(),
            std::to_string(generated.dataset().present(GeneratedColumn::amount)));
  EXPECT_EQ(generated.ask("/api/views/othe-r000.json").status, 404);
}

TEST(GeneratedDataset, WithoutATotalOrderAReaderLosesRowsWhenTiesAreShuffled) {
  Generated stable, shuffled(GeneratedOptions{.shuffles_ties = true});
  for (const auto* order : {"", "borough", "borough,:id", ":id", "case_id"}) {
    SCOPED_TRACE(order);
    const bool is_total = std::string_view(order).ends_with("id");
    const auto in_order = stable.read_all(300, order), in_disorder = shuffled.read_all(300, order);
    EXPECT_EQ(distinct(in_order), 1000u);
    EXPECT_EQ(in_disorder.size(), 1000u);
    if (is_total) EXPECT_EQ(in_disorder, in_order);
    else EXPECT_LT(distinct(in_disorder), 1000u);
  }
  // One page alone is right, and its rows are in order as far as it was asked for.
  for (const auto* order : {"", "borough"}) {
    EXPECT_EQ(distinct(shuffled.read_all(1001, order)), 1000u);
  }
  EXPECT_EQ(shuffled.column("borough", {{"$order", "borough"}}), stable.column("borough", {{"$order", "borough"}}));
}

TEST(GeneratedDataset, PagesMayBeShorterThanAskedFor) {
  Generated generated(GeneratedOptions{.most_rows_in_page = 70});
  EXPECT_EQ(generated.rows({{"$limit", "100"}}).size(), 70u);
  EXPECT_EQ(generated.rows({{"$limit", "50"}}).size(), 50u);
  EXPECT_EQ(generated.column("case_id", {{"$limit", "100"}, {"$offset", "70"}}).substr(0, 5), "71 72");
}

TEST(GeneratedDataset, ChangesWhileItIsRead) {
  for (const auto* order : {":id", ""}) {
    SCOPED_TRACE(order);
    Generated generated(GeneratedOptions{.changes_after_page = 2});
    const auto before = generated.dataset().rows_updated_at();
    const auto found = generated.read_all(300, order);
    EXPECT_EQ(found.size(), 1001u);
    EXPECT_EQ(distinct(found), 1000u) << "the new row moved another one into the next page, and was not seen itself";
    EXPECT_GT(generated.dataset().rows_updated_at(), before);
    EXPECT_EQ(generated.column("count", {{"$select", "count(*)"}}), "1001");
    EXPECT_EQ(distinct(generated.read_all(300, order)), 1001u) << "it changes once";
  }
}

TEST(GeneratedDataset, PagesMayFail) {
  Generated generated(GeneratedOptions{.fault = Fault::with_coding(Coding::gzip)});
  EXPECT_EQ(generated.ask_rows({}).header("content-encoding"), "gzip");
  EXPECT_EQ(generated.ask("/api/views/gene-rate.json").header("content-encoding"), "");
}

TEST(GeneratedDataset, ManyRowsAreQuick) {
  constexpr std::size_t kRows = 120'000;
  const auto start = std::chrono::steady_clock::now();
  Generated generated(GeneratedOptions{.rows = kRows});
  const auto made = std::chrono::steady_clock::now();
  std::size_t bytes = 0, pages = 0;
  for (std::size_t offset = 0; offset < kRows; offset += 5000, ++pages) {
    bytes += generated.ask_rows({{"$limit", "5000"}, {"$offset", std::to_string(offset)}, {"$order", "borough,:id"}})
                 .body.size();
  }
  const auto read = std::chrono::steady_clock::now();
  EXPECT_EQ(generated.dataset().pages(), 24u);
  EXPECT_GT(bytes, kRows * 150);
  EXPECT_LT(read - start, 20s);  // far above what it takes, for busy machines
  const auto milliseconds = [](auto time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  };
  RecordProperty("made_ms", static_cast<int>(milliseconds(made - start)));
  RecordProperty("read_ms", static_cast<int>(milliseconds(read - made)));
  RecordProperty("megabytes", static_cast<int>(bytes >> 20));
}

}  // namespace
}  // namespace adit::test
