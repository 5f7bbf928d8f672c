// Reading fields of a Boost.JSON object whose form is known: a field that is absent or of another type is as good as
// the fallback. Arguments from outside have passed their schema before.
#pragma once

#include "adit/base/result.h"

#include <boost/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace adit {

// Parses one JSON text into a tree. Depth is bounded; the text must be valid UTF-8.
Result<boost::json::value> parse_json(std::string_view text, std::size_t max_depth = 128);

// nullptr when absent.
const boost::json::value* find_field(const boost::json::object& object, std::string_view name);

// Absent and blank count the same (design 2, "Optional text that is blank counts as absent").
std::optional<std::string> optional_text(const boost::json::object& object, std::string_view name);

std::string text_or(const boost::json::object& object, std::string_view name, std::string_view fallback);
std::int64_t integer_or(const boost::json::object& object, std::string_view name, std::int64_t fallback);
bool boolean_or(const boost::json::object& object, std::string_view name, bool fallback);

}  // namespace adit
