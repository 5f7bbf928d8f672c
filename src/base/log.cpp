#include "adit/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace adit::log {
namespace {

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::debug: return spdlog::level::debug;
    case Level::info: return spdlog::level::info;
    case Level::warning: return spdlog::level::warn;
    case Level::error: return spdlog::level::err;
    case Level::off: return spdlog::level::off;
  }
  return spdlog::level::warn;
}

spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("adit", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made.set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %n[%P]: %v", spdlog::pattern_time_type::utc);
    made.set_level(spdlog::level::warn);
    made.flush_on(spdlog::level::debug);
    return made;
  }();
  return instance;
}

}  // namespace

void set_level(Level level) { logger().set_level(to_spdlog(level)); }

void write(Level level, std::string_view line) {
  std::string clean;
  clean.reserve(line.size());
  for (const char c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) clean += fmt::format("\\x{:02x}", c);
    else clean += c;
  }
  logger().log(to_spdlog(level), "{}", clean);
}

}  // namespace adit::log
