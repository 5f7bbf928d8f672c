// Failures as the engine really raises them, in the contract's words. tests/sql/errors.test has what a client sees of
// statements that pass the gate; here is what the translation itself promises, for statements of ours as well.
#include "engine_error.h"

#include "adit/base/json_text.h"
#include "worker/opened_engine.h"

#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <thread>

namespace adit::worker {
namespace {

class EngineError : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    engine_ = std::make_unique<OpenedEngine>(std::vector<std::string>{
        "CREATE TABLE people (id INTEGER, name VARCHAR, age INTEGER)",
        "INSERT INTO people VALUES (1, 'Ann', 30), (2, 'Bob', 25)",
        "CREATE VIEW adults AS SELECT * FROM people",
    });
  }
  static void TearDownTestSuite() { engine_.reset(); }

  // Prepared and run to its end, as a client's statement is.
  static Result<void> run(const std::string& sql, OpenedEngine& engine = *engine_) {
    ADIT_TRY(auto statement, engine->prepare(sql));
    ADIT_TRY(auto result, engine->stream(statement));
    for (;;) {
      ADIT_TRY(auto chunk, engine->next_chunk(result));
      if (!chunk) return {};
    }
  }

  static Error error_of(const std::string& sql, OpenedEngine& engine = *engine_) {
    auto done = run(sql, engine);
    EXPECT_FALSE(done.ok()) << sql << " did not fail";
    return done.ok() ? Error{} : done.error();
  }

  static std::unique_ptr<OpenedEngine> engine_;
};

std::unique_ptr<OpenedEngine> EngineError::engine_;

struct Case {
  std::string_view sql, reason, stage;
  std::int64_t position;  // -1: none
  std::string_view message;
};

// Messages of one line; they are the engine's own and may change with its version.
constexpr Case kCases[] = {
    // ---- Parsing
    {"SELEC 1", "parse_error", "parse", 0, "syntax error at or near \"SELEC\""},
    {"SELECT 1 +", "parse_error", "parse", 10, "syntax error at end of input"},
    {"WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a", "parse_error", "parse", -1, "Duplicate CTE name \"a\""},
    {"SELECT * FROM (VALUES (1), (1, 2)) t", "parse_error", "parse", -1, "VALUES lists must all be the same length"},

    // ---- Names
    {"SELECT * FROM duckdb_table", "unknown_relation", "bind", 14, "Table with name duckdb_table does not exist!"},
    {"SELECT * FROM pg_tabl", "unknown_relation", "bind", 14, "Table with name pg_tabl does not exist!"},
    {"SELECT pg_tables", "unknown_column", "bind", 7,
     "Referenced column \"pg_tables\" was not found because the FROM clause is missing"},
    {"SELECT id FROM people JOIN adults USING (agee)", "unknown_column", "bind", -1,
     "Column \"agee\" does not exist on left side of join!"},
    {"SELECT * EXCLUDE (agee) FROM people", "unknown_column", "bind", -1,
     "Column \"agee\" in EXCLUDE list not found in FROM clause"},
    {"SELECT current_settin('x')", "unknown_function", "bind", 7,
     "Scalar Function with name current_settin does not exist!"},

    // ---- Types
    {"SELECT 'x'::INTEGER", "type_error", "execute", 10, "Could not convert string 'x' to INT32"},
    {"SELECT 200::TINYINT", "type_error", "execute", 10,
     "Type INT32 with value 200 can't be cast because the value is out of range for the destination type INT8"},
    {"SELECT [1,2]::INTEGER[3]", "type_error", "execute", 12, "Cannot cast list with length 2 to array with length 3"},
    {"SELECT (SELECT id, name FROM people)", "type_error", "bind", 7, "Subquery returns 2 columns - expected 1"},
    {"SELECT sum(sum(id)) FROM people", "type_error", "bind", 11, "aggregate function calls cannot be nested"},
    {"SELECT 1 ORDER BY 2", "type_error", "bind", 18, "ORDER term out of range - should be between 1 and 1"},
    {"SELECT * FROM people LIMIT -1", "type_error", "bind", 27, "LIMIT/OFFSET cannot be negative"},
    {"SELECT name::INTEGER FROM people", "type_error", "execute", 11,
     "Could not convert string 'Ann' to INT32 when casting from source column name"},

    // ---- Running
    {"SELECT 9223372036854775807 + id FROM people", "runtime_error", "execute", -1,
     "Overflow in addition of INT64 (9223372036854775807 + 1)!"},
    {"SELECT sqrt(-1)", "runtime_error", "execute", -1, "cannot take square root of a negative number"},
    {"SELECT * FROM people WHERE id = (SELECT id FROM people)", "runtime_error", "execute", -1,
     "More than one row returned by a subquery used as an expression - scalar subqueries can only return a single "
     "row."},
    {"SELECT regexp_matches('a', '(')", "runtime_error", "bind", -1, "missing ): ("},

    // ---- What the engine's locks deny
    {"SELECT * FROM read_csv('/etc/passwd')", "not_allowed", "policy", 14,
     "Cannot access file \"/etc/passwd\" - file system operations are disabled by configuration"},
    {"COPY people TO '/tmp/x.csv'", "not_allowed", "policy", -1,
     "Cannot access file \"/tmp/x.csv\" - file system operations are disabled by configuration"},
    {"ATTACH '/tmp/x.db'", "not_allowed", "policy", -1,
     "Cannot access file \"/tmp/x.db\" - file system operations are disabled by configuration"},
    {"LOAD httpfs", "not_allowed", "policy", -1, "Loading external extensions is disabled through configuration"},
    {"SET threads = 4", "runtime_error", "execute", -1,
     "Cannot change configuration option \"threads\" - the configuration has been locked"},
};

TEST_F(EngineError, HasTheContractsKindStageAndPlace) {
  for (const auto& [sql, reason, stage, position, message] : kCases) {
    SCOPED_TRACE(sql);
    const auto error = error_of(std::string(sql));
    EXPECT_EQ(error.reason, reason);
    EXPECT_EQ(error.stage, stage);
    EXPECT_EQ(error.position.value_or(-1), position);
    EXPECT_EQ(error.message, message);
    EXPECT_EQ(error.code, ErrorCode::validation);
    EXPECT_FALSE(error.retryable);
  }
}

TEST_F(EngineError, NearestNamesAreGivenAsFields) {
  struct Near {
    std::string_view sql;
    std::vector<std::string> nearest;
  };
  const Near cases[] = {
      {"SELECT nam FROM people", {"name"}},
      {"SELECT nope FROM people", {"name", "age"}},
      {"SELECT * FROM peple", {"people"}},
      {"SELECT lenght('a')", {"length"}},
      {"SELECT sun(id) FROM people", {"sum"}},
      {"SELECT current_settin('x')", {}},
      {"SELECT sleep_m(1)", {}},
      {"SELECT * FROM duckdb_table", {}},
      {"SELECT abs('a', 'b')", {}},
      {"SELECT 'x'::INTEGER", {}},
  };
  for (const auto& [sql, nearest] : cases) EXPECT_EQ(error_of(std::string(sql)).nearest, nearest) << sql;
}

TEST_F(EngineError, AnInterruptIsACancellation) {
  std::thread interrupter([&] {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
      (*engine_)->interrupt();
    }
  });
  const auto error =
      error_of("SELECT count(*) FROM range(10000000) a, range(100000) b WHERE a.range % 7 = b.range % 5");
  interrupter.join();
  EXPECT_EQ(error.reason, "cancelled");
}

TEST_F(EngineError, BytesThatAreNoTextDoNotReachTheMessage) {
  for (const std::string sql : {
           "SELECT ('é' || repeat('€', 5000))::INTEGER",
           "SELECT repeat('街', 3000)::DATE",
           "SELECT regexp_matches('a', '(' || repeat('é', 3000))",
           "SELECT strptime(repeat('街', 1000), '%Y')",
           "SELECT '\\xFF\\xFE'::BLOB::INTEGER",
           "SELECT '\\xC3'::BLOB::VARCHAR::DATE",
           "SELECT ('街' || repeat('x', 999))::UUID",
       }) {
    const auto error = error_of(sql);
    EXPECT_TRUE(is_valid_utf8(error.message)) << sql;
  }
}

// ---- The cleaning alone

TEST(CleanedMessage, DropsAdviceAndKeepsTheFailure) {
  struct Clean {
    std::string_view message, cleaned;
  };
  constexpr Clean cases[] = {
      {"", ""},
      {"one line", "one line"},
      {"one\ntwo", "one\ntwo"},
      {"failed\n\n", "failed"},
      {"failed \n", "failed"},
      {"Max expression depth limit of 1000 exceeded. Use \"SET max_expression_depth TO x\" to increase it.",
       "Max expression depth limit of 1000 exceeded."},
      {"could not allocate\n\nPossible solutions:\n* Reducing the number of threads (SET threads=X)\n"
       "* Disabling insertion-order preservation (SET preserve_insertion_order=false)\n"
       "* Increasing the memory limit (SET memory_limit='...GB')\n\nSee also https://duckdb.org/docs/x",
       "could not allocate"},
      {"Table with name x does not exist!\nDid you mean \"pg_type\"?", "Table with name x does not exist!"},
      {"Table with name x does not exist!\nDid you mean \"duckdb_logs\"?", "Table with name x does not exist!"},
      {"Table with name x does not exist!\nDid you mean \"people\"?",
       "Table with name x does not exist!\nDid you mean \"people\"?"},
      {"Scalar Function with name x does not exist!\nDid you mean \"current_setting\"?",
       "Scalar Function with name x does not exist!"},
      {"Scalar Function with name x does not exist!\nDid you mean \"upper\"?",
       "Scalar Function with name x does not exist!\nDid you mean \"upper\"?"},
  };
  for (const auto& [message, cleaned] : cases) EXPECT_EQ(cleaned_message(message), cleaned);
}

TEST(EngineErrorText, WhatIsNoReportIsAMessage) {
  struct Text {
    const char* text;
    duckdb_error_type type;
    std::string_view reason, message;
  };
  const Text cases[] = {
      {nullptr, DUCKDB_ERROR_INVALID, "runtime_error", "the engine gave no reason"},
      {"", DUCKDB_ERROR_INVALID, "runtime_error", ""},
      {"plain", DUCKDB_ERROR_PARSER, "parse_error", "plain"},
      {"plain", DUCKDB_ERROR_OUT_OF_MEMORY, "memory_limit", "plain"},
      {"plain", DUCKDB_ERROR_INTERRUPT, "cancelled", "plain"},
      {"plain", DUCKDB_ERROR_PERMISSION, "not_allowed", "plain"},
      {"plain", DUCKDB_ERROR_INTERNAL, "internal_error", "plain"},
      {"plain", DUCKDB_ERROR_FATAL, "internal_error", "plain"},
      {"plain", DUCKDB_ERROR_CONVERSION, "type_error", "plain"},
      {"plain {not json", DUCKDB_ERROR_IO, "runtime_error", "plain {not json"},
      {"{\"a\": 1}", DUCKDB_ERROR_IO, "runtime_error", "{\"a\": 1}"},
      {R"({"exception_type":"IO","exception_message":"no"})", DUCKDB_ERROR_IO, "runtime_error", "no"},
      {R"(Invalid Error: {"exception_type":"INTERRUPT","exception_message":"Interrupted!"})", DUCKDB_ERROR_INVALID,
       "cancelled", "Interrupted!"},
      {R"({"exception_type":"Binder","exception_message":"x","position":"7x"})", DUCKDB_ERROR_INVALID, "type_error",
       "x"},
      {R"({"exception_type":"Binder","exception_message":"x","position":7})", DUCKDB_ERROR_INVALID, "type_error", "x"},
  };
  for (const auto& [text, type, reason, message] : cases) {
    SCOPED_TRACE(text == nullptr ? "none" : text);
    const auto error = engine_error(text, type, "execute");
    EXPECT_EQ(error.reason, reason);
    EXPECT_EQ(error.message, message);
    EXPECT_FALSE(error.position);
    EXPECT_EQ(error.code, reason == "internal_error" ? ErrorCode::internal : ErrorCode::validation);
  }
}

}  // namespace
}  // namespace adit::worker
