// The dialogue that a tool or a prompt is given, and what its questions make of the call's answer.
#pragma once

#include "exchange.h"
#include "modern_dialogue.h"

#include <memory>
#include <optional>
#include <string>

namespace adit::mcp {

class DialogueRun {
 public:
  // invalid_params when inputResponses or requestState is not what we gave out. `subject`: name and arguments of what
  // is called, so that a state is of use for this very call only.
  static Result<DialogueRun> start(const Exchange& exchange, std::string subject);

  Dialogue dialogue() const { return {context_, peer_}; }

  // After the handler has ended with an error: the answer to the call where its questions, not the handler, make it.
  std::optional<Answer> answer(const Exchange& exchange, const Error& error) const;

 private:
  DialogueRun(RequestContext context, std::string call, std::shared_ptr<Dialogue::Peer> peer,
              std::shared_ptr<ModernDialogue> modern)
      : context_(std::move(context)), call_(std::move(call)), peer_(std::move(peer)), modern_(std::move(modern)) {}

  RequestContext context_;
  std::string call_;
  std::shared_ptr<Dialogue::Peer> peer_;
  std::shared_ptr<ModernDialogue> modern_;  // the same peer, in the modern era
};

}  // namespace adit::mcp
