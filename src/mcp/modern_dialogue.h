// Questions of the modern era: what has no answer yet becomes the call's result, input_required (I1 to I5).
#pragma once

#include "adit/mcp/dialogue.h"
#include "message_log.h"
#include "round_state.h"

#include <memory>
#include <optional>

namespace adit::mcp {

class ModernDialogue : public Dialogue::Peer {
 public:
  // `given`: inputResponses of this call. `state`: answers of the rounds before.
  ModernDialogue(boost::json::object capabilities, RoundState state, boost::json::object given,
                 std::shared_ptr<MessageLog> log)
      : capabilities_(std::move(capabilities)),
        state_(std::move(state)),
        given_(std::move(given)),
        log_(std::move(log)) {}

  const boost::json::object& client_capabilities() const override { return capabilities_; }
  Task<Answers> ask(RequestContext context, std::vector<Question> questions) override;
  void log(LogLevel level, std::string_view logger, const boost::json::value& data) override;

  // After the handler has ended: what it still waits for, and what the client keeps meanwhile.
  const std::vector<Question>& open_questions() const { return open_; }
  const RoundState& state() const { return state_; }
  const boost::json::object& missing() const { return missing_; }

 private:
  Result<Answers> answer(const std::vector<Question>& questions);

  boost::json::object capabilities_;
  RoundState state_;
  boost::json::object given_;
  std::shared_ptr<MessageLog> log_;
  std::vector<Question> open_;
  boost::json::object missing_;
};

}  // namespace adit::mcp
