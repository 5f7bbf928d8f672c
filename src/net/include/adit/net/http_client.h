// HTTP requests to elsewhere: libcurl on the event loop. One exchange a call; what a redirect, a status or a failure
// means is the caller's matter (socrata/upstream.h). Connections are kept and shared (HTTP/2 where the server has it),
// bodies come decompressed. Loop thread only.
#pragma once

#include "adit/base/request_context.h"
#include "adit/base/task.h"
#include "adit/io/event_loop.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adit::net {

using FetchHeaders = std::vector<std::pair<std::string, std::string>>;

// The addresses of a name: asked before a connection, kept for a minute. Tests put their own here.
// Error reasons: host_not_found (there is no such name), lookup_failed (it could not be found out now).
using HostLookup = std::function<Task<std::vector<std::string>>(std::string host)>;

struct HttpClientOptions {
  std::string user_agent = {};
  std::string certificate_file = {};  // PEM with the authorities to trust; empty: the system's
  std::string proxy = {};     // http://host:port; empty: none. It resolves the names, and its address may be any
  std::string no_proxy = {};  // names and ".suffixes", by comma, that are reached without it; "*": all
  std::chrono::milliseconds connect_limit{15'000};
  std::chrono::seconds idle_limit{60};  // without a byte received; portals think long before the first one
  long connections_of_host = 8;
  HostLookup look_up = {};  // empty: the system's resolver
};

enum class AddressRule {
  public_only,  // address_rules.h, for every socket that is opened
  any,          // a host that the user's own configuration names
};

struct FetchRequest {
  std::string method = "GET";
  std::string url;  // http or https, absolute
  FetchHeaders headers = {};
  std::string body = {};
  AddressRule addresses = AddressRule::public_only;
  std::size_t max_body_bytes = 64u << 20;  // decompressed
};

struct FetchResponse {
  int status = 0;
  FetchHeaders headers;  // as received, the last header block
  std::string body;

  std::string_view header(std::string_view name) const;  // the first of that name, without regard to case; "" if none
};

class HttpClient {
 public:
  HttpClient(io::EventLoop& loop, HttpClientOptions options);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();  // exchanges at work end as cancelled

  // Ends by the context's deadline, and at once when it is cancelled. Error reasons: host_not_found, lookup_failed,
  // address_not_allowed, connection_failed, tls_failed, timed_out, body_too_large, cut_off, bad_response, cancelled.
  // No message holds the URL.
  Task<FetchResponse> send(RequestContext context, FetchRequest request);

  // Sockets opened so far, and such that a rule forbade.
  std::size_t connects() const;
  std::size_t connects_refused() const;

 private:
  class Impl;
  class AtWork;
  std::shared_ptr<Impl> impl_;
};

}  // namespace adit::net
