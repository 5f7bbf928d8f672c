#include "round_state.h"

#include "adit/base/base64.h"
#include "adit/base/json_fields.h"
#include "adit/base/sha256.h"

#include <fmt/format.h>

namespace adit::mcp {
namespace json = boost::json;
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::int64_t kMostRounds = 32;           // no handler asks more often; a loop ends
constexpr auto kLifetime = std::chrono::hours(1);  // a person may take a while
constexpr std::size_t kSignatureBytes = 32;

std::string signature(std::string_view key, std::string_view call, std::string_view payload) {
  return hmac_sha256(key, fmt::format("round state\n{}\n{}\n{}", call.size(), call, payload));
}

std::int64_t seconds(WallClock::time_point time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

Error bad_state(std::string_view what) {
  return Error{.code = ErrorCode::invalid_params,
               .reason = "",
               .message = fmt::format("requestState {}", what),
               .hint = "Call again without inputResponses and requestState."};
}

}  // namespace

std::string seal_round_state(std::string_view key, std::string_view call, const RoundState& state,
                             WallClock::time_point now) {
  json::object answers;
  for (const auto& [name, answer] : state.answers) answers[name] = answer;
  const json::object payload{{"version", kVersion},
                             {"expires", seconds(now + kLifetime)},
                             {"round", state.round},
                             {"answers", std::move(answers)}};
  const auto text = json::serialize(payload);
  return base64_url(signature(key, call, text) + text);
}

Result<RoundState> open_round_state(std::string_view key, std::string_view call, std::string_view text,
                                    WallClock::time_point now) {
  const auto decoded = decode_base64_url(text);
  if (!decoded || decoded->size() < kSignatureBytes) return bad_state("is not one of ours");
  const auto payload = std::string_view(*decoded).substr(kSignatureBytes);
  if (!equal_in_constant_time(std::string_view(*decoded).substr(0, kSignatureBytes), signature(key, call, payload))) {
    return bad_state("is not one of ours, or not for this call");
  }
  // Signed by us: from here on it is what we wrote.
  ADIT_TRY(const auto value, parse_json(payload));
  const auto& object = value.get_object();
  if (integer_or(object, "version", 0) != kVersion || integer_or(object, "expires", 0) < seconds(now)) {
    return bad_state("has expired");
  }
  RoundState state{.round = integer_or(object, "round", 0)};
  if (state.round >= kMostRounds) return bad_state("has gone through too many rounds");
  for (const auto& answer : object.at("answers").get_object()) {
    state.answers.emplace(answer.key(), answer.value().get_object());
  }
  return state;
}

}  // namespace adit::mcp
