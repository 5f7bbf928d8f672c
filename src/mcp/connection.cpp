// One connection: from a message's text to its answer. Reading order: receive → modern or legacy method → call_tool.
#include "adit/base/json_fields.h"
#include "adit/base/log.h"
#include "adit/mcp/json_schema.h"
#include "adit/mcp/server.h"
#include "era.h"
#include "method_results.h"
#include "progress_notifier.h"
#include "rpc_message.h"

#include <fmt/format.h>

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

}  // namespace

class Connection::State : public std::enable_shared_from_this<State> {
 public:
  State(io::EventLoop& loop, const Server& server, Send send) : server_(server), send_(std::move(send)), calls_(loop) {}

  void receive(std::string_view text) {
    auto parsed = parse_message(text);
    if (parsed.bad) {
      send_(error_response(parsed.bad->id, parsed.bad->error));
      return;
    }
    auto& message = *parsed.message;
    switch (message.kind) {
      case MessageKind::response: return;  // we send no requests
      case MessageKind::notification: take_notification(message); return;
      case MessageKind::request: break;
    }
    if (running_.contains(message.id)) {
      // J6: answering under an id that is in use would leave the client with two answers for one call.
      send_(error_response(message.id, Error{.code = ErrorCode::invalid_request,
                                             .reason = "",
                                             .message = "A request with this id is under way",
                                             .hint = ""}));
      return;
    }
    if (is_modern(message)) take_modern(message);
    else take_legacy(message);
  }

  void refuse(const Error& error) { send_(error_response(std::nullopt, error)); }

  void cancel_all() {
    for (auto& [id, context] : std::exchange(running_, {})) context.cancel();
  }

  std::size_t running_calls() const { return calls_.running(); }
  asio::awaitable<void> join() { return calls_.join(); }

 private:
  void take_notification(const Message& message) {
    if (message.method != "notifications/cancelled") return;  // initialized, and unknown ones: nothing to do
    const auto* id = find_field(message.params, "requestId");
    if (id == nullptr) return;
    const auto call = running_.find(json::serialize(*id));
    if (call == running_.end()) return;
    // S5: from here on nothing more is sent for this request.
    auto context = call->second;
    running_.erase(call);
    context.cancel();
  }

  void take_modern(const Message& message) {
    constexpr auto kRevision = Revision::v2026_07_28;
    if (auto meta = check_modern_meta(message); !meta.ok()) {
      const bool version = meta.error().code == ErrorCode::unsupported_version;
      send_(error_response(message.id, meta.error(), version ? unsupported_version_data(message) : json::object()));
      return;
    }
    if (message.method == "server/discover") send_(success_response(message.id, discover_result(server_)));
    else if (message.method == "tools/list") list_tools(message, kRevision);
    else if (message.method == "tools/call") call_tool(message, kRevision);
    else send_(error_response(message.id, method_not_found(message.method)));  // E4 among them
  }

  void take_legacy(const Message& message) {
    if (message.method == "initialize") {
      // E7: an unknown version is answered with our newest, never echoed and never an error.
      const auto asked = revision_from_text(text_or(message.params, "protocolVersion", ""));
      legacy_ = asked && *asked != Revision::v2026_07_28 ? *asked : kNewestLegacy;
      send_(success_response(message.id, initialize_result(server_, *legacy_)));
    } else if (message.method == "ping") {
      send_(success_response(message.id, empty_result(server_, legacy_.value_or(kNewestLegacy))));
    } else if (!legacy_) {
      // D5
      send_(error_response(message.id,
                           Error{.code = ErrorCode::invalid_request,
                                 .reason = "",
                                 .message = "The connection is not initialized",
                                 .hint = fmt::format("Send initialize first, or {} in params._meta.", kMetaVersion)}));
    } else if (message.method == "tools/list") {
      list_tools(message, *legacy_);
    } else if (message.method == "tools/call") {
      call_tool(message, *legacy_);
    } else {
      send_(error_response(message.id, method_not_found(message.method)));
    }
  }

  void list_tools(const Message& message, Revision revision) {
    // R9: the list has one page, so that no cursor was ever given out; "" is a cursor, too.
    if (const auto* cursor = find_field(message.params, "cursor"); cursor != nullptr && !cursor->is_null()) {
      send_(error_response(message.id, invalid_params("This cursor is not one of ours")));
      return;
    }
    send_(success_response(message.id, tools_list_result(server_, revision)));
  }

  void call_tool(const Message& message, Revision revision) {
    const auto name = text_or(message.params, "name", "");
    const auto* tool = server_.find_tool(name);
    if (tool == nullptr) {
      send_(error_response(
          message.id,
          invalid_params(fmt::format("There is no tool {}", json::serialize(json::string(name.substr(0, 100)))))));
      return;
    }
    json::object arguments;
    if (const auto* field = find_field(message.params, "arguments"); field != nullptr && !field->is_null()) {
      if (!field->is_object()) {
        send_(error_response(message.id, invalid_params("arguments must be a JSON object, not a text or a list")));
        return;
      }
      arguments = field->get_object();
    }
    auto progress = std::make_shared<ProgressNotifier>(message.params, send_);
    RequestContext context = progress->wanted() ? RequestContext(progress->sink()) : RequestContext();
    running_.emplace(message.id, context);
    calls_.spawn(
        run_call(shared_from_this(), tool, message.id, revision, context, std::move(arguments), std::move(progress)));
  }

  // The coroutine holds the state: the connection may be gone before a call that was cancelled has ended.
  static asio::awaitable<void> run_call(std::shared_ptr<State> self, const Tool* tool, RequestId id, Revision revision,
                                        RequestContext context, json::object arguments,
                                        std::shared_ptr<ProgressNotifier> progress) {
    // T8: the very schema that tools/list shows decides.
    auto valid = validate(arguments, tool->input_schema);
    Result<ToolResult> result = internal_error("the tool gave no result");
    if (valid.ok()) result = co_await tool->call(context, std::move(arguments));
    else result = valid.error();
    if (context.cancelled()) co_return;
    self->running_.erase(id);
    progress->finish();
    const auto rendered = result.ok() ? std::move(*result) : tool->render_error(result.error());
    if (!result.ok() && result.error().code == ErrorCode::internal)
      log::error("{}: {}", tool->name, result.error().message);
    self->send_(success_response(id, tool_call_result(self->server_, rendered, revision)));
  }

  const Server& server_;
  Send send_;
  io::TaskGroup calls_;
  std::map<RequestId, RequestContext> running_;  // calls that still owe an answer
  std::optional<Revision> legacy_;               // set by initialize
};

Connection::Connection(io::EventLoop& loop, const Server& server, Send send)
    : state_(std::make_shared<State>(loop, server, std::move(send))) {}

Connection::~Connection() = default;

void Connection::receive(std::string_view message) { state_->receive(message); }
void Connection::refuse(const Error& error) { state_->refuse(error); }
std::size_t Connection::running_calls() const { return state_->running_calls(); }
void Connection::cancel_all() { state_->cancel_all(); }
asio::awaitable<void> Connection::join() { return state_->join(); }

}  // namespace adit::mcp
