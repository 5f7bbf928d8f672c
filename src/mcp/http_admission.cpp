#include "http_admission.h"

#include "adit/base/log.h"
#include "http_headers.h"
#include "http_reply.h"
#include "rpc_message.h"

#include <fmt/format.h>

#include <utility>

namespace adit::mcp {
namespace {

constexpr std::string_view kHealth = "/healthz";

net::HttpResponse with_status(int status, const Error& error) {
  return json_response(status, error_response(std::nullopt, error));
}

net::HttpResponse health() {
  return {.status = 200,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}, {"Cache-Control", "no-store"}},
          .body = "ok\n"};
}

net::HttpResponse preflight() {
  return {.status = 204,
          .headers = {{"Access-Control-Allow-Methods", "GET, POST, DELETE"},
                      {"Access-Control-Allow-Headers",
                       "Authorization, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, "
                       "Mcp-Session-Id"},
                      {"Access-Control-Max-Age", "600"}},
          .body = ""};
}

net::HttpResponse not_allowed(std::string allowed) {
  auto response = with_status(405, refusal(fmt::format("Allowed here: {}", allowed)));
  response.headers.push_back({"Allow", std::move(allowed)});
  return response;
}

// H5
std::optional<net::HttpResponse> refuse_post(const net::HttpRequest& head) {
  if (!is_json_content(head.header("Content-Type"))) {
    return with_status(415, refusal("The body must be JSON", "Send Content-Type: application/json"));
  }
  const auto accepted = read_accept(head.header("Accept"));
  if (!accepted.json && !accepted.stream) {
    return with_status(
        406, refusal("The answer is JSON or a stream of events", "Send Accept: application/json, text/event-stream"));
  }
  return std::nullopt;
}

std::optional<net::HttpResponse> refuse(const HttpAccess& access, const net::HttpRequest& head) {
  if (auto allowed = access.check_host_and_origin(head); !allowed.ok()) return with_status(403, allowed.error());
  const bool reads = head.method == "GET" || head.method == "HEAD";
  if (head.path() == kHealth && reads) return health();
  if (head.method == "OPTIONS" && head.path() == kEndpoint && !access.cors_headers(head).empty()) return preflight();
  if (!access.token_fits(head)) {
    auto response = with_status(401, refusal("A bearer token is needed"));
    response.headers.push_back({"WWW-Authenticate", "Bearer realm=\"adit\""});
    return response;
  }
  if (head.path() == kHealth) return not_allowed("GET, HEAD");
  if (head.path() != kEndpoint) {
    return with_status(404, refusal("There is nothing at this path", fmt::format("The endpoint is {}", kEndpoint)));
  }
  if (head.method == "POST") return refuse_post(head);
  if (head.method != "GET" && head.method != "DELETE") return not_allowed("GET, POST, DELETE");
  // H15: the modern era has neither sessions nor streams that a GET opens.
  if (is_modern_version(head.header(kVersionHeader).value_or(""))) return not_allowed("POST");
  if (head.method == "GET" && !read_accept(head.header("Accept")).stream) {
    return with_status(406, refusal("A GET opens a stream of events", "Send Accept: text/event-stream"));
  }
  return std::nullopt;
}

}  // namespace

Error refusal(std::string message, std::string hint) {
  return Error{
      .code = ErrorCode::invalid_request, .reason = "", .message = std::move(message), .hint = std::move(hint)};
}

std::optional<net::HttpResponse> answer_by_headers(const HttpAccess& access, const net::HttpRequest& head) {
  auto response = refuse(access, head);
  if (!response) return std::nullopt;
  if (response->status >= 400) {
    log::info("http: {} {} refused with {}", head.method, head.path().substr(0, 100), response->status);
  }
  for (auto& header : access.cors_headers(head)) response->headers.push_back(std::move(header));
  return response;
}

}  // namespace adit::mcp
