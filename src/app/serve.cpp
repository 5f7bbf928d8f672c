// adit serve: MCP over stdio.
#include "commands.h"

#include "adit/io/standard_streams.h"
#include "adit/mcp/stdio_transport.h"
#include "wiring.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>

namespace adit::app {
namespace {

boost::asio::awaitable<void> serve_until_end(io::EventLoop& loop, Service& service, FileDescriptor output) {
  // Not before the first answer could be given: sweeping is nobody's wait.
  loop.post([&service] { service.workspaces->sweep(); });
  FileDescriptor input(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  co_await mcp::serve_stdio(loop, *service.server, std::move(input), std::move(output), mcp::StdioOptions{});
  co_await service.shut_down();
}

}  // namespace

int serve(const ServerOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  // Other processes of the same user may not read our memory or environment: tokens are in them.
  ::prctl(PR_SET_DUMPABLE, 0);
  auto output = io::take_standard_output();
  if (!output.ok()) {
    fmt::print(stderr, "adit: {}\n", output.error().message);
    return 1;
  }
  if (::isatty(STDIN_FILENO) != 0) {
    fmt::print(stderr,
               "adit {}: an MCP server on standard input and output. It is waiting for a client's messages;\n"
               "see adit --help for what else there is. Ctrl-D ends it.\n",
               ADIT_VERSION);
  }
  io::EventLoop loop;
  auto service = make_service(loop, options);
  if (!service.ok()) {
    fmt::print(stderr, "adit: {}. {}\n", service.error().message, service.error().hint);
    return 1;
  }
  io::run_to_end(loop, serve_until_end(loop, *service, std::move(*output)));
  return 0;
}

}  // namespace adit::app
