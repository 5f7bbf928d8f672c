// Dates like 01/02/2024: whether the texts of a column tell which number is the day.
#pragma once

#include "adit/base/result.h"
#include "engine.h"

#include <string>

namespace adit::worker {

// A format in which the year comes first and in four digits has one meaning only.
bool has_one_meaning(const std::string& format);

struct DayOrder {
  bool fits = false;  // the format reads every text
  std::string other;  // another format that does too, and finds other days; "" when there is none
};

// Over a column of texts of the staging table.
Result<DayOrder> day_order(Engine& engine, const std::string& staging, const std::string& column,
                           const std::string& format);

}  // namespace adit::worker
