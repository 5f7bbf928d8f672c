// The only place that builds the parts of a server and joins them.
#pragma once

#include "adit/io/event_loop.h"
#include "adit/mcp/server.h"
#include "adit/net/http_client.h"
#include "adit/socrata/client.h"
#include "adit/workspace/workspaces.h"
#include "options.h"

#include <memory>

namespace adit::app {

struct Service {
  std::unique_ptr<workspace::Workspaces> workspaces;
  std::unique_ptr<net::HttpClient> http;
  std::unique_ptr<socrata::Upstream> upstream;
  std::unique_ptr<socrata::Client> portals;
  std::unique_ptr<mcp::Server> server;

  boost::asio::awaitable<void> shut_down();  // ends workers and requests; called once, last
};

Result<Service> make_service(io::EventLoop& loop, const ServerOptions& options);

std::string own_program();  // absolute path of the running program

}  // namespace adit::app
