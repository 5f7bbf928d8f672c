#include "cells/time_text.h"

#include <fmt/format.h>

#include <iterator>
#include <limits>

namespace adit::worker {
namespace {

constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int32_t kInfiniteDays = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kInfiniteUnits = std::numeric_limits<std::int64_t>::max();

struct Scale {
  std::int64_t per_second;
  int digits;
};

Scale scale_of(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::seconds: return {1, 0};
    case TimeUnit::milliseconds: return {1'000, 3};
    case TimeUnit::microseconds: return {1'000'000, 6};
    case TimeUnit::nanoseconds: return {1'000'000'000, 9};
  }
  return {1, 0};
}

struct CivilDate {
  std::int64_t year;  // astronomical: 0 is 1 BC
  unsigned month, day;
};

// Days since 1970-01-01 to the proleptic Gregorian calendar, by 400-year eras that begin on 1 March.
CivilDate civil_from_days(std::int64_t days) {
  constexpr std::int64_t kDaysPerEra = 146'097;
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - kDaysPerEra + 1) / kDaysPerEra;
  const auto day_of_era = static_cast<unsigned>(days - era * kDaysPerEra);
  const unsigned year_of_era = (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned shifted_month = (5 * day_of_year + 2) / 153;
  const unsigned month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
  return {static_cast<std::int64_t>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0), month,
          day_of_year - (153 * shifted_month + 2) / 5 + 1};
}

bool is_plain_year(std::int64_t year) { return year >= 1 && year <= 9'999; }

void append_civil(std::string& out, const CivilDate& date) {
  const bool bc = date.year <= 0;
  fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}{}", bc ? 1 - date.year : date.year, date.month, date.day,
                 bc ? " (BC)" : "");
}

// `units` with all the digits it has and no trailing zeros.
void append_fraction(std::string& out, std::int64_t units, int digits) {
  if (units == 0) return;
  auto text = fmt::format(".{:0{}}", units, digits);
  while (text.back() == '0') text.pop_back();
  out += text;
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

void append_date(std::string& out, duckdb_date date) {
  if (date.days == kInfiniteDays) out += "infinity";
  else if (date.days == -kInfiniteDays) out += "-infinity";
  else append_civil(out, civil_from_days(date.days));
}

void append_time(std::string& out, std::int64_t units_of_day, TimeUnit unit) {
  const auto [per_second, digits] = scale_of(unit);
  const std::int64_t seconds = units_of_day / per_second;
  fmt::format_to(std::back_inserter(out), "{:02}:{:02}:{:02}", seconds / 3'600, seconds / 60 % 60, seconds % 60);
  append_fraction(out, units_of_day % per_second, digits);
}

void append_time_tz(std::string& out, duckdb_time_tz time) {
  const auto parts = duckdb_from_time_tz(time);
  append_time(out, duckdb_to_time(parts.time).micros, TimeUnit::microseconds);
  const int offset = parts.offset < 0 ? -parts.offset : parts.offset;
  fmt::format_to(std::back_inserter(out), "{}{:02}:{:02}", parts.offset < 0 ? '-' : '+', offset / 3'600,
                 offset / 60 % 60);
  if (offset % 60 != 0) fmt::format_to(std::back_inserter(out), ":{:02}", offset % 60);
}

void append_timestamp(std::string& out, std::int64_t units, TimeUnit unit, Zone zone) {
  if (units == kInfiniteUnits) {
    out += "infinity";
    return;
  }
  if (units == -kInfiniteUnits) {
    out += "-infinity";
    return;
  }
  const auto per_day = scale_of(unit).per_second * kSecondsPerDay;
  const std::int64_t days = floor_div(units, per_day);
  const auto date = civil_from_days(days);
  append_civil(out, date);
  // Units of the day from the remainder, not from days * per_day: that product leaves 64 bits at the edges.
  const std::int64_t rest = units % per_day;
  out += is_plain_year(date.year) ? 'T' : ' ';
  append_time(out, rest < 0 ? rest + per_day : rest, unit);
  if (zone == Zone::utc) out += is_plain_year(date.year) ? "Z" : "+00";
}

void append_interval(std::string& out, duckdb_interval interval) {
  const std::size_t begin = out.size();
  const auto part = [&](std::int64_t value, char unit) {
    if (value != 0) fmt::format_to(std::back_inserter(out), "{}{}", value, unit);
  };
  out += 'P';
  part(interval.months / 12, 'Y');
  part(interval.months % 12, 'M');
  part(interval.days, 'D');
  if (interval.micros != 0) {
    constexpr std::int64_t kPerMinute = 60'000'000;
    out += 'T';
    part(interval.micros / (60 * kPerMinute), 'H');
    part(interval.micros / kPerMinute % 60, 'M');
    const std::int64_t micros = interval.micros % kPerMinute;
    if (micros != 0) {
      if (micros < 0) out += '-';
      const std::int64_t absolute = micros < 0 ? -micros : micros;
      fmt::format_to(std::back_inserter(out), "{}", absolute / 1'000'000);
      append_fraction(out, absolute % 1'000'000, 6);
      out += 'S';
    }
  }
  if (out.size() == begin + 1) out += "T0S";
}

}  // namespace adit::worker
