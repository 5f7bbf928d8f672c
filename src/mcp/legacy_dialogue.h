// Questions of the legacy era: requests to the client on the stream of the call, answered while it runs (I6).
#pragma once

#include "adit/mcp/dialogue.h"
#include "client_requests.h"
#include "message_log.h"

#include <memory>

namespace adit::mcp {

class LegacyDialogue : public Dialogue::Peer {
 public:
  // An empty `send`: the client cannot be asked on this stream.
  LegacyDialogue(boost::json::object capabilities, std::shared_ptr<ClientRequests> requests, Send send,
                 std::shared_ptr<MessageLog> log)
      : capabilities_(std::move(capabilities)),
        requests_(std::move(requests)),
        send_(std::move(send)),
        log_(std::move(log)) {}

  const boost::json::object& client_capabilities() const override { return capabilities_; }
  Task<Answers> ask(RequestContext context, std::vector<Question> questions) override;
  void log(LogLevel level, std::string_view logger, const boost::json::value& data) override;

 private:
  boost::json::object capabilities_;
  std::shared_ptr<ClientRequests> requests_;
  Send send_;
  std::shared_ptr<MessageLog> log_;
};

}  // namespace adit::mcp
