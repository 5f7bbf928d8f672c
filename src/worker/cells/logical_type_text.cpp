#include "cells/logical_type_text.h"

#include "adit/base/ascii_case.h"
#include "engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <iterator>

namespace adit::worker {
namespace {

// Numbers that the 1.4 header does not name yet (added in 1.5).
constexpr int kGeometry = 40;
constexpr int kVariant = 41;

using Printer = std::function<std::string(duckdb_logical_type)>;

// Names of types that have no parts; "" for the others and for numbers of a later engine.
std::string plain_name(int id) {
  switch (id) {
    case DUCKDB_TYPE_BOOLEAN: return "BOOLEAN";
    case DUCKDB_TYPE_TINYINT: return "TINYINT";
    case DUCKDB_TYPE_SMALLINT: return "SMALLINT";
    case DUCKDB_TYPE_INTEGER: return "INTEGER";
    case DUCKDB_TYPE_BIGINT: return "BIGINT";
    case DUCKDB_TYPE_UTINYINT: return "UTINYINT";
    case DUCKDB_TYPE_USMALLINT: return "USMALLINT";
    case DUCKDB_TYPE_UINTEGER: return "UINTEGER";
    case DUCKDB_TYPE_UBIGINT: return "UBIGINT";
    case DUCKDB_TYPE_FLOAT: return "FLOAT";
    case DUCKDB_TYPE_DOUBLE: return "DOUBLE";
    case DUCKDB_TYPE_TIMESTAMP: return "TIMESTAMP";
    case DUCKDB_TYPE_DATE: return "DATE";
    case DUCKDB_TYPE_TIME: return "TIME";
    case DUCKDB_TYPE_INTERVAL: return "INTERVAL";
    case DUCKDB_TYPE_HUGEINT: return "HUGEINT";
    case DUCKDB_TYPE_UHUGEINT: return "UHUGEINT";
    case DUCKDB_TYPE_VARCHAR: return "VARCHAR";
    case DUCKDB_TYPE_BLOB: return "BLOB";
    case DUCKDB_TYPE_TIMESTAMP_S: return "TIMESTAMP_S";
    case DUCKDB_TYPE_TIMESTAMP_MS: return "TIMESTAMP_MS";
    case DUCKDB_TYPE_TIMESTAMP_NS: return "TIMESTAMP_NS";
    case DUCKDB_TYPE_UUID: return "UUID";
    case DUCKDB_TYPE_BIT: return "BIT";
    case DUCKDB_TYPE_TIME_TZ: return "TIME WITH TIME ZONE";
    case DUCKDB_TYPE_TIMESTAMP_TZ: return "TIMESTAMP WITH TIME ZONE";
    case DUCKDB_TYPE_BIGNUM: return "BIGNUM";
    case DUCKDB_TYPE_SQLNULL: return "\"NULL\"";
    case DUCKDB_TYPE_TIME_NS: return "TIME_NS";
    case kGeometry: return "GEOMETRY";
    case kVariant: return "VARIANT";
    default: return "";
  }
}

constexpr std::string_view kKeywords[] = {
#include "cells/keywords.inc"
};

// As the engine decides whether a name needs quotes.
bool is_plain_identifier(std::string_view name) {
  const auto is_word = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  if (name.empty() || (name.front() >= '0' && name.front() <= '9')) return false;
  if (!std::all_of(name.begin(), name.end(), is_word)) return false;
  const auto lower = ascii_lower_case(name);
  return std::find(std::begin(kKeywords), std::end(kKeywords), lower) == std::end(kKeywords);
}

std::string field_name(const std::string& name) { return is_plain_identifier(name) ? name : quoted_identifier(name); }

std::string enum_text(duckdb_logical_type type) {
  std::string text = "ENUM(";
  const std::uint32_t size = duckdb_enum_dictionary_size(type);
  for (std::uint32_t i = 0; i < size; ++i) {
    text += (i == 0 ? "" : ", ") + quoted_literal(take_text(duckdb_enum_dictionary_value(type, i)));
  }
  return text + ")";
}

// `nameless`: what a field without a name is called, "" or, where a name has to stand, a placeholder.
std::string fields_text(duckdb_logical_type type, bool is_union, const Printer& print, std::string_view nameless) {
  std::string text = is_union ? "UNION(" : "STRUCT(";
  const idx_t count = is_union ? duckdb_union_type_member_count(type) : duckdb_struct_type_child_count(type);
  for (idx_t i = 0; i < count; ++i) {
    auto name = take_text(is_union ? duckdb_union_type_member_name(type, i) : duckdb_struct_type_child_name(type, i));
    if (name.empty() && !nameless.empty()) name = fmt::format("{}{}", nameless, i);
    const LogicalType child(is_union ? duckdb_union_type_member_type(type, i) : duckdb_struct_type_child_type(type, i));
    text += fmt::format("{}{}{}", i == 0 ? "" : ", ", name.empty() ? "" : field_name(name) + " ", print(child.get()));
  }
  return text + ")";
}

// The number of a type that this program has no name for: a later engine's.
bool is_unknown(duckdb_logical_type type) {
  switch (duckdb_get_type_id(type)) {
    case DUCKDB_TYPE_DECIMAL:
    case DUCKDB_TYPE_ENUM:
    case DUCKDB_TYPE_LIST:
    case DUCKDB_TYPE_ARRAY:
    case DUCKDB_TYPE_MAP:
    case DUCKDB_TYPE_STRUCT:
    case DUCKDB_TYPE_UNION: return false;
    default: return plain_name(duckdb_get_type_id(type)).empty();
  }
}

// One level of a type; `print` gives the text of its parts.
std::string text_of(duckdb_logical_type type, const Printer& print, std::string_view nameless) {
  const int id = duckdb_get_type_id(type);
  switch (id) {
    case DUCKDB_TYPE_DECIMAL:
      return fmt::format("DECIMAL({},{})", duckdb_decimal_width(type), duckdb_decimal_scale(type));
    case DUCKDB_TYPE_ENUM: return enum_text(type);
    case DUCKDB_TYPE_LIST: return print(LogicalType(duckdb_list_type_child_type(type)).get()) + "[]";
    case DUCKDB_TYPE_ARRAY:
      return fmt::format("{}[{}]", print(LogicalType(duckdb_array_type_child_type(type)).get()),
                         duckdb_array_type_array_size(type));
    case DUCKDB_TYPE_MAP:
      return fmt::format("MAP({}, {})", print(LogicalType(duckdb_map_type_key_type(type)).get()),
                         print(LogicalType(duckdb_map_type_value_type(type)).get()));
    case DUCKDB_TYPE_STRUCT: return fields_text(type, false, print, nameless);
    case DUCKDB_TYPE_UNION: return fields_text(type, true, print, nameless);
    default: {
      const auto name = plain_name(id);
      return name.empty() ? fmt::format("UNKNOWN({})", id) : name;
    }
  }
}

}  // namespace

std::string logical_type_text(duckdb_logical_type type) {
  if (char* alias = duckdb_logical_type_get_alias(type); alias != nullptr) return take_text(alias);
  return text_of(type, logical_type_text, "");
}

bool has_unknown_part(duckdb_logical_type type) {
  bool unknown = false;
  const Printer look = [&](duckdb_logical_type part) -> std::string {
    unknown = unknown || is_unknown(part);
    return text_of(part, look, "");
  };
  look(type);
  return unknown;
}

std::string readable_type_text(duckdb_logical_type type) {
  bool changed = false;
  const Printer print = [&](duckdb_logical_type part) -> std::string {
    if (char* alias = duckdb_logical_type_get_alias(part); alias != nullptr) return take_text(alias);
    const int id = duckdb_get_type_id(part);
    switch (id) {
      case DUCKDB_TYPE_BIT:
      case DUCKDB_TYPE_BIGNUM:
      case kGeometry: changed = true; return "VARCHAR";
      case DUCKDB_TYPE_ENUM: return "VARCHAR";  // no change on its own: its layout is documented
      case DUCKDB_TYPE_SQLNULL: return "INTEGER";
      default:
        if (!is_unknown(part)) return text_of(part, print, "field");
        changed = true;
        return "VARCHAR";
    }
  };
  const auto text = print(type);
  return changed ? text : "";
}

}  // namespace adit::worker
