#include "adit/base/json_fields.h"

#include <fmt/format.h>

namespace adit {
namespace json = boost::json;

Result<json::value> parse_json(std::string_view text, std::size_t max_depth) {
  json::parse_options options;
  options.max_depth = max_depth;
  json::error_code error;
  json::value value;
  try {
    value = json::parse({text.data(), text.size()}, error, json::storage_ptr(), options);
  } catch (const std::exception& exception) {
    // Boost.JSON throws for what no error code tells: a number or string too long for it.
    return Error{.code = ErrorCode::parse_error, .reason = "invalid_json", .message = exception.what(), .hint = ""};
  }
  if (error) {
    return Error{.code = ErrorCode::parse_error, .reason = "invalid_json", .message = error.message(), .hint = ""};
  }
  return value;
}

const json::value* find_field(const json::object& object, std::string_view name) {
  return object.if_contains({name.data(), name.size()});
}

std::optional<std::string> optional_text(const json::object& object, std::string_view name) {
  const auto* field = find_field(object, name);
  if (field == nullptr || !field->is_string()) return std::nullopt;
  const auto& text = field->get_string();
  if (std::string_view(text).find_first_not_of(" \t\r\n") == std::string_view::npos) return std::nullopt;
  return std::string(text);
}

std::string text_or(const json::object& object, std::string_view name, std::string_view fallback) {
  const auto* field = find_field(object, name);
  return std::string(field != nullptr && field->is_string() ? std::string_view(field->get_string()) : fallback);
}

std::int64_t integer_or(const json::object& object, std::string_view name, std::int64_t fallback) {
  const auto* field = find_field(object, name);
  if (field == nullptr || !field->is_number()) return fallback;
  json::error_code error;
  const auto number = field->to_number<std::int64_t>(error);
  return error ? fallback : number;
}

bool boolean_or(const json::object& object, std::string_view name, bool fallback) {
  const auto* field = find_field(object, name);
  return field != nullptr && field->is_bool() ? field->get_bool() : fallback;
}

}  // namespace adit
