// Where the messages for one request go, and how it is answered.
#pragma once

#include "adit/mcp/connection.h"
#include "rpc_message.h"

#include <boost/json.hpp>

#include <string>
#include <utility>

namespace adit::mcp {

// What a method gives: a result (one JSON object's text) or a JSON-RPC error.
struct Answer {
  std::string result = {};
  std::optional<Error> error = {};
  boost::json::object error_data = {};
};

inline Answer success(std::string result) { return {.result = std::move(result)}; }
inline Answer failure(Error error, boost::json::object data = {}) {
  return {.error = std::move(error), .error_data = std::move(data)};
}
inline Answer invalid_params(std::string message, std::string hint = "") {
  return failure(
      {.code = ErrorCode::invalid_params, .reason = "", .message = std::move(message), .hint = std::move(hint)});
}

class Reply {
 public:
  Reply(RequestId id, Send send, Connection::ReplyForm form)
      : id_(std::move(id)), send_(std::move(send)), form_(form) {}

  const RequestId& id() const { return id_; }
  const Send& send() const { return send_; }
  bool streams() const { return form_ == Connection::ReplyForm::stream; }

  void answer(const Answer& answer) const {
    if (!answer.error) send_({.line = success_response(id_, answer.result)});
    else send_({.line = error_response(id_, *answer.error, answer.error_data), .error = answer.error->code});
  }

 private:
  RequestId id_;
  Send send_;
  Connection::ReplyForm form_;
};

}  // namespace adit::mcp
