#include "adit/socrata/soql_query.h"

#include <gtest/gtest.h>

namespace adit::socrata {
namespace {

TEST(SoqlQuery, ItsOrderIsMadeTotalWhereThatMeansSomething) {
  struct Case {
    const char* select;
    const char* group;
    const char* order;
    const char* total;  // as it is sent
    RowsKind kind;
  };
  using enum RowsKind;
  const Case cases[] = {
      // pages agree.
      {"", "", "", ":id", plain},
      {"", "", "name", "name, :id", plain},
      {"", "", "name DESC, year", "name DESC, year, :id", plain},
      {"", "", ":id DESC", ":id DESC", plain},
      {"", "", "name, :id", "name, :id", plain},
      {"", "", "`:id`", "`:id`", plain},
      {"name, year", "", "", ":id", plain},
      {":*, *", "", "", ":id", plain},
      {"upper(name) as n", "", "n", "n, :id", plain},
      {"max_speed, counted", "", "", ":id", plain},
      {"`count`", "", "", ":id", plain},
      {"'count(*)' as text", "", "", ":id", plain},
      {"greatest(a, b)", "", "", ":id", plain},
      {"name, row_number() over (order by year)", "", "", ":id", plain},
      {"name, sum(x) over (partition by name)", "", "", ":id", plain},
      // an aggregate is one row.
      {"count(*)", "", "", "", aggregated},
      {"COUNT(*) as n", "", "", "", aggregated},
      {"count (trip_id)", "", "", "", aggregated},
      {"max(year), min(year)", "", "", "", aggregated},
      {"1 + sum(x)", "", "", "", aggregated},
      {"round(avg(x), 2)", "", "", "", aggregated},
      {"count(*) filter (where x > 1)", "", "", "", aggregated},
      {"sum(x) -- all of them\n as s", "", "", "", aggregated},
      // Groups are ordered by what they are grouped by.
      {"state, count(*) as n", "state", "", "state", grouped},
      {"state, count(*) as n", "state", "n DESC", "n DESC, state", grouped},
      {"state, count(*) as n", "state", "state", "state", grouped},
      {"state, count(*) as n", "state", "state DESC", "state DESC", grouped},
      {"state, city, count(*)", "state, city", "city", "city, state", grouped},
      {"date_trunc_y(d) as y, count(*)", "date_trunc_y(d)", "", "date_trunc_y(d)", grouped},
      {"date_trunc_y(d) as y, count(*)", "date_trunc_y(d)", "date_trunc_y(d)", "date_trunc_y(d)", grouped},
      {"case(a = 1, 'x, y'), count(*)", "case(a = 1, 'x, y'), b", "", "case(a = 1, 'x, y'), b", grouped},
      {"distinct name", "", "", "name", grouped},
      {"DISTINCT name, year as y", "", "year", "year, name", grouped},
      {"distinct *", "", "", "", grouped},
      {"distinct * (except a)", "", "", "", grouped},
      {"distinct on (city) name, qty", "", "", "", grouped},
      {"count_distinct(city)", "", "", "", aggregated},
      {"type, count(*)", "type", "n + type", "n + type, type", grouped},
      {"", "", "date -- newest", "date, :id", plain},
      {"", "", "case(:id = 'x', 1, true, 2)", "case(:id = 'x', 1, true, 2), :id", plain},
      // What cannot be read is the portal's to refuse.
      {"name, 'open", "", "", ":id", plain},
  };
  for (const auto& [select, group, order, total, kind] : cases) {
    SoqlQuery query;
    query.select = select;
    query.group = group;
    query.order = order;
    EXPECT_EQ(total_order(query), total) << "select=" << select << " group=" << group << " order=" << order;
    EXPECT_EQ(kind_of_rows(query), kind) << "select=" << select << " group=" << group;
  }
}

// the echo is what was written, not its encoding.
TEST(SoqlQuery, ItsClausesStandInSodasOrderAsWritten) {
  SoqlQuery query;
  query.limit = 10;
  EXPECT_EQ(assembled_query(query), "$limit=10");
  query = {.search = "a b",
           .select = "x + y as s",
           .where = "n = 'O''Hare'",
           .group = "g",
           .having = "count(*) > 1",
           .order = "g",
           .limit = 5,
           .offset = 20};
  EXPECT_EQ(
      assembled_query(query),
      "$select=x + y as s $q=a b $where=n = 'O''Hare' $group=g $having=count(*) > 1 $order=g $limit=5 $offset=20");
}

}  // namespace
}  // namespace adit::socrata
