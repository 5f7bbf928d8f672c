// Requests of the server's to its client, and the wait for their answers. Legacy revisions only (S6).
#pragma once

#include "adit/base/request_context.h"
#include "adit/io/event_loop.h"
#include "adit/mcp/outgoing.h"
#include "rpc_message.h"

#include <boost/json.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace adit::mcp {

class ClientRequests : public std::enable_shared_from_this<ClientRequests> {
 public:
  explicit ClientRequests(io::EventLoop& loop) : loop_(loop) {}

  // The client's result; its refusal, the context's end and a wait too long are errors.
  static Task<boost::json::object> ask(std::shared_ptr<ClientRequests> self, RequestContext context, Send send,
                                       std::string method, boost::json::object params);

  void take(const Message& response);  // what answers nothing is ignored

 private:
  io::EventLoop& loop_;
  std::int64_t last_ = 0;
  std::map<RequestId, io::OneShot<Result<boost::json::object>>> waiting_;
};

}  // namespace adit::mcp
