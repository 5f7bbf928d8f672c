#include "expiry.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::workspace {
namespace {

constexpr std::chrono::milliseconds kRarestLook{60'000};
constexpr std::chrono::milliseconds kMostFrequentLook{50};

}  // namespace

std::optional<WallTime> expires_at(const Limits& limits, WallTime opened, WallTime last_used) {
  if (!limits.lifetime) return std::nullopt;
  return std::min(last_used + limits.lifetime->unused, opened + limits.lifetime->whole);
}

std::chrono::milliseconds look_interval(const Limits& limits) {
  if (!limits.lifetime) return kRarestLook;
  const auto shortest = std::min(limits.lifetime->unused, limits.lifetime->whole);
  return std::clamp(shortest / 10, kMostFrequentLook, kRarestLook);
}

Error owner_limit_error(std::size_t open) {
  return Error{.code = ErrorCode::validation,
               .reason = "limit_reached",
               .message = fmt::format("You have {} datasets open, as many as one client may", open),
               .hint = "Close one with close_dataset; list_datasets tells which there are.",
               .stage = "dataset"};
}

}  // namespace adit::workspace
