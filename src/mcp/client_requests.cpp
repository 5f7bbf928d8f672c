#include "client_requests.h"

#include <fmt/format.h>

namespace adit::mcp {
namespace json = boost::json;
namespace {

constexpr auto kLongestWait = std::chrono::minutes(10);  // a person reads and types

Error no_answer(std::string message) {
  return Error{.code = ErrorCode::unavailable, .reason = "no_client_answer", .message = std::move(message), .hint = ""};
}

}  // namespace

Task<json::object> ClientRequests::ask(std::shared_ptr<ClientRequests> self, RequestContext context, Send send,
                                       std::string method, json::object params) {
  // S5: nothing more is sent for a call that was cancelled, be it before its handler came to ask.
  if (context.cancelled()) co_return no_answer("The call was cancelled");
  const RequestId id = fmt::format("\"adit-{}\"", ++self->last_);
  io::OneShot<Result<json::object>> answer(self->loop_);
  self->waiting_.emplace(id, answer);
  const auto guard = context.on_cancel([answer] { answer.set(no_answer("The call was cancelled")); });
  io::Timer timer(self->loop_);
  const auto longest = io::EventLoop::Clock::now() + kLongestWait;
  timer.start(std::min(longest, context.deadline().value_or(longest)), [answer, method] {
    answer.set(no_answer(fmt::format("The client has not answered {} in time", method)));
  });
  send({.line = request(id, method, json::serialize(params)), .kind = Outgoing::Kind::request});
  auto result = co_await answer.wait();
  self->waiting_.erase(id);
  co_return result;
}

void ClientRequests::take(const Message& response) {
  const auto request = waiting_.find(response.id);
  if (request == waiting_.end()) return;
  if (response.failure) request->second.set(no_answer(fmt::format("The client refuses: {}", *response.failure)));
  else request->second.set(response.result);
}

}  // namespace adit::mcp
