// The real `adit serve --http` on a port of its own, and requests as MCP clients send them.
#pragma once

#include "support/http_client.h"
#include "support/server_process.h"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adit::test {

constexpr std::string_view kModern = "2026-07-28";

// Headers and body of a modern request that nothing is wrong with; a test changes what it is about.
struct ModernRequest {
  explicit ModernRequest(std::string_view method, boost::json::object params = {});

  // Replaces, adds, or with no value removes.
  ModernRequest& header(std::string_view name, std::optional<std::string> value);
  ModernRequest& meta(std::string_view key, boost::json::value value);
  ModernRequest& without_meta(std::string_view key);
  std::string bytes() const;

  HttpHeaders headers;
  boost::json::object message;
};

// tools/call.
ModernRequest modern_call(std::string_view tool, boost::json::object arguments);

// A legacy message's bytes; `session` may be "".
std::string legacy_post(std::string_view session, const boost::json::object& message, HttpHeaders more = {});
boost::json::object legacy_request(std::int64_t id, std::string_view method, boost::json::object params = {});

// A body that must be JSON; {} and a failed test otherwise.
boost::json::object json_of(const HttpReply& reply);
// The message in an event's data line; {} for a comment or an event without data.
boost::json::object message_of(std::string_view event);
std::string id_of_event(std::string_view event);

class HttpServerProcess {
 public:
  // `--http 127.0.0.1:0` is added unless `options` say `--http` themselves.
  explicit HttpServerProcess(ServerOptions options = {});
  ~HttpServerProcess();  // SIGTERM, and waits

  ServerProcess& process() { return process_; }
  HttpClient client() const { return HttpClient(port_); }
  HttpReply ask(std::string_view bytes) const { return client().ask(bytes); }  // on a connection of its own

  // structuredContent of a modern call.
  boost::json::object call(std::string_view tool, boost::json::object arguments) const;

  // The id of a new session, initialized with `version`.
  std::string initialize(std::string_view version = "2025-11-25") const;

 private:
  ServerProcess process_;
  std::uint16_t port_ = 0;
};

}  // namespace adit::test
