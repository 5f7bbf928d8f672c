// adit-conformance: the protocol core with the fixtures of the official conformance suite, over stdio. Built for the
// tests, not installed.
#include "adit/io/standard_streams.h"
#include "adit/mcp/stdio_transport.h"
#include "fixtures.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

namespace adit::conformance {
namespace {

template <class T>
void append(std::vector<T>& all, std::vector<T> some) {
  all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
}

mcp::Server make_server(io::EventLoop& loop, mcp::ChangeFeed& changes) {
  mcp::ServerInfo info{.name = "adit-conformance",
                       .title = "adit's protocol core",
                       .version = "1.0.0",
                       .description = "Fixtures of the official conformance suite",
                       .instructions = "For tests."};
  mcp::Offer offer{.tools = content_tools(),
                   .resources = resources(),
                   .resource_templates = resource_templates(),
                   .prompts = prompts(),
                   .changes = &changes};
  append(offer.tools, reporting_tools(loop, changes));
  append(offer.tools, asking_tools());
  return mcp::Server(std::move(info), std::move(offer));
}

int run() {
  ::signal(SIGPIPE, SIG_IGN);
  auto output = io::take_standard_output();
  if (!output.ok()) {
    fmt::print(stderr, "adit-conformance: {}\n", output.error().message);
    return 1;
  }
  io::EventLoop loop;
  mcp::ChangeFeed changes;
  const auto server = make_server(loop, changes);
  FileDescriptor input(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  io::run_to_end(loop, mcp::serve_stdio(loop, server, std::move(input), std::move(*output), mcp::StdioOptions{}));
  return 0;
}

}  // namespace
}  // namespace adit::conformance

int main() { return adit::conformance::run(); }
