#include "relation_name.h"

#include "adit/base/json_text.h"

#include <algorithm>
#include <cctype>

namespace adit::workspace {
namespace {

constexpr std::size_t kLongestName = 63;

bool is_name_byte(char c) {
  return (static_cast<unsigned char>(c) & 0x80) != 0 || c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

std::string_view without_endings(std::string_view name) {
  for (const std::string_view ending : {".gz", ".csv", ".tsv", ".tab", ".parquet", ".json", ".ndjson", ".jsonl"}) {
    if (name.size() <= ending.size()) continue;
    const auto tail = name.substr(name.size() - ending.size());
    const bool same = std::equal(tail.begin(), tail.end(), ending.begin(),
                                 [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
    if (same) name.remove_suffix(ending.size());
  }
  return name;
}

}  // namespace

std::string relation_name_from_path(std::string_view path) {
  const auto slash = path.rfind('/');
  const auto stem = without_endings(slash == std::string_view::npos ? path : path.substr(slash + 1));
  std::string name;
  for (const char c : stem) {
    if (is_name_byte(c)) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.empty()) return "data";
  if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, 1, '_');
  return std::string(utf8_prefix(name, kLongestName));
}

}  // namespace adit::workspace
