// The names of column types: SODA's own (dataTypeName) and the words that the catalog and people use.
#pragma once

#include <string>
#include <string_view>

namespace adit::socrata {

// "calendar_date" → "Calendar date"; a name we do not know becomes words of the same letters.
std::string data_type_words(std::string_view type_name);

// What SoQL calls the type in its messages and casts: "calendar_date" → "floating_timestamp".
std::string_view soql_type_name(std::string_view type_name);

bool is_geometry_type(std::string_view type_name);

}  // namespace adit::socrata
