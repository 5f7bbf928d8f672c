#include "adit/base/nearest_name.h"

#include "adit/base/ascii_case.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace adit {
namespace {

// Longer names are not compared: the table below would cost more than the advice is worth.
constexpr std::size_t kLongestName = 128;

// Optimal string alignment distance over three rolling rows.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
         });
}

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known, std::size_t count) {
  if (wanted.size() > kLongestName) return {};
  const std::string needle = ascii_lower_case(wanted);
  std::vector<std::pair<std::size_t, std::size_t>> found;  // distance, index in `known`: equal ones keep their order
  for (std::size_t i = 0; i < known.size(); ++i) {
    const auto& name = known[i];
    if (name.size() > kLongestName) continue;
    const std::size_t allowed = std::max<std::size_t>(1, std::max(needle.size(), name.size()) / 3);
    const std::size_t distance = edit_distance(needle, ascii_lower_case(name));
    if (distance <= allowed) found.emplace_back(distance, i);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i) names.push_back(known[found[i].second]);
  return names;
}

}  // namespace adit
