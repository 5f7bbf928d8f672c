#include "dialogue_run.h"

#include "adit/base/json_fields.h"
#include "legacy_dialogue.h"
#include "method_results.h"

#include <fmt/format.h>

namespace adit::mcp {
namespace json = boost::json;
namespace {

Error bad_field(std::string_view name, std::string_view wanted) {
  return Error{.code = ErrorCode::invalid_params,
               .reason = "",
               .message = fmt::format("{} must be {}", name, wanted),
               .hint = "Send back what the server gave, and an answer for each of its questions."};
}

Result<json::object> given_answers(const json::object& params) {
  const auto* given = find_field(params, "inputResponses");
  if (given == nullptr) return json::object();
  if (!given->is_object()) return bad_field("inputResponses", "an object");
  return given->get_object();
}

Result<RoundState> given_state(const Exchange& exchange, const std::string& call) {
  const auto* state = find_field(exchange.params, "requestState");
  if (state == nullptr) return RoundState();
  if (!state->is_string()) return bad_field("requestState", "the text that the server gave");
  return open_round_state(exchange.server.key(), call, state->get_string(), WallClock::now());
}

}  // namespace

Result<DialogueRun> DialogueRun::start(const Exchange& exchange, std::string subject) {
  if (!exchange.modern()) {
    const auto& session = *exchange.session;
    const auto send = exchange.reply.streams() ? exchange.reply.send() : Send();
    auto peer = std::make_shared<LegacyDialogue>(session.client_capabilities, session.requests, send, exchange.log);
    return DialogueRun(exchange.context, "", std::move(peer), nullptr);
  }
  auto call = fmt::format("{}\n{}\n{}", exchange.method, exchange.context.owner(), subject);
  ADIT_TRY(auto given, given_answers(exchange.params));
  ADIT_TRY(auto state, given_state(exchange, call));
  const auto& capabilities = find_field(*find_meta(exchange.params), kMetaClientCapabilities)->get_object();
  auto peer = std::make_shared<ModernDialogue>(capabilities, std::move(state), std::move(given), exchange.log);
  return DialogueRun(exchange.context, std::move(call), peer, peer);
}

std::optional<Answer> DialogueRun::answer(const Exchange& exchange, const Error& error) const {
  if (!modern_) return std::nullopt;
  if (!modern_->missing().empty()) return failure(error, {{"requiredCapabilities", modern_->missing()}});  // D7
  if (modern_->open_questions().empty()) return std::nullopt;
  const auto state = seal_round_state(exchange.server.key(), call_, modern_->state(), WallClock::now());
  return success(input_required_result(exchange.server, modern_->open_questions(), state));
}

}  // namespace adit::mcp
