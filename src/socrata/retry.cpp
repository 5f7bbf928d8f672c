#include "retry.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

namespace adit::socrata {

std::optional<std::chrono::seconds> parse_retry_after(std::string_view value,
                                                      std::chrono::system_clock::time_point now) {
  constexpr std::int64_t kMostSeconds = 365LL * 24 * 3600;
  std::int64_t seconds = 0;
  const auto* end = value.data() + value.size();
  const auto [stopped, failed] = std::from_chars(value.data(), end, seconds);
  if (!value.empty() && stopped == end && (failed == std::errc() || failed == std::errc::result_out_of_range)) {
    if (failed != std::errc()) seconds = kMostSeconds;
    return std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kMostSeconds));
  }
  const std::string text(value);
  // IMF-fixdate, RFC 850, asctime.
  for (const char* format : {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"}) {
    std::tm parts{};
    const char* rest = ::strptime(text.c_str(), format, &parts);
    if (rest == nullptr || *rest != '\0') continue;
    const auto at = std::chrono::system_clock::from_time_t(::timegm(&parts));
    return std::max(std::chrono::seconds(0), std::chrono::ceil<std::chrono::seconds>(at - now));
  }
  return std::nullopt;
}

std::chrono::milliseconds retry_delay(int next, std::chrono::milliseconds first, std::chrono::milliseconds longest) {
  const double doubled = static_cast<double>(first.count()) * std::pow(2.0, std::min(next - 2, 30));
  return std::min(longest, std::chrono::milliseconds(static_cast<std::int64_t>(doubled)));
}

std::chrono::milliseconds with_jitter(std::chrono::milliseconds delay, double random) {
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(static_cast<double>(delay.count()) * (0.75 + 0.5 * random)));
}

bool is_worth_another_attempt(int status) {
  if (status == 202 || status == 408 || status == 425 || status == 429) return true;
  return status >= 500 && status != 501;
}

}  // namespace adit::socrata
