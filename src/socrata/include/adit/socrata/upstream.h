// Requests to portals and to the catalog: where they may go, what they carry, and how often they are tried. What an
// answer means is failure.h's matter.
//
// Redirects are followed here, at most three, to https and to hosts that pass the rules of net/host_name.h. The app
// token goes to the portals we know, to the catalog and to the hosts that the user named for it; one that a portal
// calls invalid is not sent again. A host that said 429 is left alone until the moment it named, and no host gets more
// than a few requests at once.
// Loop thread only.
#pragma once

#include "adit/base/request_context.h"
#include "adit/base/task.h"
#include "adit/io/event_loop.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adit::net {
class HttpClient;
}

namespace adit::socrata {

// A host that the user's own configuration sends elsewhere: http://127.0.0.1:8080 or https://mirror.example.org.
using PortalMap = std::map<std::string, std::string>;

// "NAME=URL"; the URL has a scheme (http or https), a host and maybe a port, nothing else.
Result<std::pair<std::string, std::string>> parse_portal_map(std::string_view text);

struct UpstreamOptions {
  std::string app_token;  // X-App-Token; "" for none
  std::set<std::string> token_hosts;
  PortalMap portal_map;
  std::chrono::milliseconds retry_delay{500};  // before the second attempt; doubles, with jitter
  std::chrono::milliseconds longest_wait{30'000};
  std::chrono::milliseconds call_limit{180'000};  // of one call of a tool, its attempts and pauses together
  int attempts = 4;
  std::size_t requests_of_host = 8;  // at once
};

// What the body of a 2xx answer is.
enum class BodyIs {
  what_was_asked,
  other_json,  // JSON, but not that: asking again gives the same
  not_json,    // a page of a gateway, or cut: worth another attempt
};

enum class UnknownHost {
  is_final,        // a portal's name that DNS does not know is a wrong name
  is_tried_again,  // the catalog's cannot be
};

struct UpstreamAnswer {
  int status = 0;
  std::string body, content_type;
  std::string host;         // that answered
  bool redirected = false;  // `host` is another than was asked
  bool mapped = false;      // the user's configuration sent the request elsewhere
  // Headers as received: Retry-After, X-SODA2-Data-Out-Of-Date, X-SODA2-Fields, X-SODA2-Types.
  std::string retry_after, out_of_date, fields, types;
  int attempts = 1;
  BodyIs body_is = BodyIs::not_json;  // of a 2xx, as UpstreamRequest::read found

  bool is_success() const { return status >= 200 && status < 300 && status != 202; }
};

struct UpstreamRequest {
  std::string host;    // a name that passed net/host_name.h
  std::string target;  // path and query, percent-encoded
  int attempts = 0;    // 0: as the options say
  std::size_t max_body_bytes = 64u << 20;
  UnknownHost unknown_host = UnknownHost::is_final;
  // Reads the body of a 2xx answer, once for each attempt, before get() ends.
  std::function<BodyIs(UpstreamAnswer& answer)> read = {};
};

class Upstream {
 public:
  // `http` outlives this.
  Upstream(io::EventLoop& loop, net::HttpClient& http, UpstreamOptions options);
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;
  ~Upstream();

  // Any status that is not worth another attempt, or the last attempt's. Error: no answer at all. Its reasons are those
  // of net/http_client.h and unknown_domain (a redirect to what no portal may be).
  Task<UpstreamAnswer> get(RequestContext context, UpstreamRequest request);

  std::chrono::milliseconds call_limit() const;
  bool is_mapped(std::string_view host) const;
  const PortalMap& portal_map() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adit::socrata
