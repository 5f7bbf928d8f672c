// Lower case of ASCII alone, whatever the locale: names of headers, hosts and the like.
#pragma once

#include <string>
#include <string_view>

namespace adit {

inline std::string ascii_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace adit
