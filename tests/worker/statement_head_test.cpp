#include "gate/statement_head.h"

#include "adit/base/json_text.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>

namespace adit::worker {
namespace {

std::string_view kind_name(HeadKind kind) {
  switch (kind) {
    case HeadKind::none: return "none";
    case HeadKind::create: return "create";
    case HeadKind::drop: return "drop";
    case HeadKind::explain: return "explain";
  }
  return "";
}

// "create_view name (a, b) if_exists | body"
std::string shown(const StatementHead& head, std::string_view sql) {
  std::string text(head.kind == HeadKind::create ? kind_text(head.defined_as) : kind_name(head.kind));
  if (!head.name.empty()) text += " " + head.name;
  if (!head.columns.empty()) text += fmt::format(" ({})", fmt::join(head.columns, ", "));
  if (head.if_exists) text += " if_exists";
  if (head.analyze) text += " analyze";
  if (head.kind == HeadKind::create || head.kind == HeadKind::explain)
    text += fmt::format(" |{}", sql.substr(head.body));
  return text;
}

struct Head {
  std::string_view sql, head;
};

void expect_heads(std::initializer_list<Head> cases) {
  for (const auto& [sql, expected] : cases) {
    SCOPED_TRACE(sql);
    const auto head = read_statement_head(sql);
    ASSERT_TRUE(head.ok()) << head.error().message;
    EXPECT_EQ(shown(*head, sql), expected);
  }
}

struct Refused {
  std::string_view sql, reason;
  std::int64_t position;
  std::string_view message;  // a part of it
};

void expect_refusals(std::initializer_list<Refused> cases) {
  for (const auto& [sql, reason, position, message] : cases) {
    SCOPED_TRACE(sql);
    const auto head = read_statement_head(sql);
    ASSERT_FALSE(head.ok());
    EXPECT_EQ(head.error().reason, reason);
    EXPECT_EQ(head.error().stage, reason == "parse_error" ? "parse" : "policy");
    EXPECT_EQ(head.error().position, position);
    EXPECT_NE(head.error().message.find(message), std::string::npos) << head.error().message;
    EXPECT_FALSE(head.error().hint.empty());
    EXPECT_EQ(head.error().code, ErrorCode::validation);
  }
}

TEST(StatementHead, IsNoneForEverythingElse) {
  for (const std::string_view sql :
       {"", "SELECT 1", "\"CREATE\" VIEW", "'DROP'", "CREATES", "(CREATE VIEW v AS SELECT 1)", "INSERT INTO a SELECT 1",
        "EXPLAINING", "/* CREATE */ SELECT 1", "123", ";"}) {
    SCOPED_TRACE(sql);
    const auto head = read_statement_head(sql);
    ASSERT_TRUE(head.ok());
    EXPECT_EQ(head->kind, HeadKind::none);
    EXPECT_EQ(head->body, 0u);
  }
}

TEST(StatementHead, OfADefinitionGivesNameColumnsAndBody) {
  expect_heads({
      {"CREATE VIEW v AS SELECT 1", "create_view v |SELECT 1"},
      {"create or replace view V as select 1", "create_view V |select 1"},
      {"CREATE TEMP VIEW v AS SELECT 1", "create_temp_view v |SELECT 1"},
      {"CREATE TEMPORARY VIEW v AS SELECT 1", "create_temp_view v |SELECT 1"},
      {"CREATE TEMP TABLE v AS SELECT 1", "create_temp_table v |SELECT 1"},
      {"CREATE OR REPLACE TEMPORARY TABLE v AS SELECT 1", "create_temp_table v |SELECT 1"},
      {"CREATE VIEW IF NOT EXISTS v AS SELECT 1", "create_view v if_exists |SELECT 1"},
      {"CREATE TEMP TABLE IF NOT EXISTS v AS FROM t", "create_temp_table v if_exists |FROM t"},
      {"CREATE VIEW v(a) AS SELECT 1", "create_view v (a) |SELECT 1"},
      {"CREATE VIEW v ( a , \"b \"\"c\"\"\" , 街 ) AS SELECT 1", "create_view v (a, b \"c\", 街) |SELECT 1"},
      {"CREATE VIEW \"v w\" AS(SELECT 1)", "create_view v w |(SELECT 1)"},
      {"CREATE VIEW \"AS\" AS SELECT 1", "create_view AS |SELECT 1"},
      {"CREATE VIEW view AS SELECT 1", "create_view view |SELECT 1"},
      {"CREATE -- a\n/* b */ VIEW/**/v/**/AS/**/SELECT 1", "create_view v |SELECT 1"},
      {"CREATE VIEW v AS", "create_view v |"},
      {"CREATE VIEW v AS ASSELECT", "create_view v |ASSELECT"},
  });
}

TEST(StatementHead, OfADropGivesItsName) {
  expect_heads({
      {"DROP VIEW v", "drop v"},
      {"DROP TABLE v", "drop v"},
      {"drop view if exists \"v w\"", "drop v w if_exists"},
      {"DROP TABLE IF EXISTS v -- gone", "drop v if_exists"},
      {"DROP VIEW \"if\"", "drop if"},
  });
}

TEST(StatementHead, OfAnExplainLeavesItsBody) {
  expect_heads({
      {"EXPLAIN SELECT 1", "explain |SELECT 1"},
      {"explain analyze SELECT 1", "explain analyze |SELECT 1"},
      {"EXPLAIN /* a */ SELECT 1", "explain |SELECT 1"},
      {"EXPLAIN ANALYZE /* a */ FROM t", "explain analyze |FROM t"},
      {"EXPLAIN \"ANALYZE\"", "explain |\"ANALYZE\""},
      {"EXPLAIN", "explain |"},
      {"EXPLAIN (FORMAT json) SELECT 1", "explain |(FORMAT json) SELECT 1"},
  });
}

TEST(StatementHead, WhatWouldChangeTheDatasetIsRefusedWithTheWayThatWorks) {
  expect_refusals({
      {"CREATE TABLE t AS SELECT 1", "not_allowed", 7, "CREATE TABLE"},
      {"CREATE OR REPLACE TABLE t AS SELECT 1", "not_allowed", 18, "CREATE TABLE"},
      {"CREATE TABLE t (a INTEGER)", "not_allowed", 7, "CREATE TABLE"},
      {"CREATE MACRO m(a) AS a", "unsupported_statement", 7, "Only views and temporary tables"},
      {"CREATE TEMP MACRO m(a) AS a", "unsupported_statement", 12, "Only views and temporary tables"},
      {"CREATE SCHEMA s", "unsupported_statement", 7, "Only views and temporary tables"},
      {"CREATE SEQUENCE s", "unsupported_statement", 7, "Only views and temporary tables"},
      {"CREATE TYPE t AS ENUM ('a')", "unsupported_statement", 7, "Only views and temporary tables"},
      {"CREATE INDEX i ON t(a)", "unsupported_statement", 7, "Only views and temporary tables"},
      {"CREATE SECRET s (TYPE s3)", "unsupported_statement", 7, "Only views and temporary tables"},
      {"CREATE RECURSIVE VIEW v(a) AS SELECT 1", "unsupported_statement", 7, "Only views and temporary tables"},
      {"CREATE", "unsupported_statement", 6, "Only views and temporary tables"},
      {"DROP SCHEMA s CASCADE", "unsupported_statement", 5, "Only definitions"},
      {"DROP MACRO m", "unsupported_statement", 5, "Only definitions"},
      {"DROP", "unsupported_statement", 4, "Only definitions"},
  });
}

TEST(StatementHead, AQualifiedNameIsRefused) {
  expect_refusals({
      {"CREATE VIEW main.v AS SELECT 1", "not_allowed", 16, "without schema or catalog"},
      {"CREATE VIEW \"a\" . \"b\" AS SELECT 1", "not_allowed", 16, "without schema or catalog"},
      {"DROP VIEW main.v", "not_allowed", 14, "without schema or catalog"},
      {"CREATE VIEW v(a.b) AS SELECT 1", "not_allowed", 15, "without schema or catalog"},
  });
}

TEST(StatementHead, AHeadThatIsNotOneSaysWhatIsExpectedAndWhere) {
  expect_refusals({
      {"CREATE OR VIEW v AS SELECT 1", "parse_error", 10, "REPLACE is expected at \"VIEW\""},
      {"CREATE VIEW IF EXISTS v AS SELECT 1", "parse_error", 15, "NOT EXISTS is expected at \"EXISTS\""},
      {"CREATE VIEW IF NOT v AS SELECT 1", "parse_error", 19, "EXISTS is expected at \"v\""},
      {"CREATE VIEW v SELECT 1", "parse_error", 14, "AS, with a SELECT behind it, is expected"},
      {"CREATE VIEW v", "parse_error", 13, "is expected at the end of the text"},
      {"CREATE TEMP TABLE v (a INTEGER)", "parse_error", 23, "\",\" or \")\" is expected at \"INTEGER\""},
      {"CREATE VIEW 'v' AS SELECT 1", "parse_error", 12, "A name is expected"},
      {"CREATE VIEW \"\" AS SELECT 1", "parse_error", 12, "A name that is not empty is expected"},
      {"CREATE VIEW v() AS SELECT 1", "parse_error", 14, "A name is expected"},
      {"CREATE VIEW v(a,) AS SELECT 1", "parse_error", 16, "A name is expected"},
      {"CREATE VIEW v(a", "parse_error", 15, "\",\" or \")\" is expected at the end"},
      {"CREATE VIEW 5 AS SELECT 1", "parse_error", 12, "A name is expected"},
      {"CREATE VIEW v(1a) AS SELECT 1", "parse_error", 14, "A name is expected"},
      {"CREATE VIEW $1 AS SELECT 1", "parse_error", 12, "A name is expected"},
      {"DROP VIEW 5", "parse_error", 10, "A name is expected"},
      {"CREATE VIEW", "parse_error", 11, "A name is expected"},
      {"CREATE VIEW v WITH (x = 1) AS SELECT 1", "parse_error", 14, "AS, with"},
      {"DROP VIEW", "parse_error", 9, "A name is expected"},
      {"DROP VIEW IF v", "parse_error", 13, "EXISTS is expected"},
      {"DROP VIEW v CASCADE", "parse_error", 12, "Nothing more is expected at \"CASCADE\""},
      {"DROP VIEW a, b", "parse_error", 11, "Nothing more is expected at \",\""},
      {"DROP VIEW (v)", "parse_error", 10, "A name is expected"},
  });
}

TEST(StatementHead, ALongWordInAMessageIsCutBetweenCharacters) {
  const auto sql = "CREATE VIEW v " + std::string(49, 'x') + "街街街";
  const auto head = read_statement_head(sql);
  ASSERT_FALSE(head.ok());
  EXPECT_LT(head.error().message.size(), 200u);
  EXPECT_TRUE(is_valid_utf8(head.error().message)) << json_string(to_valid_utf8(head.error().message));
}

TEST(StatementHead, AnyTokensGiveAHeadInsideTheTextOrAPlaceInIt) {
  constexpr std::string_view kPieces[] = {
      "CREATE", "OR",      "REPLACE", "TEMP",  "VIEW", "TABLE", "IF", "NOT", "EXISTS", "v", "(", ")", ",", ".", "AS",
      "DROP",   "EXPLAIN", "ANALYZE", "\"q\"", "'t'",  "--",    "/*", "$$",  "\"",     "'", "1", ";", "é", "\n"};
  std::mt19937 random(5);
  for (int round = 0; round < 50'000; ++round) {
    std::string sql(kPieces[std::array{0, 15, 16}[random() % 3]]);
    for (auto pieces = random() % 12; pieces > 0; --pieces) {
      sql += random() % 5 == 0 ? "" : " ";
      sql += kPieces[random() % std::size(kPieces)];
    }
    SCOPED_TRACE(json_string(sql));
    const auto head = read_statement_head(sql);
    if (!head.ok()) {
      ASSERT_TRUE(head.error().position);
      ASSERT_GE(*head.error().position, 0);
      ASSERT_LE(static_cast<std::size_t>(*head.error().position), sql.size());
      continue;
    }
    ASSERT_LE(head->body, sql.size());
    if (head->kind == HeadKind::create || head->kind == HeadKind::drop) {
      ASSERT_FALSE(head->name.empty());
    }
  }
}

}  // namespace
}  // namespace adit::worker
