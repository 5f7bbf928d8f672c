#include "known_names.h"

#include "adit/base/nearest_name.h"

#include <algorithm>
#include <utility>

namespace adit::workspace {

void KnownNames::add(std::string name) {
  const auto same = [&name](const std::string& known) { return same_name(known, name); };
  const auto at = std::find_if(names_.begin(), names_.end(), same);
  if (at != names_.end()) *at = std::move(name);
  else names_.push_back(std::move(name));
}

void KnownNames::remove(std::string_view name) {
  std::erase_if(names_, [name](const std::string& known) { return same_name(known, name); });
}

}  // namespace adit::workspace
