// Plain lines on stderr, one per event. Nothing secret, nothing of a caller's data.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace adit::log {

enum class Level { debug, info, warning, error, off };

// Sets the level for the process; before it is called, warnings and errors are written.
void set_level(Level level);
void write(Level level, std::string_view line);  // line breaks and control characters are shown escaped

template <class... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::debug, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::info, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::warning, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  write(Level::error, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace adit::log
