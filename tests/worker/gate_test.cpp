// The one statement gate over the real parser. tests/sql/gate_*.test say what a client sees of it; here are the facts
// that the rest of the worker relies on, and both settings.
#include "gate/gate.h"

#include "adit/base/json_text.h"
#include "worker/opened_engine.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace adit::worker {
namespace {

class Gate : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    engine_ = std::make_unique<OpenedEngine>(std::vector<std::string>{
        "CREATE TABLE people (id INTEGER, name VARCHAR, age INTEGER)",
        "CREATE TABLE sales (id INTEGER, person INTEGER, amount DECIMAL(10,2))",
        R"(CREATE TABLE "my file.csv" (a INTEGER))",
        R"(CREATE TABLE accounts (id INTEGER, "user" VARCHAR))",
        "CREATE VIEW dice AS SELECT random() AS r",
        "CREATE VIEW dice2 AS SELECT * FROM dice",
        "CREATE VIEW adults AS SELECT * FROM people WHERE age > 17",
    });
    const auto keep = [&](const std::string& name, std::vector<std::string> uses, bool is_volatile) {
      RelationRecord record;
      record.name = name;
      record.kind = "create_view";
      record.uses = std::move(uses);
      record.is_volatile = is_volatile;
      EXPECT_TRUE(keep_record(**engine_, record, "VIEW").ok());
    };
    keep("dice", {}, true);
    keep("dice2", {"dice"}, false);  // as if recorded without looking on
    keep("adults", {"people"}, false);
    catalog_ = std::make_unique<RelationCatalog>(engine_->catalog());
  }
  static void TearDownTestSuite() {
    catalog_.reset();
    engine_.reset();
  }

  static Result<GatedStatement> pass(std::string_view sql, GateSetting setting = GateSetting::query) {
    return pass_gate(**engine_, sql, *catalog_, setting);
  }

  // "select uses people, sales ordered volatile may_fail", or "ERROR reason stage position".
  static std::string facts(std::string_view sql, GateSetting setting = GateSetting::query) {
    const auto gated = pass(sql, setting);
    if (!gated.ok()) return "ERROR " + place(gated.error());
    std::string text = gated->kind;
    if (!gated->uses.empty()) text += fmt::format(" uses {}", fmt::join(gated->uses, ", "));
    if (gated->is_ordered) text += " ordered";
    if (gated->is_volatile) text += " volatile";
    if (gated->may_fail_on_rows) text += " may_fail";
    return text;
  }

  static std::string place(const Error& error) {
    return fmt::format("{} {}{}", error.reason, error.stage, error.position ? fmt::format(" {}", *error.position) : "");
  }

  struct Case {
    std::string_view sql, facts;
  };
  static void expect_facts(std::initializer_list<Case> cases, GateSetting setting = GateSetting::query) {
    for (const auto& [sql, expected] : cases) EXPECT_EQ(facts(sql, setting), expected) << sql;
  }

  static std::unique_ptr<OpenedEngine> engine_;
  static std::unique_ptr<RelationCatalog> catalog_;
};

std::unique_ptr<OpenedEngine> Gate::engine_;
std::unique_ptr<RelationCatalog> Gate::catalog_;

// ---- Facts

TEST_F(Gate, TheKindIsThatOfTheContract) {
  expect_facts({
      {"SELECT 1", "select"},
      {"VALUES (1)", "select"},
      {"TABLE people", "select uses people"},
      {"FROM people", "select uses people"},
      {"(SELECT 1)", "select"},
      {"WITH x AS (SELECT 1) SELECT * FROM x", "select"},
      {"SELECT 1 UNION SELECT 2", "select"},
      {"PIVOT people ON name IN ('Ann') USING sum(id)", "select uses people"},
      {"UNPIVOT people ON id, age", "select uses people"},
      {"DESCRIBE people", "describe uses people"},
      {"DESC people", "describe uses people"},
      {"SHOW people", "describe uses people"},
      {"DESCRIBE SELECT * FROM people", "describe uses people"},
      {"SUMMARIZE people", "summarize uses people"},
      {"SUMMARIZE SELECT id FROM people", "summarize uses people"},
      {"SHOW TABLES", "show"},
      {"EXPLAIN SELECT * FROM people", "explain uses people"},
      {"EXPLAIN ANALYZE SELECT * FROM people", "explain uses people"},
      {"CREATE VIEW v AS SELECT * FROM people", "create_view uses people"},
      {"CREATE OR REPLACE TEMP VIEW v AS FROM people", "create_temp_view uses people"},
      {"CREATE TEMP TABLE v AS SELECT 1", "create_temp_table"},
      {"DROP VIEW IF EXISTS v", "drop"},
      {"DROP TABLE nothing_of_that_name", "drop"},
  });
}

TEST_F(Gate, UsesAreTheRelationsAsTheWorkspaceSpellsThemEachOnce) {
  expect_facts({
      {"SELECT * FROM PEOPLE, People p, \"people\"", "select uses people"},
      {"SELECT * FROM sales JOIN people USING (id)", "select uses sales, people"},
      {"SELECT (SELECT max(id) FROM sales) FROM people", "select uses sales, people"},
      {"SELECT * FROM people WHERE id IN (SELECT person FROM sales)", "select uses people, sales"},
      {"SELECT 1 ORDER BY (SELECT max(id) FROM sales)", "select uses sales ordered"},
      {"SELECT 1 LIMIT (SELECT max(id) FROM sales)", "select uses sales"},
      {"SELECT * FROM people, LATERAL (SELECT * FROM sales WHERE person = people.id)", "select uses people, sales"},
      {"FROM people UNION ALL FROM people EXCEPT FROM sales", "select uses people, sales"},
      {"FROM (DESCRIBE people)", "select uses people"},
      {"SELECT [x FOR x IN (SELECT list(id) FROM people)]", "select uses people"},
      {"SELECT list_transform([1], lambda x: (SELECT max(id) FROM sales))", "select uses sales"},
      {"SELECT * FROM \"my file.csv\"", "select uses my file.csv"},
      {"FROM 'my file.csv'", "select uses my file.csv"},
      {"WITH x AS (SELECT * FROM people) SELECT 1", "select uses people"},
      {"SELECT * FROM people PIVOT (sum(id) FOR name IN ('a'))", "select uses people"},
      {"FROM adults", "select uses adults may_fail"},
  });
}

TEST_F(Gate, OnlyAnOrderOfTheStatementsOwnCounts) {
  expect_facts({
      {"SELECT id FROM people ORDER BY id", "select uses people ordered"},
      {"(SELECT id FROM people ORDER BY id)", "select uses people ordered"},
      {"(SELECT id FROM people) ORDER BY id", "select uses people ordered"},
      {"FROM people ORDER BY ALL LIMIT 3", "select uses people ordered"},
      {"SELECT 1 UNION SELECT 2 ORDER BY 1", "select ordered"},
      {"EXPLAIN SELECT id FROM people ORDER BY id", "explain uses people ordered"},
      {"SELECT * FROM (SELECT id FROM people ORDER BY id)", "select uses people"},
      {"WITH x AS (SELECT id FROM people ORDER BY id) FROM x", "select uses people"},
      {"SELECT list(id ORDER BY id) FROM people", "select uses people"},
      {"SELECT row_number() OVER (ORDER BY id) FROM people", "select uses people"},
      {"SELECT id FROM people LIMIT 3", "select uses people"},
      {"SELECT DISTINCT id FROM people", "select uses people"},
  });
}

TEST_F(Gate, WhatDiffersFromRunToRunIsVolatile) {
  expect_facts({
      {"SELECT random()", "select volatile"},
      {"SELECT RANDOM()", "select volatile"},
      {"SELECT uuid() FROM people", "select uses people volatile"},
      {"SELECT id FROM people WHERE gen_random_uuid() IS NULL", "select uses people volatile"},
      {"SELECT (SELECT random())", "select volatile"},
      {"WITH x AS (SELECT random() r) FROM x", "select volatile"},
      {"SELECT list_transform([1], lambda x: random())", "select volatile"},
      {"SELECT id FROM people ORDER BY random()", "select uses people ordered volatile"},
      {"SELECT * FROM people USING SAMPLE 2", "select uses people volatile"},
      {"SELECT * FROM people TABLESAMPLE 10%", "select uses people volatile"},
      {"SELECT * FROM (SELECT * FROM people USING SAMPLE reservoir(2 ROWS))", "select uses people volatile"},
      {"SELECT * FROM people TABLESAMPLE reservoir(20%) REPEATABLE (1), sales", "select uses people, sales volatile"},
      {"EXPLAIN SELECT random()", "explain volatile"},
      {"CREATE VIEW v AS SELECT random()", "create_view volatile"},
      {"SELECT sum(random()) OVER () FROM people", "select uses people volatile"},
      {"SELECT id FROM people", "select uses people"},
      {"SELECT 'random()'", "select"},
      {"SELECT id AS random FROM people", "select uses people"},
  });
}

TEST_F(Gate, ADefinitionHandsItsVolatilityOn) {
  expect_facts({
      {"FROM dice", "select uses dice volatile may_fail"},
      {"FROM dice2", "select uses dice2 volatile may_fail"},
      {"SELECT 1 WHERE EXISTS (FROM DICE2)", "select uses dice2 volatile may_fail"},
      {"FROM adults", "select uses adults may_fail"},
      {"WITH dice AS (SELECT 1) FROM dice", "select"},
  });
}

TEST_F(Gate, AConversionMayFailOnARowNotReadYet) {
  expect_facts({
      {"SELECT name::INTEGER FROM people", "select uses people may_fail"},
      {"SELECT CAST(name AS DATE) FROM people", "select uses people may_fail"},
      {"SELECT id FROM people WHERE name::INTEGER > 1", "select uses people may_fail"},
      {"SELECT list_transform([name], lambda x: x::INTEGER) FROM people", "select uses people may_fail"},
      {"SELECT TRY_CAST(name AS INTEGER) FROM people", "select uses people"},
      {"SELECT name, id + 1 FROM people", "select uses people"},
  });
}

TEST_F(Gate, ALiteralIsNoConversionOfRows) {
  expect_facts({
      {"SELECT true, false", "select"},
      {"SELECT * FROM people JOIN sales ON true", "select uses people, sales"},
      {"SELECT id FROM people WHERE current_date > DATE '2020-01-01'", "select uses people volatile"},
      {"SELECT id FROM people WHERE now() > TIMESTAMP '2020-01-01'", "select uses people volatile"},
  });
}

TEST_F(Gate, TheTextIsTheReadingPartAndItsPlaceIsKnown) {
  struct Case {
    std::string_view sql, text;
  };
  constexpr Case cases[] = {
      {"SELECT 1", "SELECT 1"},
      {" \n SELECT 1 ; ", "SELECT 1"},
      {"/* a */ SELECT 1 -- b", "SELECT 1"},
      {";;SELECT '; é';", "SELECT '; é'"},
      {"EXPLAIN ANALYZE SELECT 1;", "SELECT 1"},
      {"-- é\nEXPLAIN /* a */ SELECT 1", "SELECT 1"},
      {"CREATE VIEW v AS SELECT 1", "SELECT 1"},
      {" CREATE VIEW v(a) AS(SELECT 1) ; -- end", "(SELECT 1)"},
  };
  for (const auto& [sql, text] : cases) {
    const auto gated = pass(sql);
    ASSERT_TRUE(gated.ok()) << sql;
    EXPECT_EQ(gated->text, text) << sql;
    EXPECT_EQ(sql.substr(gated->text_begin, text.size()), text) << sql;
  }
}

TEST_F(Gate, PositionsCountInTheCallersText) {
  expect_facts({
      {"SELECT * FROM nope", "ERROR unknown_relation bind 14"},
      {"\n/* é */ SELECT * FROM nope", "ERROR unknown_relation bind 24"},
      {";; SELECT * FROM nope;", "ERROR unknown_relation bind 17"},
      {"EXPLAIN SELECT * FROM nope", "ERROR unknown_relation bind 22"},
      {" CREATE VIEW v(a) AS SELECT * FROM nope", "ERROR unknown_relation bind 35"},
      {"CREATE VIEW v AS SELECT 1 +", "ERROR parse_error parse 27"},
      {" SELECT current_setting('x')", "ERROR not_allowed policy 8"},
      {" ; CREATE SCHEMA s", "ERROR unsupported_statement policy 10"},
      {"SELECT 1; SELECT 2", "ERROR unsupported_statement parse 10"},
  });
}

// ---- Names of WITH

TEST_F(Gate, ANameOfWithCountsWhereTheEngineSeesIt) {
  // The name would be a file's: where it is not in scope the engine must never look for it.
  expect_facts({
      {"WITH \"/f\" AS (SELECT 1) FROM \"/f\"", "select"},
      {"WITH \"/F\" AS (SELECT 1) FROM \"/f\"", "select"},
      {"WITH a AS (SELECT 1), \"/f\" AS (FROM a) FROM \"/f\"", "select"},
      {"WITH \"/f\" AS (SELECT 1), b AS (FROM \"/f\") FROM b", "select"},
      {"WITH \"/f\" AS (SELECT 1) SELECT (SELECT 1 FROM (SELECT * FROM \"/f\"))", "select"},
      {"WITH \"/f\" AS (SELECT 1) SELECT 1 ORDER BY (SELECT 1 FROM \"/f\") LIMIT (SELECT 1 FROM \"/f\")",
       "select ordered"},
      {"WITH \"/f\" AS (SELECT 1) FROM \"/f\" UNION ALL FROM \"/f\"", "select"},
      {"WITH \"/f\" AS (SELECT 1) FROM (WITH x AS (FROM \"/f\") FROM x)", "select"},
      {"WITH \"/f\" AS MATERIALIZED (SELECT 1) FROM \"/f\"", "select"},
      {"WITH \"/f\" AS (SELECT 1) FROM (DESCRIBE \"/f\")", "select"},
      {"WITH RECURSIVE \"/f\"(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM \"/f\" WHERE n < 3) FROM \"/f\"", "select"},
      {"WITH RECURSIVE \"/f\"(n) AS (SELECT 1 UNION ALL (WITH y AS (FROM \"/f\") FROM y WHERE n > 3)) FROM \"/f\"",
       "select"},
      {"CREATE VIEW v AS WITH \"/f\" AS (SELECT 1) FROM \"/f\"", "create_view"},
      {"FROM (WITH \"/f\" AS (SELECT 1) FROM \"/f\") UNION (WITH \"/f\" AS (SELECT 2) FROM \"/f\")", "select"},
      {"WITH people AS (SELECT 1) FROM people", "select"},
      {"WITH people AS (FROM people) FROM people", "select uses people"},
  });
}

TEST_F(Gate, ANameOfWithDoesNotCountOutsideItsScope) {
  for (const std::string_view sql : {
           "WITH \"/f\" AS (FROM \"/f\") FROM \"/f\"",
           "WITH a AS (FROM \"/f\"), \"/f\" AS (SELECT 1) FROM a",
           "SELECT * FROM (WITH \"/f\" AS (SELECT 1) SELECT 1), \"/f\"",
           "SELECT * FROM \"/f\", (WITH \"/f\" AS (SELECT 1) SELECT 1)",
           "WITH a AS (WITH \"/f\" AS (SELECT 1) SELECT 1) FROM \"/f\"",
           "FROM \"/f\" UNION (WITH \"/f\" AS (SELECT 1) SELECT 1)",
           "(WITH \"/f\" AS (SELECT 1) SELECT 1) UNION ALL FROM \"/f\"",
           "SELECT (WITH \"/f\" AS (SELECT 1) SELECT 1) FROM \"/f\"",
           "SELECT (WITH \"/f\" AS (SELECT 1) SELECT 1), (SELECT 1 FROM \"/f\")",
           "WITH RECURSIVE \"/f\" AS (FROM \"/f\" UNION ALL SELECT 1) SELECT 1",
           "WITH RECURSIVE \"/f\" AS (FROM \"/f\") SELECT 1",
           "WITH RECURSIVE x AS (SELECT 1 UNION ALL (WITH \"/f\" AS (SELECT 1) FROM x)) FROM \"/f\"",
           "SELECT 1 AS \"/f\" FROM \"/f\"",
           "SELECT \"/f\".a FROM (SELECT 1 a) AS \"/f\", \"/f\"",
           "SELECT row_number() OVER \"/f\" FROM \"/f\" WINDOW \"/f\" AS ()",
       }) {
    const auto gated = pass(sql);
    ASSERT_FALSE(gated.ok()) << sql;
    EXPECT_EQ(gated.error().reason, "unknown_relation") << sql;
    EXPECT_NE(gated.error().hint.find("open_dataset"), std::string::npos) << sql;
  }
}

// ---- What is refused

TEST_F(Gate, ARelationIsNamedAloneAndMustBeThere) {
  expect_facts({
      {"FROM nope", "ERROR unknown_relation bind 5"},
      {"FROM \"\"", "ERROR parse_error parse 5"},
      {"FROM main.people", "ERROR not_allowed policy 5"},
      {"FROM main.main.people", "ERROR not_allowed policy 5"},
      {"FROM temp.people", "ERROR not_allowed policy 5"},
      {"FROM information_schema.tables", "ERROR not_allowed policy 5"},
      {"FROM duckdb_tables", "ERROR unknown_relation bind 5"},
      {"FROM pg_class", "ERROR unknown_relation bind 5"},
      {"FROM sqlite_master", "ERROR unknown_relation bind 5"},
      {"FROM '/etc/passwd'", "ERROR unknown_relation bind 5"},
      {"FROM 'a.csv'", "ERROR unknown_relation bind 5"},
      {"FROM people AT (VERSION => 1)", "ERROR unsupported_statement policy 5"},
      {"DESCRIBE nope", "ERROR unknown_relation bind 9"},
      {"SUMMARIZE 'a.csv'", "ERROR unknown_relation bind 10"},
      {"SHOW main.people", "ERROR not_allowed policy 5"},
      {"SELECT (FROM nope)", "ERROR unknown_relation bind 13"},
  });
  const auto near = pass("FROM peple");
  ASSERT_FALSE(near.ok());
  EXPECT_EQ(near.error().nearest, std::vector<std::string>{"people"});
}

TEST_F(Gate, FunctionsAreThoseOfTheLists) {
  expect_facts({
      {"SELECT current_setting('threads')", "ERROR not_allowed policy 7"},
      {"SELECT CURRENT_SETTING('threads')", "ERROR not_allowed policy 7"},
      {"SELECT \"current_setting\"('threads')", "ERROR not_allowed policy 7"},
      {"SELECT main.current_setting('threads')", "ERROR not_allowed policy 7"},
      {"SELECT pg_catalog.current_setting('threads')", "ERROR not_allowed policy 7"},
      {"SELECT getvariable('x')", "ERROR not_allowed policy 7"},
      {"SELECT nextval('s')", "ERROR not_allowed policy 7"},
      {"SELECT 1 FROM people WHERE sleep_ms(1) IS NULL", "ERROR not_allowed policy 27"},
      {"SELECT list_transform(['x'], lambda x: current_setting(x))", "ERROR not_allowed policy 39"},
      {"SELECT sum(id) OVER (PARTITION BY current_setting('x')) FROM people", "ERROR not_allowed policy 34"},
      {"SELECT id FROM people GROUP BY ALL HAVING write_log('x') IS NULL", "ERROR not_allowed policy 42"},
      {"SELECT * REPLACE (current_setting('x') AS id) FROM people", "ERROR not_allowed policy 18"},
      {"SELECT json_serialize_sql('SELECT 1')", "ERROR not_allowed policy 7"},
      {"SELECT sum(id) EXPORT_STATE FROM people", "ERROR not_allowed policy 7"},
      {"FROM query('SELECT 1')", "ERROR not_allowed policy 5"},
      {"FROM query_table('people')", "ERROR not_allowed policy 5"},
      {"FROM READ_CSV('x')", "ERROR not_allowed policy 5"},
      {"FROM main.read_csv('x')", "ERROR not_allowed policy 5"},
      {"FROM system.main.range(3)", "ERROR not_allowed policy 5"},
      {"FROM duckdb_settings()", "ERROR not_allowed policy 5"},
      {"FROM range((SELECT max(size) FROM read_text('x')))", "ERROR not_allowed policy 34"},
      {"FROM nosuch(1)", "ERROR unknown_function bind 5"},
      {"FROM range(3), unnest([1]), json_each('{}'), generate_series(1, 2)", "select"},
      {"FROM main.range(3)", "select"},
  });
}

TEST_F(Gate, ParametersAndStatementsThatDoNotReadAreUnsupported) {
  for (const std::string_view sql : {"SELECT $1",
                                     "SELECT ?",
                                     "SELECT $name",
                                     "SELECT 1 LIMIT ?",
                                     "INSERT INTO people VALUES (1)",
                                     "DELETE FROM people",
                                     "UPDATE people SET id = 1",
                                     "COPY people TO 'x'",
                                     "ATTACH 'x'",
                                     "SET threads = 1",
                                     "PRAGMA version",
                                     "CALL range(1)",
                                     "BEGIN",
                                     "COMMIT",
                                     "VACUUM",
                                     "CHECKPOINT",
                                     "LOAD x",
                                     "INSTALL x",
                                     "PREPARE p AS SELECT 1",
                                     "EXECUTE p",
                                     "USE main",
                                     "EXPLAIN EXPLAIN SELECT 1",
                                     "EXPLAIN CREATE VIEW v AS SELECT 1",
                                     "EXPLAIN DROP VIEW v",
                                     "EXPLAIN DELETE FROM people",
                                     "CREATE VIEW v AS EXPLAIN SELECT 1",
                                     "CREATE VIEW v AS DELETE FROM people",
                                     "CREATE VIEW v AS CREATE VIEW w AS SELECT 1",
                                     "CREATE TEMP TABLE v AS INSERT INTO people VALUES (1) RETURNING *",
                                     "WITH x AS (SELECT 1) DELETE FROM people",
                                     "PIVOT people ON name USING sum(id)",
                                     "SELECT DEFAULT"}) {
    const auto gated = pass(sql);
    ASSERT_FALSE(gated.ok()) << sql;
    EXPECT_EQ(gated.error().reason, "unsupported_statement") << sql;
    EXPECT_EQ(gated.error().stage, "policy") << sql;
    EXPECT_FALSE(gated.error().hint.empty()) << sql;
  }
}

TEST_F(Gate, OtherFormsOfShowAreNotAllowed) {
  for (const std::string_view sql : {"SHOW ALL TABLES", "SHOW DATABASES", "SHOW SCHEMAS", "SHOW VARIABLES", "DESCRIBE",
                                     "SHOW TABLES FROM main", "FROM (SHOW ALL TABLES)", "FROM (SHOW DATABASES)"}) {
    const auto gated = pass(sql);
    ASSERT_FALSE(gated.ok()) << sql;
    EXPECT_EQ(gated.error().reason, "not_allowed") << sql;
  }
}

// ---- Words of the session

TEST_F(Gate, AWordOfTheSessionIsRefusedUnlessItIsAColumnOrAnAlias) {
  expect_facts({
      {"SELECT current_user", "ERROR not_allowed policy 7"},
      {"SELECT Current_Schema", "ERROR not_allowed policy 7"},
      {"SELECT user", "ERROR not_allowed policy 7"},
      {"SELECT \"session_user\" FROM people", "ERROR not_allowed policy 7"},
      {"SELECT upper(current_catalog)", "ERROR not_allowed policy 13"},
      {"SELECT \"user\" FROM accounts", "select uses accounts"},
      {"SELECT \"USER\" FROM accounts", "select uses accounts"},
      {"SELECT id AS \"user\" FROM people ORDER BY \"user\"", "select uses people ordered"},
      {"SELECT accounts.\"user\" FROM accounts", "select uses accounts"},
  });
}

TEST_F(Gate, AColumnNamedLikeOneWordDoesNotLetAnotherThrough) {
  expect_facts({
      {"SELECT \"user\", current_user FROM accounts", "ERROR not_allowed policy 15"},
      {"SELECT current_role, \"user\" FROM accounts", "ERROR not_allowed policy 7"},
      {"SELECT id AS \"user\", current_schema FROM people", "ERROR not_allowed policy 21"},
      {"SELECT id AS \"user\", \"user\", current_schema FROM people", "ERROR not_allowed policy 29"},
  });
}

// ---- Limits

TEST_F(Gate, AStatementHasAtMost64KiB) {
  const std::string head = "SELECT '", tail = "'";
  const auto of_size = [&](std::size_t size) {
    return head + std::string(size - head.size() - tail.size(), 'x') + tail;
  };
  EXPECT_EQ(facts(of_size(64 << 10)), "select");
  EXPECT_EQ(facts(of_size((64 << 10) + 1)), "ERROR invalid_argument input");
  EXPECT_EQ(facts(of_size((64 << 10) + 1), GateSetting::select_only), "ERROR invalid_argument input");
  EXPECT_EQ(facts(std::string(10 << 20, ';')), "ERROR invalid_argument input");
}

TEST_F(Gate, TextWithoutAStatementIsAParseError) {
  using namespace std::string_view_literals;
  expect_facts({{"", "ERROR parse_error parse 0"},
                {" ;; -- a\n/* b */ ", "ERROR parse_error parse 0"},
                {"SELECT 1\0"sv, "ERROR parse_error parse 8"},
                {"\0"sv, "ERROR parse_error parse 0"},
                {"SELECT 1 /* open", "ERROR parse_error parse 9"},
                {"SELECT 'open", "ERROR parse_error parse 7"}});
}

// Each nests until the text is full; none may crash, and none may take long.
TEST_F(Gate, DeepNestingIsAnswered) {
  struct Case {
    std::string_view begin, open, middle, close;
  };
  constexpr Case cases[] = {
      {"SELECT ", "(", "1", ")"},
      {"SELECT ", "abs(", "1", ")"},
      {"SELECT ", "NOT ", "true", ""},
      {"SELECT ", "- ", "1", ""},
      {"SELECT ", "[", "1", "]"},
      {"SELECT ", "{'a':", "1", "}"},
      {"SELECT ", "(SELECT ", "1", ")"},
      {"SELECT ", "CASE WHEN ", "1", " THEN 1 END"},
      {"SELECT ", "", "1", "::INT"},
      {"SELECT ", "1+", "1", ""},
      {"SELECT ", "(1+", "1", ")"},
      {"SELECT ", "true OR ", "true", ""},
      {"SELECT ", "EXISTS (SELECT ", "1", ")"},
      {"SELECT ", "", "x", "[1]"},
      {"SELECT ", "", "x", ".a"},
      {"SELECT 1", "", "", " UNION ALL SELECT 1"},
      {"FROM ", "(FROM ", "people", ")"},
      {"SELECT * FROM people", "", "", ",people"},
      {"", "WITH a AS (", "SELECT 1", ") SELECT 1"},
      {"SELECT 1::", "STRUCT(a ", "INT", ")"},
      {"SELECT ", "list_transform([1], lambda x: ", "1", ")"},
      {"SELECT 'a'", "", "", " COLLATE nocase"},
      {"EXPLAIN ", "EXPLAIN ", "SELECT 1", ""},
      {"", "(", "SELECT 1", ")"},
      {"/*", "/*", "", "*/"},
      {"", ";", "SELECT 1", ";"},
  };
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& [head, open, middle, close] : cases) {
    for (const std::size_t part : {1u, 4u, 16u, 64u}) {
      const auto count = ((64 << 10) / part - head.size() - middle.size()) / (open.size() + close.size());
      std::string sql(head);
      for (std::size_t i = 0; i < count; ++i) sql += open;
      sql += middle;
      for (std::size_t i = 0; i < count; ++i) sql += close;
      const auto gated = pass(sql);
      if (gated.ok()) continue;
      EXPECT_FALSE(gated.error().message.empty());
      EXPECT_LT(gated.error().message.size(), 500u) << gated.error().message.substr(0, 500);
      EXPECT_EQ(gated.error().message.find("max_expression_depth"), std::string::npos);
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

// ---- The other setting

TEST_F(Gate, SelectOnlyTakesTheReadingStatements) {
  expect_facts(
      {
          {"SELECT 1", "select"},
          {"VALUES (1), (2);", "select"},
          {"TABLE people", "select uses people"},
          {"FROM people", "select uses people"},
          {"WITH x AS (FROM people) SELECT * FROM x ORDER BY 1", "select uses people ordered"},
          {"(SELECT 1) UNION (SELECT 2)", "select"},
          {"FROM adults", "select uses adults may_fail"},
      },
      GateSetting::select_only);
}

TEST_F(Gate, SelectOnlyRejectsEverythingElseAndNamesTheOtherTool) {
  for (const std::string_view sql : {"DESCRIBE people",
                                     "SHOW TABLES",
                                     "SUMMARIZE people",
                                     "EXPLAIN SELECT 1",
                                     "CREATE VIEW v AS SELECT 1",
                                     "CREATE TEMP TABLE v AS SELECT 1",
                                     "DROP VIEW v",
                                     "CREATE TABLE t AS SELECT 1",
                                     "INSERT INTO people VALUES (1)",
                                     "DELETE FROM people",
                                     "SET threads = 1",
                                     "PRAGMA version",
                                     "ATTACH 'x'",
                                     "COPY people TO 'x'",
                                     "BEGIN",
                                     "SELECT 1; SELECT 2",
                                     "SELECT $1",
                                     "SELECT current_setting('x')",
                                     "FROM read_csv('x')",
                                     "FROM main.people",
                                     "SELECT current_user",
                                     "SHOW DATABASES",
                                     "EXPLAIN DROP VIEW v",
                                     "DROP SCHEMA s"}) {
    const auto gated = pass(sql, GateSetting::select_only);
    ASSERT_FALSE(gated.ok()) << sql;
    EXPECT_EQ(gated.error().reason, "sql_rejected") << sql;
    EXPECT_NE(gated.error().hint.find("query tool"), std::string::npos) << sql;
  }
}

TEST_F(Gate, SelectOnlyKeepsTheErrorsOfASelect) {
  expect_facts(
      {
          {"SELECT 1 +", "ERROR parse_error parse 10"},
          {"", "ERROR parse_error parse 0"},
          {"FROM nope", "ERROR unknown_relation bind 5"},
          {"FROM nosuch(1)", "ERROR unknown_function bind 5"},
      },
      GateSetting::select_only);
}

// ---- Against the engine

// Nothing that the engine runs over this data is refused for a name that a list forgot.
TEST_F(Gate, OrdinarySqlPasses) {
  for (
      const std::string_view sql : {
          "SELECT '{}'::JSON->'b', '{}'::JSON->>'b', '{}'::JSON -> '$.a'",
          "SELECT unnest([1]), unlist([2])",
          "SELECT 'a' || 'b', 'a' ~ 'b', 'a' !~ 'b', 'a' ~~ 'b', 'a' !~~ 'b', 'a' ~~* 'b', 'a' !~~* 'b', 'a' ~~~ 'b'",
          "SELECT 'a' LIKE 'b' ESCAPE '!', 'a' NOT LIKE 'b' ESCAPE '!', 'a' ILIKE 'b' ESCAPE '!'",
          "SELECT 'a' NOT ILIKE 'b', 'a' SIMILAR TO 'b', 'a' NOT SIMILAR TO 'b', 'a' GLOB 'b'",
          "SELECT 1+1, 1-1, 1*1, 1/1, 1//1, 1%1, 1**1, 1^1, 1&1, 1|1, 1<<1, 1>>1, ~1, -1, +1, 5!, @(-1)",
          "SELECT [1] && [1], [1] @> [1], [1] <@ [1], 'a' ^@ 'a', [1.0] <-> [1.0], [1.0] <=> [1.0]",
          "SELECT [1,2,3][1:2], [1,2,3][1:2:1], [1,2][1], 'abc'[1:2], {'a':1}.a, {'a':1}['a'], MAP {'a':1}['a']",
          "SELECT coalesce(1,2), nullif(1,2), ifnull(1,2), if(true,1,2), greatest(1,2), least(1,2), try(1)",
          "SELECT 1 IN (1,2), 1 NOT IN (1), 1 IS DISTINCT FROM 2, 1 = ANY([1]), 1 = ALL([1]), 1 ISNULL, true IS NOT "
          "TRUE",
          "SELECT current_date, current_time, current_timestamp, localtime, localtimestamp, now(), today()",
          "SELECT extract(year FROM DATE '2020-01-01'), position('a' IN 'b'), substring('abc' FROM 1 FOR 2), "
          "trim(BOTH 'a' FROM 'b'), trim(LEADING FROM 'b'), trim(TRAILING 'a' FROM 'b')",
          "SELECT count(*), count(), count(DISTINCT id), sum(id) FILTER (id > 1), grouping(name), grouping_id(name) "
          "FROM people GROUP BY ROLLUP(name)",
          "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY id), mode() WITHIN GROUP (ORDER BY id) FROM people",
          "SELECT row_number() OVER w, rank() OVER w, rank_dense() OVER w, dense_rank() OVER w, percent_rank() OVER w, "
          "cume_dist() OVER w, ntile(2) OVER w, lag(id) OVER w, lead(id, 1, 0) OVER w, first_value(id) OVER w, "
          "last_value(id IGNORE NULLS) OVER w, nth_value(id, 1) OVER w, fill(id) OVER w, first(id) OVER w "
          "FROM people WINDOW w AS (ORDER BY id)",
          "SELECT [x + 1 FOR x IN [1, 2] IF x > 1], list_transform([1], lambda x: x), list_reduce([1], lambda a, b: a)",
          "SELECT struct_pack(a := 1), row(1, 2), {'a': 1}, MAP {1: 2}, union_value(a := 1), struct_insert({'a': 1}, b "
          ":= 2)",
          "SELECT INTERVAL 1 YEAR, INTERVAL '1' DAY, INTERVAL (1) HOUR, TIMESTAMP '2020-01-01' AT TIME ZONE 'UTC'",
          "SELECT formatReadableSize(1), formatreadabledecimalsize(1), format_bytes(1)",
          "SELECT json_object('a', 1), json_array(1), json_group_array(id), json_group_object(name, id) FROM people",
          "SELECT COLUMNS('i.*'), max(COLUMNS(*)) OVER () FROM people",
          "SELECT * EXCLUDE id REPLACE (1 AS name) RENAME (age AS a) FROM people",
          "SELECT * LIKE 'i%' FROM people",
          "SELECT x: 1, y: 2",
          "FROM people p SELECT p",
          "SELECT DISTINCT ON (name) * FROM people ORDER BY name, id",
          "SELECT * FROM people QUALIFY row_number() OVER (PARTITION BY name ORDER BY id) = 1",
          "SELECT * FROM people SEMI JOIN sales ON people.id = person",
          "SELECT * FROM people ASOF JOIN sales ON people.id >= sales.id",
          "SELECT * FROM people POSITIONAL JOIN sales",
          "SELECT name, sum(id) FROM people GROUP BY GROUPING SETS ((name), ())",
          "SELECT * FROM people LIMIT 50%",
          "FROM people UNION BY NAME FROM sales",
          "UNPIVOT people ON COLUMNS(* EXCLUDE name) INTO NAME k VALUE v",
          "WITH RECURSIVE r(n, m) USING KEY (n) AS (SELECT 1, 1 UNION SELECT n, m + 1 FROM r WHERE m < 3) FROM r",
          "SELECT name.upper().lower() FROM people",
          "SELECT #1 FROM people",
          "SELECT 'a' COLLATE nocase, 'x'::VARIANT, 'a'::ENUM('a'), 1::DECIMAL(3,2), '1'::BIT",
          "FROM json_tree('{}'), repeat(1, 2), test_all_types(), range(DATE '2020-01-01', DATE '2020-01-02', INTERVAL "
          "1 DAY)",
      }) {
    const auto gated = pass(sql);
    EXPECT_TRUE(gated.ok()) << sql << ": " << gated.error().message;
    const auto bound = (*engine_)->prepare(std::string(sql));
    EXPECT_TRUE(bound.ok()) << "the engine itself refuses " << sql << ": " << bound.error().message;
  }
}

}  // namespace
}  // namespace adit::worker
