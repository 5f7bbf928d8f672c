// When a request is tried again. RFC 9110, 10.2.3 (Retry-After).
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace adit::socrata {

// Seconds, or an HTTP date in any of the three forms of RFC 9110, 5.6.7; nullopt when it is neither. Never negative.
std::optional<std::chrono::seconds> parse_retry_after(std::string_view value,
                                                      std::chrono::system_clock::time_point now);

// Before attempt `next` (2, 3, …): `first` × 2^(next − 2), `longest` at most.
std::chrono::milliseconds retry_delay(int next, std::chrono::milliseconds first, std::chrono::milliseconds longest);

// Spread by ±25 % with `random` in [0, 1).
std::chrono::milliseconds with_jitter(std::chrono::milliseconds delay, double random);

// 408, 425, 429, every 5xx but 501; 202 says "not yet" (SODA response codes).
bool is_worth_another_attempt(int status);

}  // namespace adit::socrata
