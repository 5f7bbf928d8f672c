// Names of relations and columns: which are the same, and "did you mean".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adit {

// Equal without regard to ASCII case, as the engine compares names.
bool same_name(std::string_view a, std::string_view b);

// At most `count` of `known`, best first, compared without case by Damerau-Levenshtein distance. A name further away
// than a third of its length (at least one edit) is not proposed.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known,
                                       std::size_t count = 3);

}  // namespace adit
