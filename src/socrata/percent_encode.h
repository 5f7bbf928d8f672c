// Values of a query string: everything but the unreserved characters of RFC 3986 becomes %XX, a space %20 and a plus
// %2B, so that no reader can take one for the other.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adit::socrata {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// "?name=value&…", names and values encoded ('$' and ':' of names are left as SODA writes them); "" for none.
std::string query_string(const Parameters& parameters);

}  // namespace adit::socrata
