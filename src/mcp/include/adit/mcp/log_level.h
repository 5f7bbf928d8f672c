// The eight levels of messages to clients, those of RFC 5424, mildest first.
#pragma once

#include <optional>
#include <string_view>

namespace adit::mcp {

enum class LogLevel { debug, info, notice, warning, error, critical, alert, emergency };

std::string_view log_level_text(LogLevel level);
std::optional<LogLevel> log_level_from_text(std::string_view text);

}  // namespace adit::mcp
