#include "adit/net/http_client.h"

#include "adit/base/nearest_name.h"
#include "adit/net/address_rules.h"
#include "curl_multi.h"
#include "host_lookup.h"
#include "no_proxy.h"

#include <fmt/format.h>

#include <sys/socket.h>

#include <map>
#include <optional>

namespace adit::net {
namespace {

constexpr auto kAddressesKept = std::chrono::minutes(1);
constexpr std::size_t kNamesKept = 1'000;
constexpr std::size_t kMaxHeaderBytes = 256u << 10;

Error transfer_error(ErrorCode code, std::string reason, std::string message) {
  const bool retryable = reason == "lookup_failed" || reason == "connection_failed" || reason == "timed_out" ||
                         reason == "cut_off" || reason == "bad_response";
  return {.code = code, .reason = std::move(reason), .message = std::move(message), .hint = "", .retryable = retryable};
}

Error cancelled() { return transfer_error(ErrorCode::timeout, "cancelled", "The request was cancelled"); }

struct Origin {
  std::string scheme, host, port;
};

// Of a URL that we made ourselves.
std::optional<Origin> origin_of(std::string_view url) {
  const auto colon = url.find("://");
  if (colon == std::string_view::npos) return std::nullopt;
  Origin origin{.scheme = std::string(url.substr(0, colon)), .host = {}, .port = {}};
  auto authority = url.substr(colon + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  const auto bracket = authority.rfind(']');
  const auto port = authority.rfind(':');
  const bool has_port = port != std::string_view::npos && (bracket == std::string_view::npos || port > bracket);
  origin.host = std::string(authority.substr(0, has_port ? port : authority.size()));
  origin.port = has_port ? std::string(authority.substr(port + 1)) : origin.scheme == "https" ? "443" : "80";
  return origin;
}

// One exchange while curl works on it.
struct Exchange {
  explicit Exchange(io::EventLoop& loop) : ended(loop) {}

  FetchResponse response;
  std::size_t max_body_bytes = 0, header_bytes = 0;
  bool too_large = false, too_many_headers = false, forbidden = false, tried = false;
  AddressRule addresses = AddressRule::public_only;
  std::size_t* connects = nullptr;
  std::size_t* connects_refused = nullptr;
  io::OneShot<Result<CURLcode>> ended;
};

std::size_t take_body(char* bytes, std::size_t one, std::size_t size, void* of) {
  auto& exchange = *static_cast<Exchange*>(of);
  if (exchange.response.body.size() + one * size > exchange.max_body_bytes) {
    exchange.too_large = true;
    return 0;  // ends the transfer
  }
  exchange.response.body.append(bytes, one * size);
  return one * size;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::size_t take_header(char* bytes, std::size_t one, std::size_t size, void* of) {
  auto& exchange = *static_cast<Exchange*>(of);
  const std::string_view line(bytes, one * size);
  exchange.header_bytes += line.size();
  if (exchange.header_bytes > kMaxHeaderBytes) {
    exchange.too_many_headers = true;
    return 0;
  }
  if (line.starts_with("HTTP/")) {  // a further block: an informational answer, or a proxy's, came before
    exchange.response.headers.clear();
  } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
    exchange.response.headers.emplace_back(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
  return line.size();
}

// Here, and nowhere earlier, it is certain which address a name meant.
curl_socket_t open_socket(void* of, curlsocktype /*purpose*/, curl_sockaddr* address) {
  auto& exchange = *static_cast<Exchange*>(of);
  if (exchange.addresses == AddressRule::public_only && !is_public_address(address->addr)) {
    exchange.forbidden = true;
    ++*exchange.connects_refused;
    return CURL_SOCKET_BAD;
  }
  exchange.tried = true;
  ++*exchange.connects;
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

Error error_of(CURLcode code, const Exchange& exchange, const std::string& host) {
  if (exchange.too_large) {
    return transfer_error(ErrorCode::unavailable, "body_too_large",
                          fmt::format("The answer of {} is larger than {} MB", host, exchange.max_body_bytes >> 20));
  }
  if (exchange.too_many_headers) {
    return transfer_error(ErrorCode::unavailable, "body_too_large",
                          fmt::format("The answer of {} has more than {} KB of headers", host, kMaxHeaderBytes >> 10));
  }
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return transfer_error(ErrorCode::unavailable, "lookup_failed",
                            fmt::format("The name {} could not be looked up", host));
    case CURLE_COULDNT_CONNECT:
      if (exchange.forbidden && !exchange.tried) {
        return transfer_error(ErrorCode::validation, "address_not_allowed",
                              fmt::format("{} resolves to an address that is not of the public internet", host));
      }
      return transfer_error(ErrorCode::unavailable, "connection_failed", fmt::format("{} cannot be reached", host));
    case CURLE_OPERATION_TIMEDOUT:
      return transfer_error(ErrorCode::timeout, "timed_out", fmt::format("{} did not answer in time", host));
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
      return transfer_error(ErrorCode::unavailable, "tls_failed",
                            fmt::format("No safe connection to {}: {}", host, curl_easy_strerror(code)));
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return transfer_error(ErrorCode::unavailable, "cut_off",
                            fmt::format("The connection to {} ended before the answer did", host));
    default:
      return transfer_error(ErrorCode::unavailable, "bad_response",
                            fmt::format("The answer of {} cannot be read: {}", host, curl_easy_strerror(code)));
  }
}

}  // namespace

std::string_view FetchResponse::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (same_name(key, name)) return value;
  }
  return {};
}

class HttpClient::Impl {
 public:
  Impl(io::EventLoop& the_loop, HttpClientOptions the_options)
      : loop(the_loop), options(std::move(the_options)), system_lookup(the_loop) {}

  // The addresses of `host`, as curl's "+host:port:address,…"; asked again after a minute, since names move.
  Task<std::string> resolve(RequestContext context, Origin origin) {
    const auto now = io::EventLoop::Clock::now();
    auto known = addresses.find(origin.host);
    if (known == addresses.end() || known->second.until < now) {
      Result<std::vector<std::string>> found = std::vector<std::string>();
      if (options.look_up) found = co_await options.look_up(origin.host);
      else found = co_await system_lookup.find(context, origin.host);
      if (!found.ok()) co_return std::move(found).error();
      if (addresses.size() >= kNamesKept) addresses.clear();
      known = addresses.insert_or_assign(origin.host, Known{std::move(*found), now + kAddressesKept}).first;
    }
    std::string list;
    for (const auto& address : known->second.addresses) {
      const bool six = address.find(':') != std::string::npos;
      list += fmt::format("{}{}{}{}", list.empty() ? "" : ",", six ? "[" : "", address, six ? "]" : "");
    }
    co_return fmt::format("+{}:{}:{}", origin.host, origin.port, list);
  }

  // What the user's own configuration names is reached as he wrote it.
  bool uses_proxy(const std::string& host, AddressRule rule) const {
    return rule == AddressRule::public_only && !options.proxy.empty() && !bypasses_proxy(host, options.no_proxy);
  }

  void set_up(CURL* easy, const FetchRequest& request, Exchange& exchange, curl_slist* headers, curl_slist* resolve) {
    curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    // Rather one connection of many streams than many connections. Only TLS tells which before the first answer.
    if (request.url.starts_with("https:")) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");  // all that curl can decode
    curl_easy_setopt(easy, CURLOPT_USERAGENT, options.user_agent.c_str());
    if (!options.certificate_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, options.certificate_file.c_str());
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_limit.count()));
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.idle_limit.count()));
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    // Empty, not absent: absent would be the environment's.
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
    if (resolve != nullptr) curl_easy_setopt(easy, CURLOPT_RESOLVE, resolve);
    if (request.method != "GET") {
      curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
      curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &take_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &take_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &exchange);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &exchange);
  }

  // Connections are kept for requests under the same rule only: one that was opened to an address of the user's own
  // network must not serve a request that may not go there. Not made before it is needed: start is fast.
  std::shared_ptr<CurlMulti> multi(AddressRule rule) {
    auto& multi = rule == AddressRule::any ? any_ : public_;
    if (!multi) multi = CurlMulti::make(loop, options.connections_of_host);
    return multi;
  }

  struct Known {
    std::vector<std::string> addresses;
    io::EventLoop::Clock::time_point until;
  };

  io::EventLoop& loop;
  HttpClientOptions options;
  SystemHostLookup system_lookup;
  std::map<std::string, Known> addresses;
  std::map<Exchange*, std::shared_ptr<Exchange>> at_work;
  std::size_t connects = 0, connects_refused = 0;

 private:
  std::shared_ptr<CurlMulti> any_, public_;
};

// An exchange among those at work, for as long as its request is waited for: whatever ends the wait, curl lets go of
// the handle before it is freed.
class HttpClient::AtWork {
 public:
  AtWork(std::shared_ptr<Impl> impl, std::shared_ptr<Exchange> exchange, std::shared_ptr<CurlMulti> multi, CURL* easy)
      : impl_(std::move(impl)), exchange_(std::move(exchange)), multi_(std::move(multi)), easy_(easy) {
    impl_->at_work.emplace(exchange_.get(), exchange_);
    multi_->add(easy_, [ended = exchange_->ended](CURLcode code) { ended.set(code); });
  }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
  ~AtWork() {
    impl_->at_work.erase(exchange_.get());
    multi_->remove(easy_);
  }

 private:
  std::shared_ptr<Impl> impl_;
  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<CurlMulti> multi_;
  CURL* easy_;
};

HttpClient::HttpClient(io::EventLoop& loop, HttpClientOptions options)
    : impl_(std::make_shared<Impl>(loop, std::move(options))) {}

HttpClient::~HttpClient() {
  const auto at_work = impl_->at_work;
  for (const auto& [key, exchange] : at_work) exchange->ended.set(cancelled());
}

std::size_t HttpClient::connects() const { return impl_->connects; }

std::size_t HttpClient::connects_refused() const { return impl_->connects_refused; }

Task<FetchResponse> HttpClient::send(RequestContext context, FetchRequest request) {
  const auto impl = impl_;  // outlives us while an exchange ends
  const auto origin = origin_of(request.url);
  if (!origin) co_return internal_error("a request without an absolute URL");
  if (context.cancelled()) co_return cancelled();
  for (const auto& [name, value] : request.headers) {
    if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) {
      co_return internal_error("a header's value holds a line break");
    }
  }

  const bool through_proxy = impl->uses_proxy(origin->host, request.addresses);
  CurlList headers, resolve;
  const auto append = [](CurlList& list, const std::string& line) {
    list.reset(curl_slist_append(list.release(), line.c_str()));
  };
  for (const auto& [name, value] : request.headers) append(headers, fmt::format("{}: {}", name, value));
  // The user's own hosts are his to resolve, /etc/hosts and all; behind a proxy the proxy does it.
  if (request.addresses == AddressRule::public_only && !through_proxy) {
    ADIT_CO_TRY(const auto line, co_await impl->resolve(context, *origin));
    append(resolve, line);
    if (context.cancelled()) co_return cancelled();
  }

  const auto exchange = std::make_shared<Exchange>(impl->loop);
  exchange->max_body_bytes = request.max_body_bytes;
  exchange->addresses = through_proxy ? AddressRule::any : request.addresses;
  exchange->connects = &impl->connects;
  exchange->connects_refused = &impl->connects_refused;
  Easy easy(curl_easy_init());
  impl->set_up(easy.get(), request, *exchange, headers.get(), resolve.get());
  if (through_proxy) curl_easy_setopt(easy.get(), CURLOPT_PROXY, impl->options.proxy.c_str());

  const AtWork at_work(impl, exchange, impl->multi(request.addresses), easy.get());
  io::Timer deadline(impl->loop);
  if (context.deadline()) {
    deadline.start(*context.deadline(), [exchange] { exchange->ended.set(CURLE_OPERATION_TIMEDOUT); });
  }
  const auto guard = context.on_cancel([exchange] { exchange->ended.set(cancelled()); });
  auto ended = co_await exchange->ended.wait();

  if (!ended.ok()) co_return std::move(ended).error();
  if (*ended != CURLE_OK) co_return error_of(*ended, *exchange, origin->host);
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  exchange->response.status = static_cast<int>(status);
  co_return std::move(exchange->response);
}

}  // namespace adit::net
