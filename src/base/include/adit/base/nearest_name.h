// "Did you mean": the known names closest to a misspelt one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adit {

// At most `count` of `known`, best first, compared without case by Damerau-Levenshtein distance. A name further away
// than a third of its length (at least one edit) is not proposed.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known,
                                       std::size_t count = 3);

}  // namespace adit
