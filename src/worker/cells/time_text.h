// Dates, times and intervals as the contract prints them: ISO 8601; infinite values, BC and years beyond 9999 as the
// engine prints them (reference: the cell table in docs/sql-results.md).
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <string>

namespace adit::worker {

enum class TimeUnit { seconds, milliseconds, microseconds, nanoseconds };
enum class Zone { none, utc };

void append_date(std::string& out, duckdb_date date);
void append_time(std::string& out, std::int64_t units_of_day, TimeUnit unit);
void append_time_tz(std::string& out, duckdb_time_tz time);
void append_timestamp(std::string& out, std::int64_t units_since_epoch, TimeUnit unit, Zone zone);
void append_interval(std::string& out, duckdb_interval interval);

}  // namespace adit::worker
