// From a request that was let in (http_admission.cpp) to the connection that answers it. Reading order: post → modern
// or legacy, listen (GET), end_session (DELETE).
//
// Modern requests are alone in the world: each has a Connection of its own, which ends with the answer. Legacy
// requests belong to a session, whose Connection knows what was negotiated and what runs.
#include "adit/mcp/http_transport.h"

#include "adit/base/json_fields.h"
#include "adit/base/log.h"
#include "adit/base/random_id.h"
#include "adit/io/signals.h"
#include "adit/mcp/connection.h"
#include "era.h"
#include "http_access.h"
#include "http_admission.h"
#include "http_headers.h"
#include "http_reply.h"
#include "http_session.h"
#include "rpc_message.h"

#include <fmt/format.h>

#include <signal.h>

#include <set>

namespace adit::mcp {
namespace json = boost::json;
namespace asio = boost::asio;
namespace {

// Everything has ended two seconds after SIGTERM, as on stdio (S3); half of it is the workers'.
constexpr auto kFinishGrace = std::chrono::milliseconds(400);
constexpr auto kFlushGrace = std::chrono::milliseconds(300);

bool wants_stream(const Message& message) {
  if (message.method == "subscriptions/listen") return true;
  const auto* meta = find_meta(message.params);
  return meta != nullptr && find_field(*meta, "progressToken") != nullptr;
}

bool is_modern_request(const net::HttpRequest& request, const Message& message) {
  // H17: at initialize the body decides.
  if (message.method == "initialize") return is_modern(message);
  return is_modern(message) || is_modern_version(request.header(kVersionHeader).value_or(""));
}

}  // namespace

class HttpTransport::State : public std::enable_shared_from_this<State> {
 public:
  State(io::EventLoop& loop, const Server& server, HttpOptions options, HttpAccess access)
      : loop_(loop),
        server_(server),
        options_(std::move(options)),
        access_(std::move(access)),
        sessions_(
            {.sessions = options_.sessions, .idle = options_.session_idle, .replay_bytes = options_.replay_bytes}),
        tick_(loop),
        joins_(loop) {
    sessions_.on_end = [this](const HttpSessions::Ptr& session) {
      session->connection->cancel_all();
      session->end_streams();
      keep_until_joined(session->connection);
      const bool owns = owner_of_modern() == RequestContext::kAnyone;
      if (owns && options_.on_owner_gone) options_.on_owner_gone(owner_of(*session));
    };
  }

  Result<void> listen(net::HttpAddress address) {
    is_local_ = address.is_loopback();
    net::HttpHandler handler{.check = [this](const net::HttpRequest& head) { return answer_by_headers(access_, head); },
                             .handle = [this](net::HttpRequest request,
                                              net::HttpExchange exchange) { handle(request, std::move(exchange)); }};
    net::HttpLimits limits{.body_bytes = options_.largest_message, .connections = options_.connections};
    ADIT_TRY(http_, net::HttpServer::listen(loop_, std::move(address), limits, std::move(handler)));
    start_ticking();
    return {};
  }

  std::string url() const {
    const auto& address = http_->address();
    return address.is_unix() ? fmt::format("{} (http://localhost{})", address.text(), kEndpoint)
                             : fmt::format("http://{}{}", address.text(), kEndpoint);
  }

  asio::awaitable<void> shut_down() {
    stopping_ = true;
    tick_.stop();
    http_->stop_accepting();
    for (const auto& session : sessions_.all()) {
      session->end_listening();
      session->connection->finish();
    }
    for (const auto& connection : std::set(running_)) connection->finish();
    io::Timer grace(loop_);
    grace.start(io::EventLoop::Clock::now() + kFinishGrace, [this] {
      for (const auto& session : sessions_.all()) session->connection->cancel_all();
      for (const auto& connection : std::set(running_)) connection->cancel_all();
    });
    for (const auto& session : sessions_.all()) co_await session->connection->join();
    co_await joins_.join();
    for (const auto& session : sessions_.all()) sessions_.end(session);
    co_await joins_.join();
    io::Timer flush(loop_);
    flush.start(io::EventLoop::Clock::now() + kFlushGrace, [this] { http_->close_all(); });
    co_await http_->join();
  }

 private:
  using Exchange = net::HttpExchange;
  using Headers = std::vector<net::HttpHeader>;

  // ---- By method

  void handle(const net::HttpRequest& request, Exchange exchange) {
    if (stopping_) {
      exchange.respond({.status = 503, .headers = {{"Retry-After", "1"}}, .body = ""});
      return;
    }
    if (request.method == "POST") post(request, std::move(exchange));
    else if (request.method == "GET") listen(request, std::move(exchange));
    else end_session(request, std::move(exchange));
  }

  void post(const net::HttpRequest& request, Exchange exchange) {
    auto parsed = parse_message(request.body);
    if (parsed.bad) {
      fail(request, exchange, 400, parsed.bad->id, parsed.bad->error);
      return;
    }
    auto& message = *parsed.message;
    if (is_modern_request(request, message)) post_modern(request, std::move(message), std::move(exchange));
    else post_legacy(request, std::move(message), std::move(exchange));
  }

  void fail(const net::HttpRequest& request, const Exchange& exchange, int status, const std::optional<RequestId>& id,
            const Error& error, json::object data = {}) const {
    log::info("http: {} {} refused with {}: {}", request.method, kEndpoint, status, error.message);
    exchange.respond(
        json_response(status, mcp::error_response(id, error, std::move(data)), access_.cors_headers(request)));
  }

  void accept(const net::HttpRequest& request, const Exchange& exchange) const {
    exchange.respond({.status = 202, .headers = access_.cors_headers(request), .body = ""});  // H6
  }

  HttpReply::Form form_for(const net::HttpRequest& request, Era era) const {
    return {.era = era,
            .accepted = read_accept(request.header("Accept")),
            .headers = access_.cors_headers(request),
            .make_stream = [] { return std::make_shared<EventStream>(); }};
  }

  static Connection::ReplyForm reply_form(const HttpReply::Form& form) {
    // P2: progress needs a stream; a client that takes none gets none.
    return form.accepted.stream ? Connection::ReplyForm::stream : Connection::ReplyForm::answer_only;
  }

  // ---- The modern era

  // H8: what the headers and _meta decide is decided before anything else.
  void post_modern(const net::HttpRequest& request, Message message, Exchange exchange) {
    if (message.kind != MessageKind::request) {
      accept(request, exchange);  // a notification has no stream to act upon: closing one is how a call is cancelled
      return;
    }
    const auto refused = check_modern(request, message);
    if (!refused.ok()) {
      const bool version = refused.error().code == ErrorCode::unsupported_version;
      fail(request, exchange, 400, message.id, refused.error(),
           version ? unsupported_version_data(message) : json::object());
      return;
    }
    const auto owner = owner_of_modern();
    const bool listens = message.method == "subscriptions/listen";
    const auto listeners = listening_.find(owner);
    if (listens && listeners != listening_.end() && listeners->second >= options_.listening_streams) {
      refuse_for_now(request, exchange, message.id, "Too many streams are open");
      return;
    }
    auto connection = std::make_shared<Connection>(loop_, server_, [](const Outgoing&) {}, owner);
    auto form = form_for(request, Era::modern);
    form.make_stream = [this] {
      auto stream = std::make_shared<EventStream>();
      modern_streams_.push_back(stream);
      return stream;
    };
    const auto takes = reply_form(form);
    auto reply = std::make_shared<HttpReply>(exchange, std::move(form));
    const bool streams = wants_stream(message);
    const auto running = connection->receive(std::move(message), reply->sender(), takes);
    if (reply->answered()) return;
    if (listens) ++listening_[owner];
    exchange.on_closed([running] { running.cancel(); });  // H13
    if (streams) reply->open_stream();
    keep_until_joined(connection, listens ? owner : "");
  }

  // E2, H10, H11, E6, E8, in this order: a request without a version is malformed, whatever its headers say.
  static Result<void> check_modern(const net::HttpRequest& request, const Message& message) {
    auto meta = check_modern_meta(message);
    const auto* members = find_meta(message.params);
    const auto* version = members != nullptr ? find_field(*members, kMetaVersion) : nullptr;
    if (version == nullptr || !version->is_string()) return meta;
    ADIT_CHECK(check_mirrored_headers(request, message));
    return meta;
  }

  // O5: who a caller is follows from what it proves, never from a name it sends. Behind an address that anybody can
  // reach without a token, no two requests are known to be of one caller: what one opens is open to whoever knows its
  // id, and is not listed.
  std::string owner_of_modern() const {
    if (!options_.token.empty()) return "token";
    return is_local_ ? "local" : std::string(RequestContext::kAnyone);
  }
  // Where callers cannot be told apart a session still can.
  std::string owner_of(const HttpSession& session) const {
    auto owner = owner_of_modern();
    return owner == RequestContext::kAnyone ? "session:" + session.id() : owner;
  }

  // The connection outlives its request's exchange: a cancelled call needs a moment to end.
  void keep_until_joined(std::shared_ptr<Connection> connection, std::string listener = "") {
    running_.insert(connection);
    joins_.spawn(join(shared_from_this(), std::move(connection), std::move(listener)));
  }

  static asio::awaitable<void> join(std::shared_ptr<State> self, std::shared_ptr<Connection> connection,
                                    std::string listener) {
    co_await connection->join();
    self->running_.erase(connection);
    if (!listener.empty() && --self->listening_[listener] == 0) self->listening_.erase(listener);
  }

  // ---- The legacy eras

  void post_legacy(const net::HttpRequest& request, Message message, Exchange exchange) {
    if (message.kind == MessageKind::request && message.method == "initialize") {
      initialize(request, std::move(message), std::move(exchange));
      return;
    }
    const auto id = message.kind == MessageKind::request ? std::optional(message.id) : std::nullopt;
    const auto session = session_of(request, exchange, id);
    if (!session) return;
    if (message.kind != MessageKind::request) {
      session->connection->receive(std::move(message), [](const Outgoing&) {});
      accept(request, exchange);
      return;
    }
    // P7: a ping is answered however busy its session is.
    if (message.method != "ping" && session->connection->running_calls() >= options_.running_calls) {
      refuse_for_now(request, exchange, id, "Too many calls of this session are running");
      return;
    }
    auto form = form_for(request, Era::legacy);
    form.make_stream = [weak = std::weak_ptr(session)] {
      const auto alive = weak.lock();
      return alive ? alive->add_stream() : std::make_shared<EventStream>();
    };
    // Clients of older revisions take an event without data for a broken message.
    const auto newest = revision_text(kNewestLegacy);
    if (request.header(kVersionHeader) == newest) form.priming = EventStream::Priming::yes;
    const auto takes = reply_form(form);
    auto reply = std::make_shared<HttpReply>(exchange, std::move(form));
    const bool streams = wants_stream(message);
    session->connection->receive(std::move(message), reply->sender(), takes);
    // H13: here a closed connection does not cancel; the call goes on, and its stream can be resumed.
    if (!reply->answered() && streams) reply->open_stream();
  }

  void initialize(const net::HttpRequest& request, Message message, Exchange exchange) {
    const auto session = sessions_.create();
    if (!session) {
      refuse_for_now(request, exchange, message.id, "Too many sessions are open");
      return;
    }
    auto unbound = [weak = std::weak_ptr(session)](Outgoing outgoing) {
      if (const auto alive = weak.lock()) alive->send(std::move(outgoing.line));
    };
    session->connection = std::make_shared<Connection>(loop_, server_, std::move(unbound), owner_of(*session));
    auto form = form_for(request, Era::legacy);
    form.headers.push_back({std::string(kSessionHeader), session->id()});
    auto reply = std::make_shared<HttpReply>(exchange, std::move(form));
    session->connection->receive(std::move(message), reply->sender(), Connection::ReplyForm::answer_only);
    if (!session->connection->initialized()) sessions_.end(session);
  }

  // H16, H17. nullptr: answered already.
  HttpSessions::Ptr session_of(const net::HttpRequest& request, const Exchange& exchange,
                               const std::optional<RequestId>& id) {
    const auto name = request.header(kSessionHeader);
    if (!name) {
      fail(request, exchange, 400, id,
           refusal(fmt::format("The header {} is missing", kSessionHeader),
                   fmt::format("Send initialize first, or {} in params._meta.", kMetaVersion)));
      return nullptr;
    }
    const auto session = sessions_.find(*name);
    if (!session) {
      // One answer for unknown, ended and foreign sessions: none of them tells a guesser anything.
      fail(request, exchange, 404, id, refusal("There is no such session", "Send initialize to begin a new one."));
      return nullptr;
    }
    const auto version = request.header(kVersionHeader);
    if (version && !revision_from_text(*version)) {
      fail(request, exchange, 400, id,
           refusal(fmt::format("{} names a revision that is not known here", kVersionHeader),
                   "Send the one that initialize agreed on."));
      return nullptr;
    }
    session->touch();
    return session;
  }

  void refuse_for_now(const net::HttpRequest& request, const Exchange& exchange, const std::optional<RequestId>& id,
                      std::string message) const {
    const Error error{.code = ErrorCode::rate_limited,
                      .reason = "",
                      .message = std::move(message),
                      .hint = "Try again when others have ended."};
    auto response = json_response(503, mcp::error_response(id, error), access_.cors_headers(request));
    response.headers.push_back({"Retry-After", "1"});
    log::info("http: {} {} refused with 503: {}", request.method, kEndpoint, error.message);
    exchange.respond(std::move(response));
  }

  // H18, H19
  void listen(const net::HttpRequest& request, Exchange exchange) {
    const auto session = session_of(request, exchange, std::nullopt);
    if (!session) return;
    if (const auto last = request.header(kLastEventHeader)) {
      resume(request, session, *last, std::move(exchange));
      return;
    }
    if (session->listening() >= options_.listening_streams) {
      refuse_for_now(request, exchange, std::nullopt, "Too many streams of this session are open");
      return;
    }
    auto stream = session->add_stream();
    stream->open(std::move(exchange), access_.cors_headers(request), EventStream::Priming::no);
    session->listen(std::move(stream));
  }

  void resume(const net::HttpRequest& request, const HttpSessions::Ptr& session, const std::string& last,
              Exchange exchange) {
    const auto event = EventId::parse(last);
    const auto stream = event ? session->find_stream(event->stream) : nullptr;
    if (!event || !session->had_stream(event->stream)) {
      fail(request, exchange, 400, std::nullopt,
           refusal(fmt::format("{} names no event of this session", kLastEventHeader),
                   "Leave it out to listen for what comes."));
    } else if (!stream || !stream->can_resume(event->event)) {
      fail(request, exchange, 410, std::nullopt,
           refusal("Events behind this one are no longer kept", "Repeat the calls that were not answered."));
    } else {
      stream->resume(std::move(exchange), access_.cors_headers(request), event->event);
    }
  }

  void end_session(const net::HttpRequest& request, Exchange exchange) {
    const auto session = session_of(request, exchange, std::nullopt);
    if (!session) return;
    sessions_.end(session);
    exchange.respond({.status = 204, .headers = access_.cors_headers(request), .body = ""});
  }

  // ---- Time

  void start_ticking() {
    tick_.start(io::EventLoop::Clock::now() + options_.keep_alive, [this] {
      for (const auto& session : sessions_.all()) session->keep_alive();
      std::erase_if(modern_streams_, [](const auto& weak) { return weak.expired(); });
      for (const auto& weak : modern_streams_) {
        if (const auto stream = weak.lock()) stream->keep_alive();
      }
      sessions_.end_idle();
      start_ticking();
    });
  }

  io::EventLoop& loop_;
  const Server& server_;
  HttpOptions options_;
  HttpAccess access_;
  bool is_local_ = true;
  std::unique_ptr<net::HttpServer> http_;
  HttpSessions sessions_;
  std::vector<std::weak_ptr<EventStream>> modern_streams_;
  bool stopping_ = false;                          // shut_down() has begun
  std::map<std::string, std::size_t> listening_;   // modern streams that listen, by owner
  std::set<std::shared_ptr<Connection>> running_;  // that have a call to end
  io::Timer tick_;
  io::TaskGroup joins_;
};

Result<std::unique_ptr<HttpTransport>> HttpTransport::start(io::EventLoop& loop, const Server& server,
                                                            HttpOptions options) {
  ADIT_TRY(auto address, net::HttpAddress::parse(options.address));
  if (!address.is_loopback() && options.token.empty() && !options.without_token_anywhere) {
    return Error{
        .code = ErrorCode::validation,
        .reason = "unprotected_address",
        .message = fmt::format("{} can be reached from other machines, and no token is asked for", address.text()),
        .hint = "Name a file with a token with --token-file, or listen on 127.0.0.1."};
  }
  AccessRules rules{.hosts = options.allowed_hosts, .origins = options.allowed_origins, .token = options.token};
  ADIT_TRY(auto access, HttpAccess::from_rules(std::move(rules)));
  auto state = std::make_shared<State>(loop, server, std::move(options), std::move(access));
  ADIT_CHECK(state->listen(std::move(address)));
  return std::unique_ptr<HttpTransport>(new HttpTransport(std::move(state)));
}

HttpTransport::~HttpTransport() = default;

std::string HttpTransport::url() const { return state_->url(); }
asio::awaitable<void> HttpTransport::shut_down() { return state_->shut_down(); }

asio::awaitable<void> serve_http(io::EventLoop& loop, HttpTransport& transport) {
  io::OneShot<bool> ended(loop);
  io::SignalWatch signals(loop, {SIGTERM, SIGINT}, [ended](int) { ended.set(true); });
  co_await ended.wait();
  co_await transport.shut_down();
}

}  // namespace adit::mcp
