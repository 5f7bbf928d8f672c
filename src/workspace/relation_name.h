// Relation names from file names: flights-3m.parquet → flights_3m.
#pragma once

#include <string>
#include <string_view>

namespace adit::workspace {

// The file's name without its endings, with every run of other characters than letters, digits and _ as one _. Letters
// beyond ASCII stay. A name that would begin with a digit gets a leading _; an empty one is "data".
std::string relation_name_from_path(std::string_view path);

}  // namespace adit::workspace
