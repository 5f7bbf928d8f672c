#include "adit/mcp/json_schema.h"

#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"
#include "adit/base/nearest_name.h"

#include <fmt/format.h>

#include <cmath>
#include <regex>
#include <set>

namespace adit::mcp {
namespace json = boost::json;
namespace {

constexpr std::size_t kShownValueBytes = 80;

std::string shown(const json::value& value) {
  const auto text = json::serialize(value);
  const auto prefix = utf8_prefix(text, kShownValueBytes);
  return prefix.size() < text.size() ? std::string(prefix) + "…" : text;
}

// "arguments" for the root, "sql[0]" or "sources[1].path" below it.
std::string field_name(const std::string& path) { return path.empty() ? "arguments" : path; }

std::string child_path(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

Error misfit(const std::string& path, std::string_view rule, std::string_view hint = "") {
  return Error{
      .code = ErrorCode::invalid_params,
      .reason = "invalid_arguments",
      .message = fmt::format("{} {}", field_name(path), rule),
      .hint = std::string(hint.empty() ? "Correct the argument and call again; tools/list shows the schema." : hint),
      .stage = "input"};
}

bool is_integer(const json::value& value) {
  return value.is_int64() || value.is_uint64() ||
         (value.is_double() && std::nearbyint(value.get_double()) == value.get_double());
}

bool has_type(const json::value& value, std::string_view type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_bool();
  if (type == "null") return value.is_null();
  if (type == "integer") return is_integer(value);
  return type == "number" && value.is_number();
}

Result<void> check_type(const json::value& value, const json::value& type, const std::string& path) {
  std::string wanted;
  const auto fits = [&](const json::value& name) {
    const std::string_view text = name.get_string();
    wanted += (wanted.empty() ? "" : " or ") + std::string(text);
    return has_type(value, text);
  };
  if (type.is_string() && fits(type)) return {};
  if (type.is_array()) {
    for (const auto& name : type.get_array()) {
      if (fits(name)) return {};
    }
  }
  return misfit(path, fmt::format("is {}; {} is wanted", shown(value), wanted));
}

// Length in characters, as the specification counts.
std::int64_t length_of(std::string_view text) {
  std::int64_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

Result<void> check_bound(const json::object& schema, std::string_view keyword, double value, bool lower,
                         const std::string& path, std::string_view unit) {
  const auto* bound = find_field(schema, keyword);
  if (bound == nullptr) return {};
  const double limit = bound->to_number<double>();
  if (lower ? value >= limit : value <= limit) return {};
  return misfit(path, fmt::format("{} {:.17g}{}; at {} {:.17g} is allowed", unit.empty() ? "is" : "has", value, unit,
                                  lower ? "least" : "most", limit));
}

// As the specification compares: numbers by value, whatever their spelling.
bool equal(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number() && (a.is_double() || b.is_double()))
    return a.to_number<double>() == b.to_number<double>();
  return a == b;
}

Result<void> check_enum(const json::value& value, const json::array& choices, const std::string& path) {
  std::vector<std::string> names;
  std::string list;
  for (const auto& choice : choices) {
    if (equal(choice, value)) return {};
    list += (list.empty() ? "" : ", ") + json::serialize(choice);
    if (choice.is_string()) names.emplace_back(choice.get_string());
  }
  auto error = misfit(path, fmt::format("is {}; one of {} is wanted", shown(value), list));
  if (value.is_string()) error.nearest = nearest_names(std::string_view(value.get_string()), names);
  return error;
}

Result<void> check(const json::value& value, const json::value& schema, const std::string& path);

Error unknown_field(std::string_view name, const json::object* properties, const std::string& path) {
  std::vector<std::string> known;
  if (properties != nullptr) {
    for (const auto& property : *properties) known.emplace_back(property.key());
  }
  auto nearest = nearest_names(name, known);
  std::string list;
  for (const auto& one : known) list += (list.empty() ? "" : ", ") + one;
  auto error = misfit(child_path(path, utf8_prefix(name, kShownValueBytes)), "is not known here",
                      nearest.empty() ? fmt::format("Known: {}.", list)
                                      : fmt::format("Did you mean {}? Known: {}.", nearest.front(), list));
  error.nearest = std::move(nearest);
  return error;
}

Result<void> check_object(const json::object& object, const json::object& schema, const std::string& path) {
  const auto* properties_field = find_field(schema, "properties");
  const auto* properties = properties_field != nullptr ? &properties_field->get_object() : nullptr;
  const auto* additional = find_field(schema, "additionalProperties");
  for (const auto& member : object) {
    const auto* property = properties != nullptr ? properties->if_contains(member.key()) : nullptr;
    if (property != nullptr) {
      ADIT_CHECK(check(member.value(), *property, child_path(path, member.key())));
    } else if (additional != nullptr && additional->is_object()) {
      ADIT_CHECK(check(member.value(), *additional, child_path(path, member.key())));
    } else if (additional != nullptr && additional->is_bool() && !additional->get_bool()) {
      return unknown_field(member.key(), properties, path);
    }
  }
  if (const auto* required = find_field(schema, "required")) {
    for (const auto& name : required->get_array()) {
      if (!object.contains(name.get_string())) return misfit(child_path(path, name.get_string()), "is required");
    }
  }
  return {};
}

Result<void> check_array(const json::array& array, const json::object& schema, const std::string& path) {
  const auto count = static_cast<double>(array.size());
  ADIT_CHECK(check_bound(schema, "minItems", count, true, path, " entries"));
  ADIT_CHECK(check_bound(schema, "maxItems", count, false, path, " entries"));
  if (const auto* items = find_field(schema, "items")) {
    for (std::size_t i = 0; i < array.size(); ++i) {
      ADIT_CHECK(check(array[i], *items, fmt::format("{}[{}]", path, i)));
    }
  }
  return {};
}

Result<void> check_any_of(const json::value& value, const json::array& branches, const std::string& path) {
  Result<void> last;
  for (const auto& branch : branches) {
    last = check(value, branch, path);
    if (last.ok()) return last;
  }
  return last;
}

// Patterns are our own schemas': short, of ASCII, and without nested repetition.
Result<void> check_pattern(const json::value& value, const char* pattern, const std::string& path) {
  const std::string_view text = value.get_string();
  if (std::regex_search(text.begin(), text.end(), std::regex(pattern, std::regex::ECMAScript))) return {};
  return misfit(path, fmt::format("is {}, which has not the form {}", shown(value), pattern));
}

Result<void> check_against(const json::value& value, const json::object& schema, const std::string& path) {
  if (const auto* type = find_field(schema, "type")) ADIT_CHECK(check_type(value, *type, path));
  if (const auto* choices = find_field(schema, "enum")) ADIT_CHECK(check_enum(value, choices->get_array(), path));
  if (const auto* constant = find_field(schema, "const"); constant != nullptr && !equal(*constant, value)) {
    return misfit(path, fmt::format("is {}; {} is wanted", shown(value), shown(*constant)));
  }
  if (const auto* branches = find_field(schema, "anyOf")) ADIT_CHECK(check_any_of(value, branches->get_array(), path));
  if (value.is_object()) return check_object(value.get_object(), schema, path);
  if (value.is_array()) return check_array(value.get_array(), schema, path);
  if (value.is_string()) {
    const auto length = static_cast<double>(length_of(value.get_string()));
    ADIT_CHECK(check_bound(schema, "minLength", length, true, path, " characters"));
    ADIT_CHECK(check_bound(schema, "maxLength", length, false, path, " characters"));
    if (const auto* pattern = find_field(schema, "pattern")) {
      ADIT_CHECK(check_pattern(value, pattern->get_string().c_str(), path));
    }
  }
  if (value.is_number()) {
    const auto number = value.to_number<double>();
    ADIT_CHECK(check_bound(schema, "minimum", number, true, path, ""));
    ADIT_CHECK(check_bound(schema, "maximum", number, false, path, ""));
  }
  return {};
}

// A subschema may be true, which everything fits, or false, which nothing does.
Result<void> check(const json::value& value, const json::value& schema, const std::string& path) {
  if (schema.is_object()) return check_against(value, schema.get_object(), path);
  if (schema.is_bool() && schema.get_bool()) return {};
  return misfit(path, "is not allowed here");
}

// The path of the first keyword that is not known in a subschema, itself at `name`.
std::optional<std::string> unsupported_below(const json::value& schema, std::string name) {
  if (schema.is_bool()) return std::nullopt;
  if (!schema.is_object()) return name;
  const auto inner = unsupported_keyword(schema.get_object());
  return inner ? std::optional(fmt::format("{}/{}", name, *inner)) : std::nullopt;
}

}  // namespace

Result<void> validate(const json::value& instance, const json::object& schema) {
  return check_against(instance, schema, "");
}

std::optional<std::string> unsupported_keyword(const json::object& schema) {
  static const std::set<std::string_view> kKnown = {
      "type",    "enum",     "const",    "properties",  "required",  "additionalProperties",
      "items",   "minItems", "maxItems", "minLength",   "maxLength", "minimum",
      "maximum", "anyOf",    "title",    "description", "default",   "examples",
      "$schema", "format",   "pattern"};
  for (const auto& member : schema) {
    if (!kKnown.contains(std::string_view(member.key()))) return std::string(member.key());
    if (member.key() == "properties") {
      for (const auto& property : member.value().get_object()) {
        const std::string name(property.key());
        if (auto found = unsupported_below(property.value(), "properties/" + name)) return found;
      }
    } else if (member.key() == "items" || member.key() == "additionalProperties") {
      if (auto found = unsupported_below(member.value(), member.key())) return found;
    } else if (member.key() == "anyOf") {
      for (const auto& branch : member.value().get_array()) {
        if (auto found = unsupported_below(branch, "anyOf")) return found;
      }
    }
  }
  return std::nullopt;
}

}  // namespace adit::mcp
