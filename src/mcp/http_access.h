// Who may ask at all (rules H2, H3, O3, O4): decided by the headers of a request, before its body is read.
#pragma once

#include "adit/net/http_server.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adit::mcp {

struct AccessRules {
  std::vector<std::string> hosts;    // beside localhost, 127.0.0.1 and [::1]; without port
  std::vector<std::string> origins;  // scheme://host[:port], exactly; their pages also get CORS headers
  std::string token;                 // static bearer token; "" asks for none
};

class HttpAccess {
 public:
  // Origins that are none are refused at the start.
  static Result<HttpAccess> from_rules(AccessRules rules);

  // H2, H3: a page that a browser loaded from elsewhere may not talk to us, by whatever name it reached us.
  Result<void> check_host_and_origin(const net::HttpRequest& request) const;

  // O3, O4: compared in constant time.
  bool token_fits(const net::HttpRequest& request) const;

  // What a browser must see on each answer to a page of an allowed origin.
  std::vector<net::HttpHeader> cors_headers(const net::HttpRequest& request) const;

 private:
  explicit HttpAccess(AccessRules rules) : rules_(std::move(rules)) {}
  bool is_allowed_origin(std::string_view origin) const;
  AccessRules rules_;
};

}  // namespace adit::mcp
