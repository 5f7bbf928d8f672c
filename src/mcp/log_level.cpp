#include "adit/mcp/log_level.h"

#include <array>

namespace adit::mcp {
namespace {

constexpr std::array<std::string_view, 8> kTexts = {"debug", "info",     "notice", "warning",
                                                    "error", "critical", "alert",  "emergency"};

}  // namespace

std::string_view log_level_text(LogLevel level) { return kTexts[static_cast<std::size_t>(level)]; }

std::optional<LogLevel> log_level_from_text(std::string_view text) {
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (kTexts[i] == text) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

}  // namespace adit::mcp
