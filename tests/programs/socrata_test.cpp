// The Socrata tools over the real program: portals and catalog are played over real HTTP (support/replay_portal.h),
// where --portal-map sends the requests for their names.
#include "support/replay_portal.h"
#include "support/server_process.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

namespace adit::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

const std::string kHost = "data.example.org", kUs = "api.us.socrata.com", kEu = "api.eu.socrata.com";
const std::string kRows = "/resource/abcd-1234.json", kViews = "/api/views/abcd-1234.json",
                  kCatalog = "/api/catalog/v1";

PortalAnswer json_answer(std::string body, int status = 200) { return {.status = status, .body = std::move(body)}; }

PortalAnswer html_answer(int status) {
  return {.status = status, .headers = {{"Content-Type", "text/html"}}, .body = "<!DOCTYPE html><html>Hello</html>"};
}

std::string views(const std::string& columns = R"([{"fieldName":"name","name":"Full Name","dataTypeName":"text"},
    {"fieldName":"year","name":"Year","dataTypeName":"number"}])") {
  return fmt::format(R"({{"id":"abcd-1234","name":"Things","tags":["a"],"columns":{}}})", columns);
}

std::string catalog_entry(const std::string& id, const std::string& domain) {
  return fmt::format(
      R"({{"resource":{{"id":"{}","name":"n","columns_field_name":[]}},"classification":{{"domain_tags":[]}},
                          "metadata":{{"domain":"{}"}}}})",
      id, domain);
}

std::string catalog(const std::vector<std::string>& entries, std::int64_t total = -1) {
  return fmt::format(R"({{"results":[{}],"resultSetSize":{}}})", fmt::join(entries, ","),
                     total < 0 ? static_cast<std::int64_t>(entries.size()) : total);
}

class Socrata : public testing::Test {
 protected:
  ServerOptions options(std::vector<std::string> further = {}, std::vector<std::string> environment = {}) const {
    ServerOptions options{.arguments = {"--retry-delay", "0.01", "--default-domain", kHost},
                          .environment = std::move(environment)};
    for (const auto& host : {kHost, std::string("other.example.org"), kUs, kEu}) {
      options.arguments.insert(options.arguments.end(), {"--portal-map", host + "=" + portal_.url()});
    }
    options.arguments.insert(options.arguments.end(), further.begin(), further.end());
    return options;
  }

  void rows(const std::string& query, PortalAnswer answer) {
    portal_.answer(kHost, "GET", kRows, sorted_query(query), std::move(answer));
  }
  // Whatever the query is.
  void all_rows(const PortalAnswer& answer) {
    portal_.handle([answer](const PortalRequest& request) {
      return request.host == kHost && request.path == kRows ? std::optional(answer) : std::nullopt;
    });
  }
  void metadata(PortalAnswer answer) { portal_.answer(kHost, "GET", kViews, "", std::move(answer)); }
  void catalog_places(const std::string& domain) {
    portal_.answer(kUs, "GET", kCatalog, "ids=abcd-1234&limit=1",
                   json_answer(catalog({catalog_entry("abcd-1234", domain)})));
  }

  std::size_t asked_of(const std::string& path) const {
    std::size_t count = 0;
    for (const auto& request : portal_.requests()) count += request.path == path ? 1 : 0;
    return count;
  }

  ReplayPortal portal_;
};

json::object rows_of(ServerProcess& server, json::object arguments = {}) {
  arguments["dataset_id"] = "abcd-1234";
  return server.call("socrata_query_dataset", std::move(arguments));
}

std::string reason_of(const json::object& answer) {
  const auto* error = answer.if_contains("error");
  return error == nullptr ? "" : std::string(error->at("data").at("reason").as_string());
}

std::string hint_of(const json::object& answer) {
  return std::string(answer.at("error").at("data").at("recovery").at("hint").as_string());
}

// ---- Rows

// A-03: one row over the limit is asked for, and truncated is what came of it.
TEST_F(Socrata, ResultsAreCutOnlyWhereARowMoreCame) {
  struct Case {
    int rows, limit;
    bool truncated;
  };
  for (const auto& [count, limit, truncated] :
       {Case{2, 3, false}, {3, 3, false}, {4, 3, true}, {1, 1, false}, {0, 1, false}}) {
    SCOPED_TRACE(fmt::format("{} rows, limit {}", count, limit));
    ReplayPortal portal;
    portal.handle([rows = count](const PortalRequest& request) -> std::optional<PortalAnswer> {
      if (request.path == kViews) return json_answer(views());
      if (request.parameter("$select") == "count(*) as n") return json_answer(fmt::format(R"([{{"n":"{}"}}])", rows));
      std::string body = "[";
      const int asked_for = std::stoi(request.parameter("$limit"));
      for (int i = 0; i < std::min(rows, asked_for); ++i)
        body += fmt::format("{}{{\"i\":\"{}\"}}\n", i == 0 ? "" : ",", i);
      return json_answer(body + "]\n");
    });
    ServerProcess server({.arguments = {"--portal-map", kHost + "=" + portal.url(), "--default-domain", kHost}});
    const auto answer = rows_of(server, {{"limit", limit}});
    EXPECT_EQ(answer.at("rows").as_array().size(), static_cast<std::size_t>(std::min(count, limit)));
    EXPECT_EQ(answer.at("row_count"), std::min(count, limit));
    EXPECT_EQ(answer.contains("truncated"), truncated);
    EXPECT_EQ(answer.contains("total_count"), truncated);
    if (truncated) {
      EXPECT_EQ(answer.at("total_count"), count);
      EXPECT_EQ(answer.at("shown"), limit);
      EXPECT_EQ(answer.at("cap"), limit);
      EXPECT_NE(answer.at("notice").as_string().find("offset=3"), json::string::npos);
    }
    EXPECT_EQ(portal.requests().at(0).parameter("$limit"), std::to_string(limit + 1));
    EXPECT_EQ(answer.at("assembled_query").as_string(), fmt::format("$order=:id $limit={}", limit))
        << "the caller's own limit";
  }
}

// The rows are the portal's bytes: a BOM inside a value, JSON inside JSON, numbers as it wrote them (A-46, A-47).
TEST_F(Socrata, RowsArriveAsThePortalSentThem) {
  const std::string row =
      R"({"cad":"\uFEFF15736","plain":"\u00e9","h":"{\"a\":\"b\"}","n":"1.10","big":12345678901234567890,"e":1E5,"g":{"type":"Point","coordinates":[-122.30,47.6]},":id":"row-x","t":true,"z":null})";
  all_rows(json_answer("[ " + row + " ]\n"));
  ServerProcess server(options());
  const auto id = server.start_call("socrata_query_dataset", {{"dataset_id", "abcd-1234"}});
  const auto message = server.wait_for(id);
  const auto& result = message.at("result").as_object();
  EXPECT_EQ(result.at("structuredContent").at("rows").at(0), json::parse(row));
  const std::string text(result.at("content").at(0).at("text").as_string());
  EXPECT_NE(text.find("\n" + row), std::string::npos) << "the text has the very bytes: " << text;
}

TEST_F(Socrata, ClausesAreSentAsWritten) {
  struct Case {
    json::object arguments;
    std::string sent;  // decoded and sorted
    std::string assembled;
  };
  const Case cases[] = {
      {{}, "$limit=101&$order=:id", "$order=:id $limit=100"},
      {{{"where", "name = 'O''Hare & +1%'"}},
       "$limit=101&$order=:id&$where=name = 'O''Hare & +1%'",
       "$where=name = 'O''Hare & +1%' $order=:id $limit=100"},
      {{{"select", "count(*)"}}, "$limit=101&$select=count(*)", "$select=count(*) $limit=100"},
      {{{"select", "s, count(*)"},
        {"group", "s"},
        {"having", "count(*) > 1"},
        {"order", "count(*) DESC"},
        {"limit", 5}},
       "$group=s&$having=count(*) > 1&$limit=6&$order=count(*) DESC, s&$select=s, count(*)",
       "$select=s, count(*) $group=s $having=count(*) > 1 $order=count(*) DESC, s $limit=5"},
      {{{"search", "fire station"}, {"offset", 20}},
       "$limit=101&$offset=20&$order=:id&$q=fire station",
       "$q=fire station $order=:id $limit=100 $offset=20"},
      {{{"where", "  "}, {"search", ""}, {"domain", " "}}, "$limit=101&$order=:id", "$order=:id $limit=100"},
  };
  all_rows(json_answer(R"([{"a":"1"}])"));
  ServerProcess server(options());
  for (const auto& [arguments, sent, assembled] : cases) {
    const auto answer = rows_of(server, arguments);
    EXPECT_EQ(sorted_query(portal_.requests().back().query), sent);
    EXPECT_EQ(answer.at("assembled_query").as_string(), assembled);
  }
}

// A-34.
TEST_F(Socrata, ADomainIsTakenInEveryFormPeopleWrite) {
  all_rows(json_answer(R"([{"a":"1"}])"));
  ServerProcess server(options());
  for (const std::string domain :
       {"https://data.example.org", "DATA.EXAMPLE.ORG", "data.example.org/browse", "data.example.org.",
        " https://data.example.org/resource/abcd-1234.json?$limit=1 ", "https://data.example.org.:443/"}) {
    const auto answer = rows_of(server, {{"domain", domain}});
    EXPECT_EQ(answer.at("domain").as_string(), kHost) << domain;
  }
}

TEST_F(Socrata, WhatIsNoPublicHostIsRefusedBeforeAnythingIsSent) {
  ServerProcess server(options());
  for (const std::string domain :
       {"localhost", "127.0.0.1", "http://127.0.0.1:8080/", "2130706433", "0x7f.1", "[::1]", "169.254.169.254",
        "portal", "a b.example.org", "user@data.example.org", "data.example.local", "data.example.org\\@x"}) {
    const auto answer = rows_of(server, {{"domain", domain}});
    EXPECT_EQ(reason_of(answer), "invalid_domain") << domain;
    EXPECT_EQ(answer.at("error").at("code"), -32007) << domain;
    EXPECT_FALSE(hint_of(answer).empty()) << domain;
  }
  EXPECT_EQ(reason_of(server.call("socrata_get_dataset", {{"dataset_id", "abc-123"}})), "invalid_id");
  EXPECT_TRUE(portal_.requests().empty());
}

TEST_F(Socrata, ARowThatIsBrokenIsLeftOutAndTold) {
  all_rows(json_answer(R"([{"a":"1"},{"a":"\ud800"},{"a":"3"}])"));
  ServerProcess server(options());
  const auto id = server.start_call("socrata_query_dataset", {{"dataset_id", "abcd-1234"}});
  const auto message = server.wait_for(id);
  const auto& result = message.at("result").as_object();
  EXPECT_EQ(result.at("structuredContent").at("row_count"), 2);
  const std::string text(result.at("content").at(0).at("text").as_string());
  EXPECT_NE(text.find("Row 2 of the portal's page was left out"), std::string::npos) << text;
}

// The answer's bytes are bounded at row borders, the first row comes whole, and the rest can be had.
TEST_F(Socrata, TheAnswersBytesEndAPageAtARow) {
  std::string body = "[";
  for (int i = 0; i < 100; ++i)
    body += fmt::format(R"({}{{"i":"{}","t":"{}"}})", i == 0 ? "" : ",", i, std::string(100, 'x'));
  portal_.handle([body](const PortalRequest& request) -> std::optional<PortalAnswer> {
    if (request.parameter("$select") == "count(*) as n") return json_answer(R"([{"n":"100"}])");
    return request.path == kRows ? std::optional(json_answer(body + "]")) : std::nullopt;
  });
  ServerProcess server(options({"--answer-bytes", "4096"}));
  const auto id = server.start_call("socrata_query_dataset", {{"dataset_id", "abcd-1234"}});
  const auto result = server.wait_for(id).at("result").as_object();
  const auto& answer = result.at("structuredContent").as_object();
  const auto shown = answer.at("rows").as_array().size();
  EXPECT_LE(json::serialize(answer).size(), 4096u);
  EXPECT_GT(shown, 20u);
  EXPECT_EQ(answer.at("truncated"), true);
  EXPECT_EQ(answer.at("total_count"), 100);
  EXPECT_NE(answer.at("notice").as_string().find(fmt::format("offset={}", shown)), json::string::npos);
  const std::string text(result.at("content").at(0).at("text").as_string());
  EXPECT_EQ(text.find(fmt::format(R"({{"i":"{}")", shown)), std::string::npos) << "the text has no other rows";
  ServerProcess tiny(options({"--answer-bytes", "1"}));
  EXPECT_EQ(rows_of(tiny).at("rows").as_array().size(), 1u);
  ServerProcess unbounded(options({"--answer-bytes", "0"}));
  EXPECT_EQ(rows_of(unbounded).at("rows").as_array().size(), 100u);
}

TEST_F(Socrata, APortalThatRefusesIdIsAskedWithoutIt) {
  portal_.handle([](const PortalRequest& request) -> std::optional<PortalAnswer> {
    if (request.path != kRows) return std::nullopt;
    if (request.parameter("$order").find(":id") == std::string::npos) return json_answer(R"([{"a":"1"}])");
    return json_answer(
        R"({"message":"No such column: :id","errorCode":"query.soql.no-such-column","data":{"column":":id"}})", 400);
  });
  ServerProcess server(options());
  const auto id = server.start_call("socrata_query_dataset", {{"dataset_id", "abcd-1234"}, {"order", "a"}});
  const auto result = server.wait_for(id).at("result").as_object();
  EXPECT_EQ(result.at("structuredContent").at("assembled_query"), "$order=a $limit=100");
  EXPECT_NE(result.at("content").at(0).at("text").as_string().find("refuses an order that is total"),
            json::string::npos);
}

TEST_F(Socrata, NoRowsComeWithAdvice) {
  all_rows(json_answer("[]\n"));
  metadata(json_answer(views()));
  ServerProcess server(options());
  const auto none = rows_of(server, {{"where", "name = 'x'"}});
  EXPECT_EQ(none.at("row_count"), 0);
  EXPECT_NE(none.at("notice").as_string().find("name = 'x'"), json::string::npos);
  EXPECT_NE(rows_of(server, {{"offset", 10}}).at("notice").as_string().find("offset 10"), json::string::npos);
  EXPECT_NE(rows_of(server).at("notice").as_string().find("has no rows"), json::string::npos);
}

// A-26: no rows of what is no table is not an empty table.
TEST_F(Socrata, AnAssetThatIsNoTableIsToldApartFromAnEmptyOne) {
  metadata(json_answer(R"({"id":"abcd-1234","name":"Zip","viewType":"geo","columns":[],"childViews":["wxyz-9876"]})"));
  rows("$limit=101&$order=:id", json_answer("[ ]"));
  rows("$limit=101&$order=:id&$where=a=1",
       json_answer(R"({"error":true,"message":"no row or column access to non-tabular tables"})", 403));
  ServerProcess server(options());
  for (const json::object& arguments : {json::object{}, json::object{{"where", "a=1"}}}) {
    const auto answer = rows_of(server, arguments);
    EXPECT_EQ(reason_of(answer), "not_queryable");
    EXPECT_EQ(answer.at("error").at("data").at("retryable"), false);
    EXPECT_NE(hint_of(answer).find("wxyz-9876"), std::string::npos);
  }
}

// ---- Failures: each row of the table

TEST_F(Socrata, EachFailureHasItsReasonCodeAndHint) {
  struct Case {
    const char* what;
    PortalAnswer answer;
    const char* reason;
    int code;
    bool retryable;
    std::size_t requests;  // of the rows
    const char* hint;      // a part of it
  };
  const auto soda = [](int status, const char* body) { return json_answer(body, status); };
  const Case cases[] = {
      {"404 of SODA", soda(404, R"({"error":true,"message":"Not found"})"), "not_found", -32001, false, 1,
       "another portal"},
      {"404 with a code", soda(404, R"({"code":"dataset.missing","message":"Not found"})"), "not_found", -32001, false,
       1, ""},
      {"404 with an errorCode", soda(404, R"({"errorCode":"x","message":"Not found"})"), "not_found", -32001, false, 1,
       ""},
      {"404 of something else", html_answer(404), "unknown_domain", -32001, false, 1, "socrata_list_portals"},
      {"404 with JSON of something else", soda(404, R"({"status":404})"), "unknown_domain", -32001, false, 1, ""},
      {"403 of SODA", soda(403, R"({"code":"permission_denied","error":true,"message":"You do not have permission"})"),
       "access_denied", -32005, false, 1, ""},
      {"403 of a gateway", html_answer(403), "not_found", -32001, false, 1, ""},
      {"403 of a gateway that speaks JSON", soda(403, R"({"message":"Forbidden"})"), "not_found", -32001, false, 1, ""},
      {"401", soda(401, "{}"), "access_denied", -32006, false, 1, ""},
      {"400 of SODA with a code",
       soda(400, R"({"code":"query.compiler.malformed","message":"Could not parse SoQL query"})"), "soql_error", -32007,
       false, 1, "field names"},
      {"400 of SODA with an errorCode",
       soda(
           400,
           R"json({"errorCode":"query.soql.type-mismatch","message":"Type mismatch for op$=, is number; position: Map(row -> 1)"})json"),
       "soql_error", -32007, false, 1, "single quotes"},
      {"400 of something else", html_answer(400), "bad_request", -32602, false, 1, ""},
      {"429 with JSON", soda(429, R"({"code":"too_many","message":"Slow down"})"), "rate_limited", -32003, true, 4,
       "SOCRATA_APP_TOKEN"},
      {"429 with HTML", html_answer(429), "rate_limited", -32003, true, 4, ""},
      {"429 that names a long wait",
       {.status = 429, .headers = {{"Retry-After", "3600"}}, .body = ""},
       "rate_limited",
       -32003,
       true,
       1,
       ""},
      {"500", soda(500, R"({"error":true,"message":"Internal error"})"), "upstream_error", -32000, true, 4, ""},
      {"502", html_answer(502), "upstream_error", -32000, true, 4, ""},
      {"503", html_answer(503), "upstream_error", -32000, true, 4, ""},
      {"504", html_answer(504), "timeout", -32004, true, 4, "filter"},
      {"501", html_answer(501), "upstream_error", -32603, false, 1, ""},
      {"408", html_answer(408), "timeout", -32004, true, 4, ""},
      {"410", html_answer(410), "upstream_error", -32600, false, 1, ""},
      {"200 that is no JSON", html_answer(200), "upstream_error", -32000, true, 4, ""},
      {"200 with a comment in front", json_answer("// data\n[]"), "upstream_error", -32000, true, 4, ""},
      {"200 that is no array", json_answer(R"({"rows":[]})"), "unknown_domain", -32001, false, 1, ""},
      {"200 whose rows are no objects", json_answer("[1,2]"), "unknown_domain", -32001, false, 1, ""},
      {"cut in its body",
       {.body = R"([{"a":"1"},{"a":"2"}])", .fault = Fault::of(Fault::Kind::truncated)},
       "upstream_error",
       -32000,
       true,
       4,
       ""},
      {"JSON that ends too early", json_answer(R"([{"a":"1"},{"a":)"), "upstream_error", -32000, true, 4, ""},
      {"reset", {.fault = Fault::of(Fault::Kind::reset)}, "upstream_error", -32000, true, 4, ""},
      {"a redirect to http",
       {.status = 302, .headers = {{"Location", "http://data.example.org/x"}}},
       "unknown_domain",
       -32001,
       false,
       1,
       ""},
      {"a redirect to an address",
       {.status = 302, .headers = {{"Location", "https://127.0.0.1/x"}}},
       "unknown_domain",
       -32001,
       false,
       1,
       ""},
      {"a redirect to another port",
       {.status = 302, .headers = {{"Location", "https://other.example.org:8443/x"}}},
       "unknown_domain",
       -32001,
       false,
       1,
       ""},
      {"a redirect to itself",
       {.status = 302, .headers = {{"Location", "/resource/abcd-1234.json"}}},
       "unknown_domain",
       -32001,
       false,
       4,
       ""},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.what);
    ReplayPortal portal;
    portal.handle([answer = one.answer](const PortalRequest& request) -> std::optional<PortalAnswer> {
      if (request.path == kRows) return answer;
      if (request.host == kUs) return json_answer(catalog({}));
      return std::nullopt;
    });
    ServerProcess server({.arguments = {"--retry-delay", "0.01", "--portal-map", kHost + "=" + portal.url(),
                                        "--portal-map", kUs + "=" + portal.url(), "--default-domain", kHost}});
    const auto id = server.start_call("socrata_query_dataset", {{"dataset_id", "abcd-1234"}, {"where", "secret = 1"}});
    const auto result = server.wait_for(id).at("result").as_object();
    EXPECT_EQ(result.at("isError"), true);
    const auto& answer = result.at("structuredContent").as_object();
    EXPECT_EQ(reason_of(answer), one.reason) << json::serialize(answer);
    EXPECT_EQ(answer.at("error").at("code"), one.code);
    EXPECT_EQ(answer.at("error").at("data").at("retryable"), one.retryable);
    EXPECT_NE(hint_of(answer).find(one.hint), std::string::npos) << hint_of(answer);
    std::size_t asked = 0;
    for (const auto& request : portal.requests()) asked += request.path == kRows ? 1 : 0;
    EXPECT_EQ(asked, one.requests);
    const auto text = json::serialize(result);
    EXPECT_EQ(text.find("secret"), std::string::npos) << "the caller's query is not echoed: " << text;
    EXPECT_EQ(text.find("<html>"), std::string::npos) << "no HTML reaches the model";
    EXPECT_EQ(text.find("position: Map"), std::string::npos);
  }
}

// A-13 to A-23: what the portal's own error lets one say.
TEST_F(Socrata, TheHintFitsThePortalsError) {
  struct Case {
    const char* what;
    const char* body;
    const char* code;
    const char* hint;
  };
  const Case cases[] = {
      {"A-13 a text without quotes",
       R"({"errorCode":"query.soql.no-such-column","message":"No such column: Manhattan","data":{"column":"Manhattan"}})",
       "query.soql.no-such-column", "Manhattan is a column"},
      {"A-14 a label for a name",
       R"({"errorCode":"query.soql.no-such-column","message":"No such column: Full Name","data":{"column":"Full Name"}})",
       "query.soql.no-such-column", "its API field name is name"},
      {"a name that is nearly one",
       R"({"errorCode":"query.soql.no-such-column","message":"No such column: yaer","data":{"column":"yaer"}})",
       "query.soql.no-such-column", "year"},
      {"A-16 not in the group",
       R"({"errorCode":"query.soql.column-not-in-group-bys","message":"x","data":{"column":"state"}})",
       "query.soql.column-not-in-group-bys", "Name state in group"},
      {"A-18 a keyword",
       R"({"code":"query.compiler.malformed","message":"Could not parse SoQL query at line 1 character 16: Expected an expression, but got `GROUP'"})",
       "query.compiler.malformed", "`group`"},
      {"A-19 a date without quotes",
       R"({"code":"query.compiler.malformed","message":"Could not parse SoQL query: Expected one of end of input, but got `T00'"})",
       "query.compiler.malformed", "dates"},
      {"A-22 a text as a date",
       R"({"errorCode":"query.soql.type-mismatch","message":"Type mismatch for date_extract_y, is text"})",
       "query.soql.type-mismatch", "::floating_timestamp"},
      {"A-23 an alias hides a column",
       R"({"errorCode":"query.soql.type-mismatch","message":"Type mismatch for op$=, is number"})",
       "query.soql.type-mismatch", "alias"},
      {"A-15 the older shape",
       R"({"code":"query.compiler.malformed","error":true,"message":"Could not parse SoQL query"})",
       "query.compiler.malformed", "field names"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.what);
    ReplayPortal portal;
    portal.handle([body = one.body](const PortalRequest& request) -> std::optional<PortalAnswer> {
      return request.path == kViews ? json_answer(views()) : json_answer(body, 400);
    });
    ServerProcess server({.arguments = {"--portal-map", kHost + "=" + portal.url(), "--default-domain", kHost}});
    const auto answer = rows_of(server);
    EXPECT_EQ(reason_of(answer), "soql_error");
    EXPECT_EQ(answer.at("error").at("data").at("socrataCode"), one.code);
    EXPECT_NE(hint_of(answer).find(one.hint), std::string::npos) << hint_of(answer);
  }
}

// A-30.
TEST_F(Socrata, AMissingDatasetIsLookedUpInTheCatalog) {
  metadata(json_answer(R"({"error":true,"message":"Not found"})", 404));
  catalog_places("other.example.org");
  ServerProcess server(options());
  const auto answer = server.call("socrata_get_dataset", {{"dataset_id", "abcd-1234"}});
  EXPECT_EQ(reason_of(answer), "not_found");
  EXPECT_EQ(answer.at("error").at("data").at("found_on_domain"), "other.example.org");
  EXPECT_EQ(answer.at("error").at("data").at("dataset_id"), "abcd-1234");
  EXPECT_NE(hint_of(answer).find("domain=other.example.org"), std::string::npos);
}

TEST_F(Socrata, AGatewayThatRefusesWhatTheCatalogListsThereIsNoPortalForUs) {
  metadata(html_answer(403));
  catalog_places(kHost);
  ServerProcess server(options());
  EXPECT_EQ(reason_of(server.call("socrata_get_dataset", {{"dataset_id", "abcd-1234"}})), "unknown_domain");
}

// A-28, A-29.
TEST_F(Socrata, ARedirectToAPortalIsFollowedAndToSomethingElseTold) {
  portal_.answer(
      kHost, "GET", kRows, "$limit=101&$order=:id",
      {.status = 301,
       .headers = {{"Location", "https://other.example.org/resource/abcd-1234.json?$order=:id&$limit=101"}}});
  portal_.answer("other.example.org", "GET", kRows, "$limit=101&$order=:id", json_answer(R"([{"a":"1"}])"));
  ServerProcess server(options());
  EXPECT_EQ(rows_of(server).at("domain"), "other.example.org");
  metadata({.status = 302, .headers = {{"Location", "https://other.example.org/legacy"}}});
  portal_.answer("other.example.org", "GET", "/legacy", "", html_answer(200));
  const auto answer = server.call("socrata_get_dataset", {{"dataset_id", "abcd-1234"}});
  EXPECT_EQ(reason_of(answer), "unknown_domain");
  EXPECT_EQ(answer.at("error").at("data").at("redirectedTo"), "other.example.org");
  EXPECT_EQ(asked_of("/legacy"), 1u);
}

// A-32: the wait that the portal names is kept.
TEST_F(Socrata, WhatPassesIsTriedAgain) {
  rows("$limit=101&$order=:id", {.status = 429, .headers = {{"Retry-After", "1"}}, .body = "slow down"});
  rows("$limit=101&$order=:id", html_answer(503));
  rows("$limit=101&$order=:id", json_answer(R"([{"a":"1"}])"));
  ServerProcess server(options());
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(rows_of(server).at("row_count"), 1);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 1s);
  EXPECT_EQ(asked_of(kRows), 3u);
}

// A-33: a query that is still at work is asked about until the call's time is over.
TEST_F(Socrata, AQueryStillAtWorkIsAskedAboutAndThenToldSo) {
  rows("$limit=101&$order=:id", json_answer("{}", 202));
  rows("$limit=101&$order=:id", json_answer("{}", 202));
  rows("$limit=101&$order=:id", json_answer(R"([{"a":"1"}])"));
  rows("$limit=101&$order=:id&$where=b=1", json_answer("{}", 202));
  ServerProcess server(options({"--portal-deadline", "1"}));
  EXPECT_EQ(rows_of(server).at("row_count"), 1);
  const auto answer = rows_of(server, {{"where", "b=1"}});
  EXPECT_EQ(reason_of(answer), "upstream_error");
  EXPECT_EQ(answer.at("error").at("data").at("retryable"), true);
  EXPECT_NE(hint_of(answer).find("again"), std::string::npos);
}

// A portal that drips is no faster than one that is silent: the call's own limit holds.
TEST_F(Socrata, ACallEndsByItsOwnLimit) {
  all_rows({.body = std::string(100'000, ' '), .fault = Fault::slow(0ms, 20)});
  ServerProcess server(options({"--portal-deadline", "1"}));
  EXPECT_EQ(reason_of(rows_of(server)), "timeout");
}

TEST_F(Socrata, AHostThatWantsToBeLeftAloneIs) {
  rows("$limit=101&$order=:id", {.status = 429, .headers = {{"Retry-After", "3600"}}, .body = ""});
  portal_.answer(kUs, "GET", kCatalog, "limit=10", {.status = 429, .headers = {{"Retry-After", "25"}}, .body = ""});
  ServerProcess server(options({"--portal-deadline", "2"}));
  for (int i = 0; i < 3; ++i) {
    const auto answer = rows_of(server);
    EXPECT_EQ(reason_of(answer), "rate_limited");
    EXPECT_TRUE(answer.at("error").at("data").as_object().contains("retryAfter"));
  }
  EXPECT_EQ(asked_of(kRows), 1u);
  EXPECT_EQ(reason_of(server.call("socrata_find_datasets", {})), "rate_limited");
  EXPECT_EQ(server.call("socrata_list_portals", {}).at("totalCount"), 41) << "the list is there without its counts";
}

// What a portal calls a number may be none that we can hold.
TEST_F(Socrata, NumbersThatAreNoCountsHurtNobody) {
  metadata(json_answer(
      R"({"id":"abcd-1234","name":"x","rowsUpdatedAt":1.5,"cachedContents":{"total_rows":1e300},"columns":[{"fieldName":"a",
      "dataTypeName":"text","cachedContents":{"non_null":18446744073709551615}}]})"));
  portal_.handle([](const PortalRequest& request) -> std::optional<PortalAnswer> {
    return request.host == kUs ? std::optional(json_answer(R"({"results":[],"resultSetSize":1e30})")) : std::nullopt;
  });
  ServerProcess server(options());
  EXPECT_FALSE(server.call("socrata_get_dataset", {{"dataset_id", "abcd-1234"}}).contains("row_count"));
  EXPECT_EQ(server.call("socrata_find_datasets", {}).at("totalCount"), 0);
  EXPECT_EQ(server.call("socrata_list_portals", {}).at("totalCount"), 41);
}

// An order that the portal cannot give is not the caller's mistake.
TEST_F(Socrata, AnAddedOrderThatThePortalRefusesIsLeftOut) {
  portal_.handle([](const PortalRequest& request) -> std::optional<PortalAnswer> {
    if (request.path != kRows) return std::nullopt;
    if (request.parameter("$order").empty()) return json_answer(R"([{"place":"1"}])");
    return json_answer(R"({"errorCode":"query.soql.unordered-order-by","message":"Unable to order by type point"})",
                       400);
  });
  ServerProcess server(options());
  const auto answer = rows_of(server, {{"select", "distinct place"}});
  EXPECT_EQ(answer.at("row_count"), 1);
  EXPECT_EQ(answer.at("assembled_query"), "$select=distinct place $limit=100");
}

TEST_F(Socrata, ABrokenRowCountsAsThePlaceItHas) {
  portal_.handle([](const PortalRequest& request) -> std::optional<PortalAnswer> {
    if (request.parameter("$select") == "count(*) as n") return json_answer(R"([{"n":"9"}])");
    return json_answer(R"([{"i":"0"},{"i":"\ud800"},{"i":"2"},{"i":"3"}])");
  });
  ServerProcess server(options());
  const auto answer = rows_of(server, {{"limit", 3}});
  EXPECT_EQ(json::serialize(answer.at("rows")), R"([{"i":"0"},{"i":"2"}])");
  EXPECT_NE(answer.at("notice").as_string().find("offset=3"), json::string::npos);
}

TEST_F(Socrata, TheAnswersBytesEndASearchAtAResult) {
  std::vector<std::string> entries;
  for (int i = 0; i < 50; ++i) entries.push_back(catalog_entry(fmt::format("abcd-{:04}", i), kHost));
  portal_.handle([entries](const PortalRequest&) { return std::optional(json_answer(catalog(entries, 80))); });
  ServerProcess server(options({"--answer-bytes", "2048"}));
  const auto id = server.start_call("socrata_find_datasets", {{"limit", 50}});
  const auto result = server.wait_for(id).at("result").as_object();
  const auto shown = result.at("structuredContent").at("results").as_array().size();
  EXPECT_LE(json::serialize(result.at("structuredContent")).size(), 2048u);
  EXPECT_GT(shown, 3u);
  EXPECT_NE(result.at("content").at(0).at("text").as_string().find(fmt::format("offset={}", shown)),
            json::string::npos);
}

// One caller's cancel is nobody else's: the portals are counted for the next.
TEST_F(Socrata, ACancelledCountIsNotRemembered) {
  const auto silent = std::make_shared<std::atomic<bool>>(true);  // the portal outlives this test
  portal_.handle([silent](const PortalRequest&) -> std::optional<PortalAnswer> {
    if (*silent) return PortalAnswer{.fault = Fault::of(Fault::Kind::silent)};
    return json_answer(catalog({}, 3));
  });
  ServerProcess server(options());
  const auto id = server.start_call("socrata_list_portals", {});
  portal_.wait_for_requests(8);
  server.send(fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{}}}}})", id));
  EXPECT_TRUE(eventually(5s, [&] { return portal_.open_connections() == 0; }));
  *silent = false;
  EXPECT_EQ(server.call("socrata_list_portals", {}).at("portals").at(7).at("dataset_count"), 3);
}

// ---- The app token

TEST_F(Socrata, TheTokenGoesToTheHostsItIsFor) {
  all_rows(json_answer(R"([{"a":"1"}])"));
  portal_.handle([](const PortalRequest& request) -> std::optional<PortalAnswer> {
    return request.host == "other.example.org" ? std::optional(json_answer(R"([{"a":"1"}])")) : std::nullopt;
  });
  const std::vector<std::string> environment{"SOCRATA_APP_TOKEN=hush-hush"};
  ServerProcess server(options({"--token-host", kHost}, environment));
  rows_of(server);
  rows_of(server, {{"domain", "other.example.org"}});
  const auto requests = portal_.requests();
  EXPECT_EQ(requests.at(0).header("X-App-Token"), "hush-hush");
  EXPECT_EQ(requests.at(1).header("X-App-Token"), "") << "a mapped host is nobody's until it is named";
}

// A-31.
TEST_F(Socrata, ATokenThatThePortalRefusesIsNotSentAgain) {
  portal_.handle([](const PortalRequest& request) -> std::optional<PortalAnswer> {
    if (request.header("X-App-Token").empty()) return json_answer(R"([{"a":"1"}])");
    return json_answer(R"({"code":"permission_denied","error":true,"message":"Invalid app_token specified"})", 403);
  });
  ServerProcess server(options({"--token-host", kHost}, {"SOCRATA_APP_TOKEN=hush-hush"}));
  EXPECT_EQ(rows_of(server).at("row_count"), 1);
  EXPECT_EQ(rows_of(server).at("row_count"), 1);
  EXPECT_EQ(portal_.requests().size(), 3u);
  const auto log = server.standard_error();
  EXPECT_NE(log.find("refuses the app token"), std::string::npos) << log;
  EXPECT_EQ(log.find("hush-hush"), std::string::npos) << log;
}

// ---- Cancellation and many at once

TEST_F(Socrata, ACancelledCallLeavesThePortal) {
  all_rows({.fault = Fault::of(Fault::Kind::silent)});
  ServerProcess server(options());
  const auto id = server.start_call("socrata_query_dataset", {{"dataset_id", "abcd-1234"}});
  portal_.wait_for_requests(1);
  server.send(fmt::format(R"({{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{}}}}})", id));
  EXPECT_TRUE(eventually(5s, [&] { return portal_.open_connections() == 0; }));
  EXPECT_EQ(server.request("tools/list").contains("result"), true);
}

TEST_F(Socrata, TheServerEndsWhileAPortalIsSilent) {
  portal_.handle(
      [](const PortalRequest&) { return std::optional(PortalAnswer{.fault = Fault::of(Fault::Kind::silent)}); });
  ServerProcess server(options());
  server.start_call("socrata_query_dataset", {{"dataset_id", "abcd-1234"}});
  server.start_call("socrata_get_dataset", {{"dataset_id", "abcd-1234"}});
  server.start_call("socrata_list_portals", {});
  portal_.wait_for_requests(3);
  server.close_input();
  EXPECT_EQ(server.wait_for_exit(5s), 0);
}

TEST_F(Socrata, CallsThatWantTheSameMetadataShareOneRequest) {
  metadata({.body = views(), .fault = Fault::slow(200ms)});
  ServerProcess server(options());
  std::vector<std::int64_t> calls;
  for (int i = 0; i < 10; ++i) calls.push_back(server.start_call("socrata_get_dataset", {{"dataset_id", "abcd-1234"}}));
  for (const auto id : calls) EXPECT_EQ(server.wait_for(id).at("result").at("structuredContent").at("name"), "Things");
  server.call("socrata_get_dataset", {{"dataset_id", "abcd-1234"}});
  EXPECT_EQ(portal_.requests().size(), 1u) << "and what was read is kept";
}

// ---- The catalog

TEST_F(Socrata, ASearchIsScopedToItsPortal) {
  portal_.handle([](const PortalRequest& request) -> std::optional<PortalAnswer> {
    return request.host == kUs
               ? std::optional(json_answer(catalog({catalog_entry("abcd-1234", "cos-data.seattle.gov")}, 10'000)))
               : std::nullopt;
  });
  ServerProcess server(options());
  const auto id = server.start_call("socrata_find_datasets", {{"query", "fire & rescue"},
                                                              {"domain", "https://data.seattle.gov/"},
                                                              {"categories", json::array{"Public Safety", "A"}},
                                                              {"tags", json::array{"x"}},
                                                              {"only", "datasets"},
                                                              {"order", "updated_at"},
                                                              {"limit", 5},
                                                              {"offset", 10}});
  const auto result = server.wait_for(id).at("result").as_object();
  // A-09: both names of the portal, and its own settings.
  EXPECT_EQ(sorted_query(portal_.requests().at(0).query),
            "categories=A&categories=Public "
            "Safety&domains=data.seattle.gov,cos-data.seattle.gov&limit=5&offset=10&only=datasets&"
            "order=updatedAt DESC&q=fire & rescue&search_context=data.seattle.gov&tags=x");
  const auto& answer = result.at("structuredContent").as_object();
  EXPECT_EQ(answer.at("results").at(0).at("domain"), "data.seattle.gov") << "the host to query";
  EXPECT_EQ(answer.at("effectiveQuery"), "fire & rescue");
  // A-35.
  EXPECT_NE(result.at("content").at(0).at("text").as_string().find("at least 10000"), json::string::npos);
}

TEST_F(Socrata, APortalOfEuropeIsAskedAtItsCatalog) {
  portal_.handle([](const PortalRequest& request) -> std::optional<PortalAnswer> {
    if (request.host == kUs) return json_answer(R"({"error":"Domain not found: data.example.org"})", 404);
    if (request.host == kEu) return json_answer(catalog({catalog_entry("abcd-1234", kHost)}));
    return std::nullopt;
  });
  ServerProcess server(options());
  EXPECT_EQ(server.call("socrata_find_datasets", {{"domain", kHost}}).at("totalCount"), 1);
}

TEST_F(Socrata, ADomainThatNoCatalogKnowsIsUnknown) {
  portal_.handle([](const PortalRequest&) {
    return std::optional(json_answer(R"({"error":"Domain not found: data.example.org"})", 404));
  });
  ServerProcess server(options());
  const auto answer = server.call("socrata_find_datasets", {{"domain", kHost}});
  EXPECT_EQ(reason_of(answer), "unknown_domain");
  EXPECT_NE(hint_of(answer).find("Leave domain out"), std::string::npos);
}

// A-35.
TEST_F(Socrata, APageBehindTheCatalogsWindowIsRefusedBeforeItIsAsked) {
  ServerProcess server(options());
  const auto answer = server.call("socrata_find_datasets", {{"offset", 9'999}, {"limit", 2}});
  EXPECT_EQ(reason_of(answer), "page_out_of_range");
  EXPECT_TRUE(portal_.requests().empty());
}

TEST_F(Socrata, NoResultSaysWhatWasLookedFor) {
  portal_.handle([](const PortalRequest&) { return std::optional(json_answer(catalog({}))); });
  ServerProcess server(options());
  const auto answer =
      server.call("socrata_find_datasets", {{"query", "xyzzy"}, {"domain", kHost}, {"tags", json::array{"t"}}});
  EXPECT_EQ(answer.at("totalCount"), 0);
  for (const std::string part : {"xyzzy", kHost.c_str(), "\"t\""}) {
    EXPECT_NE(answer.at("notice").as_string().find(part), json::string::npos) << part;
  }
}

// ---- Portals

TEST_F(Socrata, PortalsAreCountedOnceAndMappedOnesComeFirst) {
  portal_.handle([](const PortalRequest& request) -> std::optional<PortalAnswer> {
    if (request.parameter("search_context") == "data.seattle.gov") return json_answer(catalog({}, 147));
    return json_answer(catalog({}, 3));
  });
  ServerProcess server(options());
  const auto first = server.call("socrata_list_portals", {});
  EXPECT_EQ(first.at("totalCount"), 41) << "39 known ones and two that are mapped";
  EXPECT_EQ(first.at("portals").at(0).at("domain").as_string(), kHost);
  const auto seattle = server.call("socrata_list_portals", {{"query", "SEATTLE"}});
  EXPECT_EQ(seattle.at("totalCount"), 1);
  EXPECT_EQ(seattle.at("portals").at(0).at("dataset_count"), 147);
  EXPECT_EQ(seattle.at("portals").at(0).at("organization"), "City of Seattle");
  EXPECT_EQ(server.call("socrata_list_portals", {{"query", "state of"}, {"limit", 5}, {"offset", 10}})
                .at("portals")
                .as_array()
                .size(),
            3u);
  EXPECT_TRUE(server.call("socrata_list_portals", {{"query", "xyzzy"}}).contains("notice"));
  EXPECT_EQ(portal_.requests().size(), 41u) << "the catalogs are no portals";
}

TEST_F(Socrata, WithoutACatalogCountsAreNullAndTheFailureIsRemembered) {
  portal_.handle([](const PortalRequest&) { return std::optional(html_answer(503)); });
  ServerProcess server(options());
  EXPECT_TRUE(server.call("socrata_list_portals", {}).at("portals").at(5).at("dataset_count").is_null());
  const auto asked = portal_.requests().size();
  EXPECT_LT(asked, 41u) << "a catalog that is down is not asked for every portal";
  server.call("socrata_list_portals", {});
  EXPECT_EQ(portal_.requests().size(), asked);
}

TEST_F(Socrata, ArgumentsThatDoNotFitNameTheirField) {
  ServerProcess server(options());
  const std::pair<const char*, json::object> cases[] = {
      {"socrata_list_portals", {{"limit", 201}}},
      {"socrata_find_datasets", {{"order", "newest"}}},
      {"socrata_get_dataset", {{"dataset_id", 1}}},
      {"socrata_query_dataset", {{"dataset_id", "abcd-1234"}, {"limit", 5001}}},
      {"socrata_query_dataset", {{"dataset_id", "abcd-1234"}, {"$where", "a=1"}}},
      {"socrata_query_dataset", {{"dataset_id", "abcd-1234"}, {"canvas_id", "short"}}},
  };
  for (const auto& [tool, arguments] : cases) {
    const auto answer = server.call(tool, arguments);
    EXPECT_EQ(answer.at("error").at("code"), -32602) << tool;
    EXPECT_EQ(reason_of(answer), "invalid_arguments") << tool;
    EXPECT_FALSE(hint_of(answer).empty()) << tool;
  }
  EXPECT_TRUE(portal_.requests().empty());
}

// ---- By address, as a prompt, while typing

TEST_F(Socrata, PortalsAndDatasetsAreResources) {
  metadata(json_answer(views()));
  portal_.handle([](const PortalRequest& request) -> std::optional<PortalAnswer> {
    return request.host == kUs ? std::optional(json_answer(catalog({}, 7))) : std::nullopt;
  });
  ServerProcess server(options());
  const auto read = [&](const std::string& uri) { return server.request("resources/read", {{"uri", uri}}); };
  const auto portals = read("socrata://portals");
  const auto listed = json::parse(portals.at("result").at("contents").at(0).at("text").as_string());
  EXPECT_EQ(listed.at("total_count"), 41);
  EXPECT_EQ(listed.at("portals").at(40).at("dataset_count"), 7);
  const auto dataset = read("socrata://datasets/data.example.org/abcd-1234");
  const auto asset = json::parse(dataset.at("result").at("contents").at(0).at("text").as_string());
  EXPECT_EQ(asset, json::value(server.call("socrata_get_dataset", {{"dataset_id", "abcd-1234"}})));
  for (const std::string uri : {"socrata://datasets/data.example.org/abc", "socrata://datasets/localhost/abcd-1234",
                                "socrata://datasets/data.example.org/wxyz-0000"}) {
    EXPECT_EQ(read(uri).at("error").at("code"), -32602) << uri;
  }
  bool example = false;
  const auto resources = server.request("resources/list");
  for (const auto& resource : resources.at("result").at("resources").as_array()) {
    example = example || resource.at("uri") == "socrata://datasets/data.seattle.gov/kzjm-xkqj";
  }
  EXPECT_TRUE(example);
}

TEST_F(Socrata, ThePromptLeadsThroughThePortalItIsGiven) {
  ServerProcess server(options());
  const auto get = [&](json::object arguments) {
    return server.request("prompts/get", {{"name", "explore_open_data"}, {"arguments", std::move(arguments)}});
  };
  const auto answer = get({{"topic", "fire calls"}, {"portal", "https://Data.Seattle.gov/"}, {"geography", "Ballard"}});
  const std::string text(answer.at("result").at("messages").at(0).at("content").at("text").as_string());
  for (const std::string part : {"fire calls", "data.seattle.gov", "Ballard", "socrata_find_datasets",
                                 "socrata_get_dataset", "socrata_query_dataset"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_TRUE(get({}).contains("error")) << "topic is required";
  EXPECT_TRUE(get({{"topic", "x"}, {"portal", "localhost"}}).contains("error"));
}

TEST_F(Socrata, PortalsIdsAndTopicsAreCompleted) {
  portal_.handle([](const PortalRequest&) {
    return std::optional(json_answer(R"({"results":[{"resource":{"id":"abcd-1234","name":"n","columns_field_name":[]},
      "classification":{"domain_category":"Public Safety","domain_tags":["fire"]},"metadata":{"domain":"data.example.org"}}],"resultSetSize":1})"));
  });
  ServerProcess server(options());
  const auto complete = [&](json::object ref, const char* name, const char* value, json::object others = {}) {
    const auto answer =
        server.request("completion/complete", {{"ref", std::move(ref)},
                                               {"argument", json::object{{"name", name}, {"value", value}}},
                                               {"context", json::object{{"arguments", std::move(others)}}}});
    return json::serialize(answer.at("result").at("completion").at("values"));
  };
  const json::object prompt{{"type", "ref/prompt"}, {"name", "explore_open_data"}};
  const json::object dataset{{"type", "ref/resource"}, {"uri", "socrata://datasets/{domain}/{id}"}};
  EXPECT_EQ(complete(prompt, "portal", "data.sea"), R"(["data.seattle.gov"])");
  EXPECT_EQ(complete(prompt, "topic", "Pub"), "[]") << "nothing was searched yet";
  server.call("socrata_find_datasets", {});
  EXPECT_EQ(complete(prompt, "topic", "Pub"), R"(["Public Safety"])");
  EXPECT_EQ(complete(dataset, "id", "ab", {{"domain", kHost}}), R"(["abcd-1234"])");
  EXPECT_EQ(complete(dataset, "domain", "data.ex"), R"(["data.example.org"])");
}

// ---- Set-up

TEST_F(Socrata, ATokenMayHaveSpaceAroundItAndNothingElse) {
  all_rows(json_answer("[]"));
  {
    ServerProcess server(options({"--token-host", kHost}, {"SOCRATA_APP_TOKEN= hush-hush\n"}));
    rows_of(server, {{"where", "a=1"}});
    EXPECT_EQ(portal_.requests().at(0).header("X-App-Token"), "hush-hush");
  }
  ServerProcess server(options({}, {"SOCRATA_APP_TOKEN=hush\r\nX-Other: 1"}));
  server.close_input();
  EXPECT_EQ(server.wait_for_exit(5s), 1);
  EXPECT_EQ(server.standard_error().find("hush"), std::string::npos);
}

TEST_F(Socrata, ASettingThatDoesNotFitStopsTheStart) {
  const std::vector<std::string> cases[] = {
      {"--portal-map", "data.example.org"},
      {"--portal-map", "localhost=http://127.0.0.1:1"},
      {"--portal-map", "data.example.org=ftp://x"},
      {"--portal-map", "data.example.org=http://127.0.0.1/path"},
      {"--portal-map", "data.example.org=http://"},
      {"--portal-map", "data.example.org=http://u@h"},
      {"--default-domain", "localhost"},
      {"--token-host", "127.0.0.1"},
      {"--retry-delay", "0"},
  };
  for (const auto& arguments : cases) {
    SCOPED_TRACE(arguments[1]);
    ServerProcess server({.arguments = arguments});
    server.close_input();
    const auto code = server.wait_for_exit(5s);
    ASSERT_TRUE(code);
    EXPECT_NE(*code, 0);
    EXPECT_FALSE(server.standard_error().empty());
  }
}

}  // namespace
}  // namespace adit::test
