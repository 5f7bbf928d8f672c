#include "data_type_words.h"

#include <algorithm>

namespace adit::socrata {
namespace {

struct TypeName {
  std::string_view name, words, soql;
  bool geometry = false;
};

// Names of the older backend (photo, stars, …) still occur in the metadata of datasets made with it.
constexpr TypeName kTypes[] = {
    {"text", "Text", "text"},
    {"html", "Formatted text", "text"},
    {"number", "Number", "number"},
    {"double", "Number", "double"},
    {"money", "Money", "money"},
    {"percent", "Percent", "number"},
    {"stars", "Star", "number"},
    {"checkbox", "Checkbox", "boolean"},
    {"flag", "Flag", "text"},
    {"calendar_date", "Calendar date", "floating_timestamp"},
    {"date", "Date and time", "fixed_timestamp"},
    {"email", "Email", "text"},
    {"phone", "Phone", "phone"},
    {"url", "Website URL", "url"},
    {"document", "Document", "document"},
    {"photo", "Photo", "photo"},
    {"blob", "Blob", "blob"},
    {"dropdown_list", "Drop-down list", "text"},
    {"drop_down_list", "Drop-down list", "text"},
    {"dataset_link", "Dataset link", "text"},
    {"location", "Location", "location", true},
    {"point", "Point", "point", true},
    {"line", "Line", "line", true},
    {"polygon", "Polygon", "polygon", true},
    {"multipoint", "MultiPoint", "multipoint", true},
    {"multiline", "MultiLine", "multiline", true},
    {"multipolygon", "MultiPolygon", "multipolygon", true},
    {"geo_entity", "Geo entity", "geo_entity", true},
    {"geometry", "Geometry", "geometry", true},
};

const TypeName* find(std::string_view name) {
  const auto* at =
      std::find_if(std::begin(kTypes), std::end(kTypes), [name](const auto& type) { return type.name == name; });
  return at == std::end(kTypes) ? nullptr : at;
}

}  // namespace

std::string data_type_words(std::string_view type_name) {
  if (const auto* type = find(type_name)) return std::string(type->words);
  std::string words(type_name);
  std::replace(words.begin(), words.end(), '_', ' ');
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
  return words;
}

std::string_view soql_type_name(std::string_view type_name) {
  const auto* type = find(type_name);
  return type == nullptr ? type_name : type->soql;
}

bool is_geometry_type(std::string_view type_name) {
  const auto* type = find(type_name);
  return type != nullptr && type->geometry;
}

}  // namespace adit::socrata
