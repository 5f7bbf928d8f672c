// One connection: from a message's text to its answer. Reading order: receive → modern or legacy method → call_tool.
#include "adit/mcp/connection.h"

#include "adit/base/json_fields.h"
#include "adit/base/log.h"
#include "adit/mcp/json_schema.h"
#include "era.h"
#include "method_results.h"
#include "progress_notifier.h"
#include "rpc_message.h"

#include <fmt/format.h>

#include <map>

namespace adit::mcp {
namespace json = boost::json;
namespace asio = boost::asio;
namespace {

Error method_not_found(std::string_view method) {
  return Error{.code = ErrorCode::method_not_found,
               .reason = "",
               .message = fmt::format("There is no method {}", method.substr(0, 100)),
               .hint = ""};
}

Error invalid_params(std::string message) {
  return Error{.code = ErrorCode::invalid_params, .reason = "", .message = std::move(message), .hint = ""};
}

// Where the messages for one request go.
class Reply {
 public:
  Reply(RequestId id, Send send, Connection::ReplyForm form)
      : id_(std::move(id)), send_(std::move(send)), form_(form) {}

  const RequestId& id() const { return id_; }
  bool streams() const { return form_ == Connection::ReplyForm::stream; }
  const Send& send() const { return send_; }

  void succeed(std::string_view result) const { send_({.line = success_response(id_, result)}); }
  void fail(const Error& error, json::object data = {}) const {
    send_({.line = error_response(id_, error, std::move(data)), .error = error.code});
  }

 private:
  RequestId id_;
  Send send_;
  Connection::ReplyForm form_;
};

}  // namespace

class Connection::State : public std::enable_shared_from_this<State> {
 public:
  State(io::EventLoop& loop, const Server& server, Send send, std::string owner)
      : server_(server), send_(std::move(send)), owner_(std::move(owner)), calls_(loop) {}

  Request receive(std::string_view text, Send send, ReplyForm form) {
    auto parsed = parse_message(text);
    if (parsed.bad) {
      send({.line = error_response(parsed.bad->id, parsed.bad->error), .error = parsed.bad->error.code});
      return {};
    }
    const auto& message = *parsed.message;
    switch (message.kind) {
      case MessageKind::response: return {};  // we send no requests
      case MessageKind::notification: take_notification(message); return {};
      case MessageKind::request: break;
    }
    const Reply reply(message.id, std::move(send), form);
    if (running_.contains(message.id)) {
      // J6: answering under an id that is in use would leave the client with two answers for one call.
      reply.fail(Error{.code = ErrorCode::invalid_request,
                       .reason = "",
                       .message = "A request with this id is under way",
                       .hint = ""});
      return {};
    }
    if (is_modern(message)) take_modern(message, reply);
    else take_legacy(message, reply);
    return handle_of(message.id);
  }

  Request receive(std::string_view text) { return receive(text, send_, ReplyForm::stream); }

  void refuse(const Error& error) { send_({.line = error_response(std::nullopt, error), .error = error.code}); }

  // S5: from here on nothing more is sent for this request.
  void cancel(const RequestId& id, std::optional<std::uint64_t> serial = {}) {
    const auto call = running_.find(id);
    if (call == running_.end() || (serial && call->second.serial != *serial)) return;
    auto context = call->second.context;
    running_.erase(call);
    context.cancel();
  }

  void cancel_all() {
    for (auto& [id, call] : std::exchange(running_, {})) call.context.cancel();
  }

  bool initialized() const { return legacy_.has_value(); }
  std::size_t running_calls() const { return calls_.running(); }
  asio::awaitable<void> join() { return calls_.join(); }

 private:
  struct RunningCall {
    RequestContext context;
    std::uint64_t serial = 0;
  };

  Request handle_of(const RequestId& id) {
    Request request;
    const auto call = running_.find(id);
    if (call == running_.end()) return request;  // answered already
    request.connection_ = weak_from_this();
    request.id_ = id;
    request.serial_ = call->second.serial;
    return request;
  }

  void take_notification(const Message& message) {
    if (message.method != "notifications/cancelled") return;  // initialized, and unknown ones: nothing to do
    if (const auto* id = find_field(message.params, "requestId")) cancel(json::serialize(*id));
  }

  void take_modern(const Message& message, const Reply& reply) {
    constexpr auto kRevision = Revision::v2026_07_28;
    if (auto meta = check_modern_meta(message); !meta.ok()) {
      const bool version = meta.error().code == ErrorCode::unsupported_version;
      reply.fail(meta.error(), version ? unsupported_version_data(message) : json::object());
      return;
    }
    if (message.method == "server/discover") reply.succeed(discover_result(server_));
    else if (message.method == "tools/list") list_tools(message, reply, kRevision);
    else if (message.method == "tools/call") call_tool(message, reply, kRevision);
    else reply.fail(method_not_found(message.method));  // E4 among them
  }

  void take_legacy(const Message& message, const Reply& reply) {
    if (message.method == "initialize") {
      // E7: an unknown version is answered with our newest, never echoed and never an error.
      const auto asked = revision_from_text(text_or(message.params, "protocolVersion", ""));
      legacy_ = asked && *asked != Revision::v2026_07_28 ? *asked : kNewestLegacy;
      reply.succeed(initialize_result(server_, *legacy_));
    } else if (message.method == "ping") {
      reply.succeed(empty_result(server_, legacy_.value_or(kNewestLegacy)));
    } else if (!legacy_) {
      // D5
      reply.fail(Error{.code = ErrorCode::invalid_request,
                       .reason = "",
                       .message = "The connection is not initialized",
                       .hint = fmt::format("Send initialize first, or {} in params._meta.", kMetaVersion)});
    } else if (message.method == "tools/list") {
      list_tools(message, reply, *legacy_);
    } else if (message.method == "tools/call") {
      call_tool(message, reply, *legacy_);
    } else {
      reply.fail(method_not_found(message.method));
    }
  }

  void list_tools(const Message& message, const Reply& reply, Revision revision) {
    // R9: the list has one page, so that no cursor was ever given out; "" is a cursor, too.
    if (const auto* cursor = find_field(message.params, "cursor"); cursor != nullptr && !cursor->is_null()) {
      reply.fail(invalid_params("This cursor is not one of ours"));
      return;
    }
    reply.succeed(tools_list_result(server_, revision));
  }

  void call_tool(const Message& message, const Reply& reply, Revision revision) {
    const auto name = text_or(message.params, "name", "");
    const auto* tool = server_.find_tool(name);
    if (tool == nullptr) {
      reply.fail(
          invalid_params(fmt::format("There is no tool {}", json::serialize(json::string(name.substr(0, 100))))));
      return;
    }
    json::object arguments;
    if (const auto* field = find_field(message.params, "arguments"); field != nullptr && !field->is_null()) {
      if (!field->is_object()) {
        reply.fail(invalid_params("arguments must be a JSON object, not a text or a list"));
        return;
      }
      arguments = field->get_object();
    }
    auto progress = std::make_shared<ProgressNotifier>(message.params, reply.send());
    const bool wants_progress = progress->wanted() && reply.streams();
    RequestContext context = wants_progress ? RequestContext(progress->sink()) : RequestContext();
    context.set_owner(owner_);
    running_.emplace(message.id, RunningCall{.context = context, .serial = ++last_serial_});
    calls_.spawn(
        run_call(shared_from_this(), tool, reply, revision, context, std::move(arguments), std::move(progress)));
  }

  // The coroutine holds the state: the connection may be gone before a call that was cancelled has ended.
  static asio::awaitable<void> run_call(std::shared_ptr<State> self, const Tool* tool, Reply reply, Revision revision,
                                        RequestContext context, json::object arguments,
                                        std::shared_ptr<ProgressNotifier> progress) {
    // T8: the very schema that tools/list shows decides.
    auto valid = validate(arguments, tool->input_schema);
    Result<ToolResult> result = internal_error("the tool gave no result");
    if (valid.ok()) result = co_await tool->call(context, std::move(arguments));
    else result = valid.error();
    if (context.cancelled()) co_return;
    self->running_.erase(reply.id());
    progress->finish();
    const auto rendered = result.ok() ? std::move(*result) : tool->render_error(result.error());
    if (!result.ok() && result.error().code == ErrorCode::internal)
      log::error("{}: {}", tool->name, result.error().message);
    reply.succeed(tool_call_result(self->server_, rendered, revision));
  }

  const Server& server_;
  Send send_;
  std::string owner_;
  io::TaskGroup calls_;
  std::map<RequestId, RunningCall> running_;  // calls that still owe an answer
  std::uint64_t last_serial_ = 0;
  std::optional<Revision> legacy_;  // set by initialize
};

void Connection::Request::cancel() const {
  if (auto connection = connection_.lock()) connection->cancel(id_, serial_);
}

Connection::Connection(io::EventLoop& loop, const Server& server, Send send, std::string owner)
    : state_(std::make_shared<State>(loop, server, std::move(send), std::move(owner))) {}

Connection::~Connection() = default;

Connection::Request Connection::receive(std::string_view message, Send reply, ReplyForm form) {
  return state_->receive(message, std::move(reply), form);
}
Connection::Request Connection::receive(std::string_view message) { return state_->receive(message); }
void Connection::refuse(const Error& error) { state_->refuse(error); }
bool Connection::initialized() const { return state_->initialized(); }
std::size_t Connection::running_calls() const { return state_->running_calls(); }
void Connection::cancel_all() { state_->cancel_all(); }
asio::awaitable<void> Connection::join() { return state_->join(); }

}  // namespace adit::mcp
