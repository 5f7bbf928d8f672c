// A VARIANT is printed as the value that it holds: what any type shows inside a list it shows inside a list of
// VARIANTs.
#include "cells/cell_writer.h"
#include "cells/logical_type_text.h"
#include "cells/scalar_text.h"
#include "worker/opened_engine.h"

#include <gtest/gtest.h>

namespace adit::worker {
namespace {

using namespace std::string_literals;

// The first column of a query, each row as it stands inside a nested value.
std::vector<std::string> nested_values(OpenedEngine& engine, const std::string& sql) {
  auto statement = engine->prepare(sql);
  EXPECT_TRUE(statement.ok()) << sql << statement.error().message;
  const LogicalType own(duckdb_prepared_statement_column_logical_type(statement->get(), 0));
  if (const auto read = readable_type_text(own.get()); !read.empty()) {
    statement = engine->prepare("SELECT #1::" + read + " FROM (" + sql + ")");
    EXPECT_TRUE(statement.ok()) << statement.error().message;
  }
  const LogicalType read(duckdb_prepared_statement_column_logical_type(statement->get(), 0));
  RowWriter writer({{own.get(), read.get()}});
  auto result = engine->stream(*statement);
  EXPECT_TRUE(result.ok());
  std::vector<std::string> values;
  for (auto chunk = engine->next_chunk(*result); chunk.ok() && *chunk; chunk = engine->next_chunk(*result)) {
    writer.bind(chunk->get());
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk->get()); ++row) {
      writer.append_object(values.emplace_back(), row, {"\"v\""});
    }
  }
  return values;
}

TEST(VariantWriter, EveryTypeKeepsItsForm) {
  OpenedEngine engine;
  int compared = 0;
  for (const auto& row : engine.rows("SELECT column_name FROM (DESCRIBE SELECT * FROM test_all_types())")) {
    const auto& column = row[0];
    // A MAP becomes a list of objects in a VARIANT.
    if (column.find("map") != std::string::npos) continue;
    SCOPED_TRACE(column);
    const auto plain = nested_values(engine, "SELECT [\"" + column + "\"] FROM test_all_types()");
    const auto variant = nested_values(engine, "SELECT [\"" + column + "\"::VARIANT] FROM test_all_types()");
    EXPECT_EQ(plain, variant);
    EXPECT_EQ(plain.size(), 3u);
    ++compared;
  }
  EXPECT_GT(compared, 40);
}

TEST(VariantWriter, ValuesAreExactAtEveryDepth) {
  OpenedEngine engine;
  struct Case {
    std::string_view sql, value;
  };
  constexpr Case cases[] = {
      {"12.340::DECIMAL(18,3)", R"("12.340")"},
      {"{'price': 0.10, 'of': [9007199254740993, 1]}", R"({"price":"0.10","of":["9007199254740993",1]})"},
      {"[{'t': TIMESTAMP '2020-01-01 00:00:00'}, {'t': NULL}]", R"([{"t":"2020-01-01T00:00:00"},{"t":null}])"},
      {"MAP {'k': 'ab'::BLOB}", R"([{"key":"k","value":"6162"}])"},
      {"'\"quoted\"'", R"("\"quoted\"")"},
      {"[]::INTEGER[]", "[]"},
      {"NULL", "null"},
      {"'nan'::FLOAT", R"("NaN")"},
      {"1.5::FLOAT", "1.5"},
      {"(-12345678901234567890123)::BIGNUM", R"("-12345678901234567890123")"},
      {"0::BIGNUM", R"("0")"},
      {"'1010101010'::BIT", R"("1010101010")"},
      {"'POINT Z(1 2 3.5)'::GEOMETRY", R"x("POINT Z (1 2 3.5)")x"},
      {"'GEOMETRYCOLLECTION(POINT(1 2), LINESTRING EMPTY)'::GEOMETRY",
       R"x("GEOMETRYCOLLECTION (POINT (1 2), LINESTRING EMPTY)")x"},
      {"'MULTIPOLYGON(((0 0, 1 0, 1 1, 0 0)))'::GEOMETRY", R"x("MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)))")x"},
      {"'MULTILINESTRING M((0 0 1, 1 0 2))'::GEOMETRY", R"x("MULTILINESTRING M ((0 0 1, 1 0 2))")x"},
      {"'POINT EMPTY'::GEOMETRY", R"x("POINT EMPTY")x"},
      {R"('{"a": [1.50, 18446744073709551615]}'::JSON)", R"({"a":[1.5,"18446744073709551615"]})"},
  };
  for (const auto& [sql, value] : cases) {
    const auto values = nested_values(engine, "SELECT (" + std::string(sql) + ")::VARIANT");
    EXPECT_EQ(values, std::vector<std::string>{"{\"v\":" + std::string(value) + "}"}) << sql;
  }
}

TEST(ScalarText, DamagedBytesEndWhereTheyEnd) {
  for (const auto& bytes :
       {""s, "\x01"s, "\x01\x01\0\0\0"s, "\x01\x03\0\0\0\xFF\xFF\xFF\xFF"s, std::string(40, '\xFF')}) {
    std::string out;
    append_wkt(out, bytes);
    append_bits(out, bytes);
    append_bignum(out, bytes);
    EXPECT_LT(out.size(), 1000u);
  }
}

}  // namespace
}  // namespace adit::worker
