// What SQL can name in a workspace, as its workers have told: what is proposed to a person who types (R8) must not wait
// for one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adit::workspace {

class KnownNames {
 public:
  // A name that is known already, in whatever case, keeps its place and takes the new spelling.
  void add(std::string name);
  void remove(std::string_view name);
  void clear() { names_.clear(); }

  const std::vector<std::string>& all() const { return names_; }  // the oldest first

 private:
  std::vector<std::string> names_;
};

}  // namespace adit::workspace
