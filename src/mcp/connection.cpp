// One connection: from a message's text to its answer. Reading order: receive → modern or legacy → handle → run. What
// a method does is in methods.cpp and the files behind it.
#include "adit/mcp/connection.h"

#include "adit/base/json_fields.h"
#include "adit/base/log.h"
#include "change_notice.h"
#include "era.h"
#include "exchange.h"
#include "method_error.h"
#include "method_results.h"
#include "methods.h"
#include "reply.h"
#include "rpc_message.h"

#include <fmt/format.h>

#include <exception>
#include <map>

namespace adit::mcp {
namespace json = boost::json;
namespace asio = boost::asio;
namespace {

Answer method_not_found(std::string_view method) {
  return failure({.code = ErrorCode::method_not_found,
                  .reason = "",
                  .message = fmt::format("There is no method {}", shown_name(method)),
                  .hint = ""});
}

Answer invalid_request(std::string message, std::string hint = "") {
  return failure(
      {.code = ErrorCode::invalid_request, .reason = "", .message = std::move(message), .hint = std::move(hint)});
}

}  // namespace

class Connection::State : public std::enable_shared_from_this<State> {
 public:
  State(io::EventLoop& loop, const Server& server, Send send, std::string owner)
      : loop_(loop),
        server_(server),
        send_(std::move(send)),
        owner_(std::move(owner)),
        requests_(std::make_shared<ClientRequests>(loop)),
        calls_(loop) {}

  Request receive(std::string_view text, Send send, ReplyForm form) {
    auto parsed = parse_message(text);
    if (parsed.bad) {
      send({.line = error_response(parsed.bad->id, parsed.bad->error), .error = parsed.bad->error.code});
      return {};
    }
    return receive(std::move(*parsed.message), std::move(send), form);
  }

  Request receive(Message message, Send send, ReplyForm form) {
    switch (message.kind) {
      case MessageKind::response: requests_->take(message); return {};
      case MessageKind::notification: take_notification(message); return {};
      case MessageKind::request: break;
    }
    const auto id = message.id;
    const Reply reply(id, std::move(send), form);
    // J6: answering under an id that is in use would leave the client with two answers for one call.
    if (running_.contains(id)) reply.answer(invalid_request("A request with this id is under way"));
    else if (is_modern(message)) take_modern(std::move(message), reply);
    else take_legacy(std::move(message), reply);
    return handle_of(id);
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

  void finish() { finishing_.cancel(); }
  bool initialized() const { return session_ != nullptr; }
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

  void take_modern(Message message, const Reply& reply) {
    if (auto meta = check_modern_meta(message); !meta.ok()) {
      const bool version = meta.error().code == ErrorCode::unsupported_version;
      reply.answer(failure(meta.error(), version ? unsupported_version_data(message) : json::object()));
      return;
    }
    handle(std::move(message), reply, Revision::v2026_07_28, nullptr);
  }

  void take_legacy(Message message, const Reply& reply) {
    if (message.method == "initialize") {
      initialize(message, reply);
    } else if (message.method == "ping") {
      reply.answer(success(empty_result(server_, kNewestLegacy)));
    } else if (!session_) {
      // D5
      reply.answer(invalid_request("The connection is not initialized",
                                   fmt::format("Send initialize first, or {} in params._meta.", kMetaVersion)));
    } else {
      handle(std::move(message), reply, session_->revision, session_);
    }
  }

  void initialize(const Message& message, const Reply& reply) {
    auto session = std::make_shared<LegacySession>();
    // E7: an unknown version is answered with our newest, never echoed and never an error.
    const auto asked = revision_from_text(text_or(message.params, "protocolVersion", ""));
    session->revision = asked && *asked != Revision::v2026_07_28 ? *asked : kNewestLegacy;
    const auto* capabilities = find_field(message.params, "capabilities");
    if (capabilities != nullptr && capabilities->is_object()) session->client_capabilities = capabilities->get_object();
    session->requests = requests_;
    if (auto* changes = server_.offer().changes) {
      session->changes = changes->listen([weak = weak_from_this()](const Change& change) {
        if (const auto self = weak.lock()) self->tell(change);
      });
    }
    session_ = std::move(session);
    reply.answer(success(initialize_result(server_, session_->revision)));
  }

  // R5, T18: to a legacy client on its connection.
  void tell(const Change& change) {
    if (!session_) return;
    if (change.kind == Change::Kind::resource && !session_->subscriptions.contains(change.uri)) return;
    send_(change_notice(change, {}));
  }

  // D3, E4: what the era does not have and what the server does not offer is unknown.
  void handle(Message message, const Reply& reply, Revision revision, std::shared_ptr<LegacySession> session) {
    const auto* method = find_method(server_, message.method, revision);
    if (method == nullptr) {
      reply.answer(method_not_found(message.method));
      return;
    }
    const auto level = session ? session->log_level : wanted_log_level(message.params);
    auto progress = std::make_shared<ProgressNotifier>(message.params, reply.send());
    const bool reports = method->run != nullptr && progress->wanted() && reply.streams();  // P2
    RequestContext context = reports ? RequestContext(progress->sink()) : RequestContext();
    context.set_owner(owner_);
    auto log = std::make_shared<MessageLog>(reply.send(), reply.streams() ? level : std::nullopt);
    Exchange exchange{.server = server_,
                      .revision = revision,
                      .method = std::move(message.method),
                      .params = std::move(message.params),
                      .reply = reply,
                      .context = context,
                      .finishing = finishing_,
                      .session = std::move(session),
                      .progress = std::move(progress),
                      .log = std::move(log),
                      .loop = loop_};
    if (method->answer != nullptr) {
      reply.answer(method->answer(exchange));
      return;
    }
    running_.emplace(reply.id(), RunningCall{.context = context, .serial = ++last_serial_});
    calls_.spawn(run(shared_from_this(), method, std::make_shared<Exchange>(std::move(exchange))));
  }

  // The coroutine holds the state: the connection may be gone before a call that was cancelled has ended.
  static asio::awaitable<void> run(std::shared_ptr<State> self, const Method* method,
                                   std::shared_ptr<Exchange> exchange) {
    auto answer = failure(internal_error("the method gave no answer"));
    try {
      auto running = method->run(exchange);
      answer = co_await std::move(running);
    } catch (const std::exception& error) {  // a defect costs its own call (J3)
      log::error("{}: {}", method->name, error.what());
    }
    exchange->progress->finish();
    exchange->log->finish();
    if (exchange->context.cancelled()) co_return;
    self->running_.erase(exchange->reply.id());
    exchange->reply.answer(answer);
  }

  io::EventLoop& loop_;
  const Server& server_;
  Send send_;
  std::string owner_;
  std::shared_ptr<ClientRequests> requests_;  // the connection's: ids are not given out twice by a second initialize
  io::TaskGroup calls_;
  std::map<RequestId, RunningCall> running_;  // requests that still owe an answer
  std::uint64_t last_serial_ = 0;
  RequestContext finishing_;
  std::shared_ptr<LegacySession> session_;  // set by initialize
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
Connection::Request Connection::receive(Message message, Send reply, ReplyForm form) {
  return state_->receive(std::move(message), std::move(reply), form);
}
Connection::Request Connection::receive(std::string_view message) { return state_->receive(message); }
void Connection::refuse(const Error& error) { state_->refuse(error); }
bool Connection::initialized() const { return state_->initialized(); }
std::size_t Connection::running_calls() const { return state_->running_calls(); }
void Connection::finish() { state_->finish(); }
void Connection::cancel_all() { state_->cancel_all(); }
asio::awaitable<void> Connection::join() { return state_->join(); }

}  // namespace adit::mcp
