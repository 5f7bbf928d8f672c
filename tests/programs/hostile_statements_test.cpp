// Statements that were made to hurt: each is refused, fails, ends at its deadline or is answered after all, and
// afterwards the same dataset and another one still answer. The numbers D-01 … are those of the project's list of
// real-world cases.
#include "support/dataset_calls.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace adit::test {
namespace {

struct Hostile {
  std::string_view subject, sql, kinds;  // kinds: those that are right, separated by spaces; none: a result
};

constexpr Hostile kHostile[] = {
    // Out of the dataset: files, settings, other databases, code.
    {"D-01 a file by its name", "SELECT * FROM '/etc/passwd'", "unknown_relation"},
    {"D-01 a reading function", "SELECT * FROM read_text('/etc/passwd')", "not_allowed"},
    {"D-01 a file behind a macro", "SELECT * FROM query('SELECT * FROM read_csv(''/etc/passwd'')')", "not_allowed"},
    {"D-01 a folder", "SELECT * FROM glob('/**')", "not_allowed"},
    {"D-11 a file that another setting would allow", "SELECT * FROM read_csv('/proc/self/environ')", "not_allowed"},
    {"D-02 a second statement", "SELECT 1; COPY (SELECT 1) TO '/tmp/x.csv'", "unsupported_statement"},
    {"D-03 a copy", "COPY people TO '/tmp/x.csv'", "unsupported_statement"},
    {"D-03 another database", "ATTACH '/tmp/x.db' AS x", "unsupported_statement"},
    {"D-03 an extension", "INSTALL httpfs", "unsupported_statement"},
    {"D-03 code", "LOAD '/tmp/x.duckdb_extension'", "unsupported_statement"},
    {"D-04 a setting", "SET enable_external_access = true", "unsupported_statement"},
    {"D-04 a pragma", "PRAGMA database_list", "unsupported_statement"},
    {"D-04 the settings told", "SELECT current_setting('home_directory')", "not_allowed"},
    {"D-05 the engine's own tables", "SELECT * FROM duckdb_settings()", "not_allowed"},
    {"D-05 another schema", "SELECT * FROM information_schema.tables", "not_allowed"},
    {"D-06 the network", "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')", "not_allowed"},
    {"D-14 a write that is explained", "EXPLAIN ANALYZE DELETE FROM people", "unsupported_statement"},
    {"D-15 a prepared write", "PREPARE p AS DELETE FROM people", "unsupported_statement"},
    {"D-15 its execution", "EXECUTE p", "unsupported_statement"},
    {"a write in a WITH", "WITH x AS (DELETE FROM people RETURNING *) SELECT * FROM x",
     "unsupported_statement parse_error"},
    {"a transaction", "BEGIN TRANSACTION", "unsupported_statement"},
    {"an ending of the process", "CALL force_checkpoint()", "unsupported_statement"},

    // Time.
    {"D-07 a series in one value", "SELECT generate_series(1, 2000000000)", "timeout memory_limit internal_error"},
    {"D-07 a length that ignores interrupts", "SELECT len(range(300000000))", "timeout memory_limit internal_error"},
    {"D-19 a recursion without end",
     "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r",
     "timeout memory_limit"},
    {"a cross join of cross joins",
     "SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5", "timeout"},
    {"a pattern that would run away elsewhere",
     "SELECT count(*) FROM range(3000) t(i) WHERE regexp_matches(repeat('a', 100000), "
     "'(a|a)*' || i || 'b')",
     "none timeout"},

    // Memory and size.
    {"a text of 2 GB", "SELECT repeat('x', 2000000000)", "memory_limit output_too_large internal_error runtime_error"},
    {"texts that double",
     "WITH RECURSIVE r AS (SELECT 1 AS i, repeat('x', 1000000) AS s UNION ALL SELECT i + 1, s || s "
     "FROM r WHERE i < 20) SELECT max(i) FROM r",
     "memory_limit internal_error timeout"},
    {"a list of everything", "SELECT list(i) FROM range(500000000) t(i)", "memory_limit internal_error timeout"},
    {"a row of many large columns", "SELECT repeat('a', 100000), repeat('b', 100000)", "output_too_large"},

    // The parser.
    {"deep parentheses", "SELECT {(*3000}1{)*3000}", "none parse_error"},
    {"deep subqueries", "{SELECT * FROM (*400}SELECT 1{) t*400}", "none parse_error"},
    {"deep functions", "SELECT {abs(*3000}1{)*3000}", "parse_error type_error runtime_error unsupported_statement"},
    {"a long list of ORs", "SELECT 1 WHERE 1=1{ OR 1=1*7000}", "none parse_error"},
    {"a text that is too long", "SELECT '{x*70000}'", "invalid_argument"},
};

// {text*N} stands for N copies.
std::string expanded(std::string_view sql) {
  std::string out;
  while (!sql.empty()) {
    const auto open = sql.find('{');
    out += sql.substr(0, open);
    if (open == std::string_view::npos) break;
    const auto close = sql.find('}', open), star = sql.rfind('*', close);
    for (int n = std::stoi(std::string(sql.substr(star + 1, close - star - 1))); n > 0; --n) {
      out += sql.substr(open + 1, star - open - 1);
    }
    sql.remove_prefix(close + 1);
  }
  return out;
}

TEST(HostileStatements, AreAnsweredAndCostNothingElse) {
  TemporaryDirectory data;
  data.write("people.csv", "id,name\n1,Ann\n2,Bob\n");
  ServerProcess server({.arguments = {"--root", data.path(), "--sql-deadline", "1.5"}});
  const auto attacked = dataset_of(open_paths(server, {"people.csv"}));
  const auto other = dataset_of(open_paths(server, {"people.csv"}));
  for (const auto& [subject, sql, kinds] : kHostile) {
    SCOPED_TRACE(subject);
    const auto answer = query(server, attacked, {expanded(sql)});
    const auto kind = answer.contains("error") ? of_error(answer, "kind") : "none";
    EXPECT_NE((" " + std::string(kinds) + " ").find(" " + kind + " "), std::string::npos)
        << boost::json::serialize(answer).substr(0, 1000);
    EXPECT_EQ(boost::json::serialize(answer).find("root:"), std::string::npos);
    EXPECT_EQ(first_cell(query(server, attacked, {"SELECT count(*) FROM people"})), "2");
    EXPECT_EQ(first_cell(query(server, other, {"SELECT count(*) FROM people"})), "2");
  }
  EXPECT_FALSE(std::filesystem::exists("/tmp/x.csv"));
}

}  // namespace
}  // namespace adit::test
