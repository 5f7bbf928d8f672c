#include "adit/mcp/dialogue.h"

namespace adit::mcp {
namespace {

Task<Answers> ask_peer(std::shared_ptr<Dialogue::Peer> peer, RequestContext context, std::vector<Question> questions) {
  auto answers = co_await peer->ask(context, std::move(questions));
  co_return answers;
}

}  // namespace

bool Dialogue::client_can(std::string_view capability) const {
  return peer_->client_capabilities().contains(capability);
}

Task<Answers> Dialogue::ask(std::vector<Question> questions) const {
  return ask_peer(peer_, context_, std::move(questions));
}

void Dialogue::log(LogLevel level, std::string_view logger, const boost::json::value& data) const {
  if (!context_.cancelled()) peer_->log(level, logger, data);
}

}  // namespace adit::mcp
