#include "http_access.h"

#include "adit/base/ascii_case.h"
#include "adit/base/json_text.h"
#include "adit/base/sha256.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::mcp {
namespace {

constexpr std::string_view kOwnHosts[] = {"localhost", "127.0.0.1", "[::1]"};

// "host", "host:port", "[v6]:port" to the host; "" for anything else.
std::string host_of(std::string_view authority) {
  const auto bracket = authority.starts_with('[') ? authority.find(']') : std::string_view::npos;
  const auto colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    const auto port = authority.substr(colon + 1);
    const bool is_port = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == port.npos;
    if (!is_port) return "";
    authority = authority.substr(0, colon);
  }
  return ascii_lower_case(authority);
}

bool is_own(std::string_view host) {
  return std::find(std::begin(kOwnHosts), std::end(kOwnHosts), host) != std::end(kOwnHosts);
}

// The authority of an origin, if it is one.
std::optional<std::string_view> authority_of(std::string_view origin) {
  const auto scheme = origin.find("://");
  if (scheme == std::string_view::npos || scheme == 0) return std::nullopt;
  const auto authority = origin.substr(scheme + 3);
  if (authority.empty() || authority.find_first_of("/?#@, ") != std::string_view::npos) return std::nullopt;
  return authority;
}

Error refused(std::string message, std::string hint) {
  return Error{
      .code = ErrorCode::invalid_request, .reason = "", .message = std::move(message), .hint = std::move(hint)};
}

}  // namespace

Result<HttpAccess> HttpAccess::from_rules(AccessRules rules) {
  for (auto& host : rules.hosts) {
    const auto bare = host_of(host);
    if (bare.empty()) {
      return Error{.code = ErrorCode::validation,
                   .reason = "invalid_host",
                   .message = fmt::format("{} is not the name of a host", json_string(to_valid_utf8(host))),
                   .hint = "Write the name alone, such as data.example.org."};
    }
    host = bare;
  }
  for (auto& origin : rules.origins) {
    if (!authority_of(origin)) {
      return Error{.code = ErrorCode::validation,
                   .reason = "invalid_origin",
                   .message = fmt::format("{} is not an origin", json_string(to_valid_utf8(origin))),
                   .hint = "Write scheme and host as a browser does, such as https://app.example.org."};
    }
    origin = ascii_lower_case(origin);
  }
  return HttpAccess(std::move(rules));
}

Result<void> HttpAccess::check_host_and_origin(const net::HttpRequest& request) const {
  const auto host = host_of(request.header("Host").value_or(""));
  if (!is_own(host) && std::find(rules_.hosts.begin(), rules_.hosts.end(), host) == rules_.hosts.end()) {
    return refused("This server does not answer to the name in the Host header",
                   "Use localhost or 127.0.0.1; whoever runs the server allows further names with --allow-host.");
  }
  const auto origin = request.header("Origin");
  if (!origin || is_allowed_origin(*origin)) return {};
  // That Origin equals Host proves nothing: a name that was rebound to this machine is in both.
  const auto lower = ascii_lower_case(*origin);
  const auto authority = authority_of(lower);
  if (authority && is_own(host_of(*authority))) return {};
  return refused("Pages of this origin may not use the server",
                 "Whoever runs the server allows an origin with --allow-origin.");
}

bool HttpAccess::token_fits(const net::HttpRequest& request) const {
  if (rules_.token.empty()) return true;
  constexpr std::string_view kScheme = "bearer ";
  const auto header = request.header("Authorization").value_or("");
  if (ascii_lower_case(std::string_view(header).substr(0, kScheme.size())) != kScheme) return false;
  auto given = std::string_view(header).substr(kScheme.size());
  while (given.starts_with(' ')) given.remove_prefix(1);
  return equal_in_constant_time(given, rules_.token);
}

std::vector<net::HttpHeader> HttpAccess::cors_headers(const net::HttpRequest& request) const {
  const auto origin = request.header("Origin");
  if (!origin || !is_allowed_origin(*origin)) return {};
  return {{"Access-Control-Allow-Origin", *origin},
          {"Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate"},
          {"Vary", "Origin"}};
}

bool HttpAccess::is_allowed_origin(std::string_view origin) const {
  return std::find(rules_.origins.begin(), rules_.origins.end(), ascii_lower_case(origin)) != rules_.origins.end();
}

}  // namespace adit::mcp
