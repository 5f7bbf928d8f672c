// Our text of a type against the engine's own (DESCRIBE), which clients know from everywhere else.
#include "cells/logical_type_text.h"

#include "worker/opened_engine.h"

#include <gtest/gtest.h>

namespace adit::worker {
namespace {

constexpr std::string_view kTypes[] = {
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INTEGER",
    "BIGINT",
    "HUGEINT",
    "UTINYINT",
    "USMALLINT",
    "UINTEGER",
    "UBIGINT",
    "UHUGEINT",
    "FLOAT",
    "DOUBLE",
    "VARCHAR",
    "BLOB",
    "BIT",
    "UUID",
    "DATE",
    "TIME",
    "TIMETZ",
    "TIME_NS",
    "TIMESTAMP",
    "TIMESTAMP_S",
    "TIMESTAMP_MS",
    "TIMESTAMP_NS",
    "TIMESTAMPTZ",
    "INTERVAL",
    "BIGNUM",
    "JSON",
    "VARIANT",
    "GEOMETRY",
    "DECIMAL(4,1)",
    "DECIMAL(9,0)",
    "DECIMAL(18,6)",
    "DECIMAL(38,38)",
    "ENUM('a')",
    "ENUM('it''s', '', 'é', 'a,b')",
    "INTEGER[]",
    "INTEGER[][]",
    "VARCHAR[3]",
    "VARCHAR[3][]",
    "INTEGER[][2]",
    "JSON[]",
    "GEOMETRY[]",
    "VARIANT[]",
    "STRUCT(a INTEGER)",
    "STRUCT(a INTEGER, b VARCHAR[])",
    "STRUCT(\"b c\" INTEGER)",
    "STRUCT(\"a\"\"b\" INTEGER)",
    "STRUCT(\"SELECT\" INTEGER)",
    "STRUCT(\"select\" INTEGER, \"Order\" INTEGER)",
    "STRUCT(A INTEGER)",
    "STRUCT(\"1a\" INTEGER, a1 INTEGER, _a INTEGER, \"a-b\" INTEGER, \"a.b\" INTEGER, \" \" INTEGER)",
    "STRUCT(é INTEGER)",
    "STRUCT(\"Größe\" INTEGER)",
    "STRUCT(\"a$b\" INTEGER)",
    "STRUCT(\"a'b\" INTEGER)",
    "STRUCT(a STRUCT(b STRUCT(c DECIMAL(5,2))))",
    "STRUCT(a INTEGER)[]",
    "STRUCT(a ENUM('x', 'y'))",
    "STRUCT(value INTEGER, year INTEGER, \"name\" INTEGER, \"type\" INTEGER, date INTEGER, \"user\" INTEGER)",
    "MAP(VARCHAR, INTEGER)",
    "MAP(INTEGER, STRUCT(a INTEGER)[])",
    "MAP(DATE, MAP(VARCHAR, DOUBLE))",
    "MAP(STRUCT(a INTEGER), VARCHAR[2])",
    "UNION(a INTEGER, b VARCHAR)",
    "UNION(\"x y\" INTEGER)",
    "UNION(a UNION(b INTEGER))[]",
    "UNION(\"end\" INTEGER)",
};

// The type of the first column of a statement, by the C API.
std::string our_text(Engine& engine, const std::string& sql) {
  auto statement = engine.prepare(sql);
  if (!statement.ok()) return statement.error().message;
  const LogicalType type(duckdb_prepared_statement_column_logical_type(statement->get(), 0));
  return logical_type_text(type.get());
}

std::string engine_text(OpenedEngine& engine, const std::string& sql) {
  return engine.value("SELECT column_type FROM (DESCRIBE " + sql + ")");
}

TEST(LogicalTypeText, IsTheEnginesText) {
  OpenedEngine engine;
  for (const auto& type : kTypes) {
    const auto sql = fmt::format("SELECT NULL::{}", type);
    EXPECT_EQ(our_text(*engine, sql), engine_text(engine, sql)) << type;
  }
}

TEST(LogicalTypeText, IsTheEnginesTextOfColumnsOfATableToo) {
  OpenedEngine engine;
  for (std::size_t i = 0; i < std::size(kTypes); ++i) {
    if (kTypes[i].starts_with("VARIANT")) continue;  // the workspace's storage version cannot keep it
    engine.run(fmt::format("CREATE TABLE t{} (c {})", i, kTypes[i]));
    const auto sql = fmt::format("SELECT c FROM t{}", i);
    EXPECT_EQ(our_text(*engine, sql), engine_text(engine, sql)) << kTypes[i];
  }
}

TEST(LogicalTypeText, OfValuesWithoutADeclaredType) {
  OpenedEngine engine;
  for (const std::string sql : {"SELECT NULL",
                                "SELECT [NULL]",
                                "SELECT []",
                                "SELECT {'a': NULL}",
                                "SELECT row(1, 'a')",
                                "SELECT (1, 2)",
                                "SELECT MAP {}",
                                "SELECT [row(1)]",
                                "SELECT union_value(k := 1)",
                                "SELECT 1.5",
                                "SELECT 1e3",
                                "SELECT 'a'",
                                "SELECT INTERVAL 1 DAY",
                                "SELECT 170141183460469231731687303715884105727",
                                "SELECT count(*)",
                                "SELECT histogram(1)",
                                "SELECT sum(1)",
                                "SELECT ['a']::VARCHAR[1]",
                                "SELECT {'1': 1, 'a b': 2}",
                                "SELECT json_object('a', 1)",
                                "SELECT struct_pack(\"end\" := 1)"}) {
    EXPECT_EQ(our_text(*engine, sql), engine_text(engine, sql)) << sql;
  }
}

TEST(LogicalTypeText, OfEveryColumnOfTheEnginesOwnTestTypes) {
  OpenedEngine engine;
  auto statement = engine->prepare("SELECT * FROM test_all_types()");
  ASSERT_TRUE(statement.ok());
  const auto described = engine.rows("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM test_all_types())");
  const auto count = duckdb_prepared_statement_column_count(statement->get());
  ASSERT_EQ(described.size(), count);
  for (idx_t i = 0; i < count; ++i) {
    const LogicalType type(duckdb_prepared_statement_column_logical_type(statement->get(), i));
    EXPECT_EQ(logical_type_text(type.get()), described[i][1]) << described[i][0];
    EXPECT_FALSE(has_unknown_part(type.get())) << described[i][0];
  }
}

TEST(LogicalTypeText, AKeywordAsAFieldIsQuotedAsTheEngineDoes) {
  OpenedEngine engine;
  std::string fields;
  for (const auto& row : engine.rows("SELECT DISTINCT keyword_name FROM duckdb_keywords() ORDER BY 1")) {
    fields += fmt::format("{}\"{}\" INTEGER", fields.empty() ? "" : ", ", row[0]);
  }
  const auto sql = "SELECT NULL::STRUCT(" + fields + ")";
  EXPECT_EQ(our_text(*engine, sql), engine_text(engine, sql));
}

TEST(LogicalTypeText, AnUnknownNumberIsTold) {
  // A type of the engine that no column has stands for one of a later version.
  const LogicalType any(duckdb_create_logical_type(DUCKDB_TYPE_ANY));
  const LogicalType list(duckdb_create_list_type(any.get()));
  EXPECT_TRUE(has_unknown_part(any.get()));
  EXPECT_TRUE(has_unknown_part(list.get()));
  EXPECT_TRUE(logical_type_text(list.get()).starts_with("UNKNOWN("));
  EXPECT_EQ(readable_type_text(list.get()), "VARCHAR[]");

  // The word in a name tells nothing.
  OpenedEngine engine;
  auto statement = engine->prepare(R"(SELECT {'UNKNOWN(1)': 1})");
  ASSERT_TRUE(statement.ok());
  const LogicalType named(duckdb_prepared_statement_column_logical_type(statement->get(), 0));
  EXPECT_FALSE(has_unknown_part(named.get()));
}

TEST(LogicalTypeText, TheCostIsLinearInTheNesting) {
  OpenedEngine engine;
  std::string type = "BIT";
  for (int i = 0; i < 60; ++i) type = i % 2 == 0 ? type + "[]" : "STRUCT(a " + type + ")";
  auto statement = engine->prepare("SELECT NULL::" + type);
  ASSERT_TRUE(statement.ok()) << statement.error().message;
  const LogicalType logical(duckdb_prepared_statement_column_logical_type(statement->get(), 0));
  EXPECT_EQ(logical_type_text(logical.get()), type);
  EXPECT_FALSE(has_unknown_part(logical.get()));
  type.replace(type.find("BIT"), 3, "VARCHAR");
  EXPECT_EQ(readable_type_text(logical.get()), type);
}

// ---- Which types are cast before they are read

TEST(ReadableTypeText, IsEmptyWhereTheLayoutIsDocumented) {
  OpenedEngine engine;
  for (const std::string type : {"INTEGER", "VARCHAR", "JSON", "UUID", "ENUM('a')", "STRUCT(a INTEGER, b ENUM('x'))",
                                 "INTEGER[][2]", "MAP(VARCHAR, DATE)", "UNION(a INTEGER)", "DECIMAL(18,3)", "JSON[]"}) {
    auto statement = engine->prepare("SELECT NULL::" + type);
    ASSERT_TRUE(statement.ok());
    const LogicalType logical(duckdb_prepared_statement_column_logical_type(statement->get(), 0));
    EXPECT_EQ(readable_type_text(logical.get()), "") << type;
  }
}

// The text is a type that the engine casts to, whatever stands inside and however the fields are named.
TEST(ReadableTypeText, IsATypeThatTheEngineCastsTo) {
  OpenedEngine engine;
  struct Case {
    std::string_view value, read;
  };
  constexpr Case cases[] = {
      {"'101'::BIT", "VARCHAR"},
      {"12::BIGNUM", "VARCHAR"},
      {"'POINT (1 2)'::GEOMETRY", "VARCHAR"},
      {"['1'::BIT]", "VARCHAR[]"},
      {"['1'::BIT]::BIT[1]", "VARCHAR[1]"},
      {"{'a': '1'::BIT, 'b': 2}", "STRUCT(a VARCHAR, b INTEGER)"},
      {"{'a b': '1'::BIT, 'select': [1::VARIANT]}", "STRUCT(\"a b\" VARCHAR, \"select\" VARIANT[])"},
      {"row('1'::BIT, 2)", "STRUCT(field0 VARCHAR, field1 INTEGER)"},
      {"MAP {'k': '1'::BIT}", "MAP(VARCHAR, VARCHAR)"},
      {"union_value(u := '1'::BIT)", "UNION(u VARCHAR)"},
      {"{'e': 'x'::ENUM('x', 'y'), 'b': '1'::BIT}", "STRUCT(e VARCHAR, b VARCHAR)"},
      {"{'n': NULL, 'b': '1'::BIT}", "STRUCT(n INTEGER, b VARCHAR)"},
      {"{'j': '{}'::JSON, 'b': '1'::BIT}", "STRUCT(j JSON, b VARCHAR)"},
      {"{'t': TIMETZ '01:02:03+00', 's': TIMESTAMPTZ '2020-01-01', 'b': '1'::BIT}",
       "STRUCT(t TIME WITH TIME ZONE, s TIMESTAMP WITH TIME ZONE, b VARCHAR)"},
      {"{'d': 1.5::DECIMAL(4,2), 'b': '1'::BIT}", "STRUCT(d DECIMAL(4,2), b VARCHAR)"},
  };
  for (const auto& [value, read] : cases) {
    SCOPED_TRACE(value);
    auto statement = engine->prepare(fmt::format("SELECT {}", value));
    ASSERT_TRUE(statement.ok()) << statement.error().message;
    const LogicalType logical(duckdb_prepared_statement_column_logical_type(statement->get(), 0));
    EXPECT_EQ(readable_type_text(logical.get()), read);
    const auto cast =
        engine->prepare(fmt::format("SELECT #1::{} FROM (SELECT {})", readable_type_text(logical.get()), value));
    EXPECT_TRUE(cast.ok()) << cast.error().message;
  }
}

}  // namespace
}  // namespace adit::worker
