// What a handler may say to its client, and ask it, while it works. A handler is written once: in the legacy era a
// question is a request of the server's and ask() waits for the answer; in the modern era ask() fails until the
// client has called again with the answers, and the handler then runs from its beginning (I1, I6).
#pragma once

#include "adit/base/request_context.h"
#include "adit/base/task.h"
#include "adit/mcp/log_level.h"

#include <boost/json.hpp>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace adit::mcp {

struct Question {
  std::string key;     // names its answer; a handler uses each key once
  std::string method;  // elicitation/create, sampling/createMessage, roots/list
  boost::json::object params;
};

using Answers = std::map<std::string, boost::json::object>;  // results of the client's, by key

// Copies name the same request.
class Dialogue {
 public:
  class Peer {
   public:
    Peer() = default;
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    virtual ~Peer() = default;
    virtual const boost::json::object& client_capabilities() const = 0;
    virtual Task<Answers> ask(RequestContext context, std::vector<Question> questions) = 0;
    virtual void log(LogLevel level, std::string_view logger, const boost::json::value& data) = 0;
  };

  Dialogue(RequestContext context, std::shared_ptr<Peer> peer) : context_(std::move(context)), peer_(std::move(peer)) {}

  const RequestContext& context() const { return context_; }

  bool client_can(std::string_view capability) const;  // "elicitation", "sampling", "roots"

  // All questions at once. An error is passed up unchanged by the handler: the client lacks a capability, has not
  // answered yet, or refused.
  Task<Answers> ask(std::vector<Question> questions) const;

  // notifications/message, where the client wants this level (P4, P5).
  void log(LogLevel level, std::string_view logger, const boost::json::value& data) const;

 private:
  RequestContext context_;
  std::shared_ptr<Peer> peer_;
};

}  // namespace adit::mcp
