// Dates and times against the engine's own texts; the contract's form differs in the T, the Z and intervals.
#include "cells/time_text.h"

#include "worker/opened_engine.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace adit::worker {
namespace {

constexpr std::int64_t kMinInteger = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();

std::string date_text(std::int32_t days) {
  std::string out;
  append_date(out, {days});
  return out;
}

std::string time_text(std::int64_t units, TimeUnit unit) {
  std::string out;
  append_time(out, units, unit);
  return out;
}

std::string timestamp_text(std::int64_t units, TimeUnit unit = TimeUnit::microseconds, Zone zone = Zone::none) {
  std::string out;
  append_timestamp(out, units, unit, zone);
  return out;
}

std::string interval_text(std::int32_t months, std::int32_t days, std::int64_t micros) {
  std::string out;
  append_interval(out, {months, days, micros});
  return out;
}

TEST(TimeText, DatesAreIso) {
  EXPECT_EQ(date_text(0), "1970-01-01");
  EXPECT_EQ(date_text(-1), "1969-12-31");
  EXPECT_EQ(date_text(18'321), "2020-02-29");
  EXPECT_EQ(date_text(-719'162), "0001-01-01");
  EXPECT_EQ(date_text(-719'163), "0001-12-31 (BC)");
  EXPECT_EQ(date_text(2'932'896), "9999-12-31");
  EXPECT_EQ(date_text(2'932'897), "10000-01-01");
  EXPECT_EQ(date_text(std::numeric_limits<std::int32_t>::max()), "infinity");
  EXPECT_EQ(date_text(-std::numeric_limits<std::int32_t>::max()), "-infinity");
}

// What the engine prints for many values, asked for in one query.
TEST(TimeText, DatesAreThoseOfTheEngine) {
  OpenedEngine engine;
  std::vector<std::int32_t> days;
  std::mt19937 random(3);
  for (int i = -800'000; i < 800'000; i += 97) days.push_back(i);
  for (int i = 0; i < 2000; ++i) {
    days.push_back(static_cast<std::int32_t>(random() % 4'000'000'000u) / 2 % 2'145'000'000);
  }
  engine.run("CREATE TABLE days (i INTEGER, n INTEGER)");
  std::string insert = "INSERT INTO days VALUES ";
  for (std::size_t i = 0; i < days.size(); ++i) insert += fmt::format("{}({}, {})", i == 0 ? "" : ", ", i, days[i]);
  engine.run(insert);
  const auto rows = engine.rows("SELECT try(DATE '1970-01-01' + n)::VARCHAR FROM days ORDER BY i");
  ASSERT_EQ(rows.size(), days.size());
  int compared = 0;
  for (std::size_t i = 0; i < days.size(); ++i) {
    if (rows[i][0].empty()) continue;  // outside of the engine's calendar
    ++compared;
    EXPECT_EQ(date_text(days[i]), rows[i][0]) << days[i];
  }
  EXPECT_GT(compared, 16'000);
}

TEST(TimeText, TimesHaveTheDigitsTheyHave) {
  EXPECT_EQ(time_text(0, TimeUnit::microseconds), "00:00:00");
  EXPECT_EQ(time_text(1, TimeUnit::microseconds), "00:00:00.000001");
  EXPECT_EQ(time_text(500'000, TimeUnit::microseconds), "00:00:00.5");
  EXPECT_EQ(time_text(86'399'999'999, TimeUnit::microseconds), "23:59:59.999999");
  EXPECT_EQ(time_text(86'400'000'000, TimeUnit::microseconds), "24:00:00");
  EXPECT_EQ(time_text(3'723'000'000'010, TimeUnit::nanoseconds), "01:02:03.00000001");
  EXPECT_EQ(time_text(3'723'120, TimeUnit::milliseconds), "01:02:03.12");
  EXPECT_EQ(time_text(3'723, TimeUnit::seconds), "01:02:03");
}

TEST(TimeText, TimesWithAZoneHaveItsOffset) {
  struct Case {
    std::int64_t micros;
    std::int32_t offset;
    std::string_view text;
  };
  constexpr Case cases[] = {
      {0, 0, "00:00:00+00:00"},          {0, 3'600, "00:00:00+01:00"},
      {0, -3'600, "00:00:00-01:00"},     {1'500'000, 20'700, "00:00:01.5+05:45"},
      {0, -20'700, "00:00:00-05:45"},    {0, 57'599, "00:00:00+15:59:59"},
      {0, -57'599, "00:00:00-15:59:59"}, {86'400'000'000, 1, "24:00:00+00:00:01"},
  };
  for (const auto& [micros, offset, text] : cases) {
    std::string out;
    append_time_tz(out, duckdb_create_time_tz(micros, offset));
    EXPECT_EQ(out, text);
  }
}

TEST(TimeText, TimestampsAreIsoAndUtcIsZ) {
  EXPECT_EQ(timestamp_text(0), "1970-01-01T00:00:00");
  EXPECT_EQ(timestamp_text(-1), "1969-12-31T23:59:59.999999");
  EXPECT_EQ(timestamp_text(1'577'934'245'120'000), "2020-01-02T03:04:05.12");
  EXPECT_EQ(timestamp_text(1'577'934'245'120'000, TimeUnit::microseconds, Zone::utc), "2020-01-02T03:04:05.12Z");
  EXPECT_EQ(timestamp_text(1'577'934'245, TimeUnit::seconds), "2020-01-02T03:04:05");
  EXPECT_EQ(timestamp_text(1'577'934'245'001, TimeUnit::milliseconds), "2020-01-02T03:04:05.001");
  EXPECT_EQ(timestamp_text(1'577'934'245'123'456'789, TimeUnit::nanoseconds), "2020-01-02T03:04:05.123456789");
  EXPECT_EQ(timestamp_text(-1, TimeUnit::nanoseconds), "1969-12-31T23:59:59.999999999");
}

TEST(TimeText, InfinitiesAndFarYearsAreTheEngines) {
  EXPECT_EQ(timestamp_text(kMaxInteger), "infinity");
  EXPECT_EQ(timestamp_text(-kMaxInteger), "-infinity");
  EXPECT_EQ(timestamp_text(kMaxInteger, TimeUnit::nanoseconds), "infinity");
  EXPECT_EQ(timestamp_text(253'402'300'800'000'000), "10000-01-01 00:00:00");
  EXPECT_EQ(timestamp_text(253'402'300'800'000'000, TimeUnit::microseconds, Zone::utc), "10000-01-01 00:00:00+00");
  EXPECT_EQ(timestamp_text(-62'135'596'800'000'001), "0001-12-31 (BC) 23:59:59.999999");
  EXPECT_EQ(timestamp_text(-62'135'596'800'000'000), "0001-01-01T00:00:00");
}

TEST(TimeText, TheEdgesOf64BitsOverflowNowhere) {
  for (const auto unit : {TimeUnit::seconds, TimeUnit::milliseconds, TimeUnit::microseconds, TimeUnit::nanoseconds}) {
    for (const auto value : {kMinInteger, kMinInteger + 2, kMaxInteger - 1, kMaxInteger - 86'400}) {
      EXPECT_FALSE(timestamp_text(value, unit).empty());
    }
  }
  EXPECT_EQ(timestamp_text(kMaxInteger - 1, TimeUnit::nanoseconds), "2262-04-11T23:47:16.854775806");
  EXPECT_EQ(timestamp_text(-kMaxInteger + 1, TimeUnit::nanoseconds), "1677-09-21T00:12:43.145224194");
  EXPECT_FALSE(
      interval_text(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::min(), kMinInteger)
          .empty());
}

TEST(TimeText, TimestampsAreThoseOfTheEngine) {
  OpenedEngine engine;
  std::mt19937_64 random(11);
  std::vector<std::int64_t> values;
  for (int i = 0; i < 3000; ++i) {
    const auto wide = static_cast<std::int64_t>(random() % (1ull << (20 + random() % 43)));
    values.push_back(random() % 2 == 0 ? wide : -wide);
  }
  engine.run("CREATE TABLE stamps (i INTEGER, n BIGINT)");
  std::string insert = "INSERT INTO stamps VALUES ";
  for (std::size_t i = 0; i < values.size(); ++i) insert += fmt::format("{}({}, {})", i == 0 ? "" : ", ", i, values[i]);
  engine.run(insert);
  const auto rows =
      engine.rows("SELECT try(make_timestamp(n))::VARCHAR, try(make_timestamp_ns(n))::VARCHAR FROM stamps ORDER BY i");
  ASSERT_EQ(rows.size(), values.size());
  const auto with_blank = [](std::string text) {
    if (const auto t = text.find('T'); t != std::string::npos) text[t] = ' ';
    return text;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!rows[i][0].empty()) {
      EXPECT_EQ(with_blank(timestamp_text(values[i])), rows[i][0]) << values[i];
    }
    if (!rows[i][1].empty()) {
      EXPECT_EQ(with_blank(timestamp_text(values[i], TimeUnit::nanoseconds)), rows[i][1]) << values[i];
    }
  }
}

TEST(TimeText, IntervalsAreIsoDurations) {
  struct Case {
    std::int32_t months, days;
    std::int64_t micros;
    std::string_view text;
  };
  constexpr Case cases[] = {
      {0, 0, 0, "PT0S"},
      {1, 0, 0, "P1M"},
      {14, 0, 0, "P1Y2M"},
      {12, 0, 0, "P1Y"},
      {-1, 0, 0, "P-1M"},
      {-14, 0, 0, "P-1Y-2M"},
      {0, 3, 0, "P3D"},
      {0, -3, 0, "P-3D"},
      {0, 0, 1, "PT0.000001S"},
      {0, 0, -1, "PT-0.000001S"},
      {0, 0, 1'500'000, "PT1.5S"},
      {0, 0, 60'000'000, "PT1M"},
      {0, 0, 3'600'000'000, "PT1H"},
      {0, 0, 360'000'000'000, "PT100H"},
      {0, 0, -3'661'500'000, "PT-1H-1M-1.5S"},
      {13, 2, 3'723'000'000, "P1Y1M2DT1H2M3S"},
      {1, -2, 3, "P1M-2DT0.000003S"},
  };
  for (const auto& [months, days, micros, text] : cases) EXPECT_EQ(interval_text(months, days, micros), text);
}

// Read back by the engine, which takes the same designators, an interval is the same.
TEST(TimeText, AnIntervalOfManyIsReadBackByParts) {
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    const auto months = static_cast<std::int32_t>(random() % 5000) - 2500;
    const auto days = static_cast<std::int32_t>(random() % 5000) - 2500;
    const auto micros = (static_cast<std::int64_t>(random()) - (1ll << 31)) * 977;
    const auto text = interval_text(months, days, micros);
    std::int64_t read_months = 0, read_days = 0;
    long double read_micros = 0;
    bool time = false;
    for (std::size_t at = 1; at < text.size();) {
      if (text[at] == 'T') {
        time = true;
        ++at;
        continue;
      }
      std::size_t used = 0;
      const long double number = std::stold(text.substr(at), &used);
      const char unit = text.at(at + used);
      at += used + 1;
      const auto whole = static_cast<std::int64_t>(number);
      if (unit == 'Y') read_months += whole * 12;
      if (unit == 'M' && !time) read_months += whole;
      if (unit == 'D') read_days += whole;
      if (unit == 'H') read_micros += number * 3'600'000'000.0L;
      if (unit == 'M' && time) read_micros += number * 60'000'000.0L;
      if (unit == 'S') read_micros += number * 1'000'000.0L;
    }
    EXPECT_EQ(read_months, months) << text;
    EXPECT_EQ(read_days, days) << text;
    EXPECT_NEAR(static_cast<double>(read_micros - static_cast<long double>(micros)), 0, 0.4) << text;
  }
}

}  // namespace
}  // namespace adit::worker
