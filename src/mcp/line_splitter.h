// Bytes to lines (S1): LF ends a line, a CR before it belongs to the end, empty lines are skipped. Each byte is looked
// at once, however the bytes arrive; a line beyond the limit is dropped whole and told once.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace adit::mcp {

class LineSplitter {
 public:
  LineSplitter(std::size_t longest, std::function<void(std::string_view line)> on_line,
               std::function<void()> on_too_long)
      : longest_(longest), on_line_(std::move(on_line)), on_too_long_(std::move(on_too_long)) {}

  void feed(std::string_view bytes);
  void end();  // a last line may lack its LF

 private:
  void take(std::string_view part);
  void finish_line();

  std::size_t longest_;
  std::function<void(std::string_view)> on_line_;
  std::function<void()> on_too_long_;
  std::string line_;
  bool too_long_ = false;
};

}  // namespace adit::mcp
