#include "line_splitter.h"

namespace adit::mcp {

void LineSplitter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    take(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    finish_line();
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::end() {
  if (!line_.empty() || too_long_) finish_line();
}

void LineSplitter::take(std::string_view part) {
  if (too_long_) return;
  if (line_.size() + part.size() > longest_ + 1) {  // one more for a CR, which is not the line's
    too_long_ = true;
    line_ = std::string();  // gives the memory back
    return;
  }
  line_ += part;
}

void LineSplitter::finish_line() {
  if (line_.ends_with('\r')) line_.pop_back();
  if (too_long_ || line_.size() > longest_) {
    on_too_long_();
    line_.clear();
  }
  if (!line_.empty()) on_line_(line_);
  line_.clear();
  too_long_ = false;
}

}  // namespace adit::mcp
