// What a client keeps for us between the rounds of one modern call (I4): the answers given so far. It comes back as
// hostile input, so it is signed together with the call that it belongs to, and it expires.
#pragma once

#include "adit/base/result.h"
#include "adit/mcp/dialogue.h"

#include <chrono>
#include <string>
#include <string_view>

namespace adit::mcp {

struct RoundState {
  std::int64_t round = 0;  // rounds that have been answered
  Answers answers = {};
};

using WallClock = std::chrono::system_clock;

// `call` tells what the state is for: method, name, arguments, caller.
std::string seal_round_state(std::string_view key, std::string_view call, const RoundState& state,
                             WallClock::time_point now);
Result<RoundState> open_round_state(std::string_view key, std::string_view call, std::string_view text,
                                    WallClock::time_point now);

}  // namespace adit::mcp
