// What a JSON file holds that the engine's reader would pass over in silence, found in one walk over its bytes.
#pragma once

#include "adit/base/result.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace adit::worker {

// Nesting of objects and arrays, as for a line of NDJSON and for the values of an answer.
constexpr std::size_t kDeepestJson = 128;

class JsonWalk {
 public:
  // Fails where the text is too deep, or cannot be JSON at all.
  Result<void> add(std::string_view piece);
  void finish() { end_number(); }

  std::int64_t rounded_numbers() const { return rounded_; }    // more digits than DOUBLE keeps
  std::int64_t infinite_numbers() const { return infinite_; }  // larger than DOUBLE holds

  // Keys of the file's objects, as they are spelled in it; of those within others none.
  bool has_key(const std::string& key) const { return keys_.contains(key); }

 private:
  void end_number();
  // Objects stand in a list, or alone.
  bool is_outermost() const { return depth_ == (in_list_ ? 2u : 1u); }

  bool in_string_ = false, after_backslash_ = false;
  std::size_t depth_ = 0;
  std::int64_t line_ = 1;
  bool any_value_ = false, in_list_ = false;
  std::string text_;  // the last one in an outermost object
  std::set<std::string> keys_;
  std::string number_;
  std::int64_t rounded_ = 0, infinite_ = 0;
};

}  // namespace adit::worker
