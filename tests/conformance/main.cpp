// adit-conformance [--http ADDRESS]: the protocol core with the fixtures of the official conformance suite, over stdio
// or HTTP. Built for the tests, not installed.
#include "adit/io/standard_streams.h"
#include "adit/mcp/http_transport.h"
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

int fail(const Error& error) {
  fmt::print(stderr, "adit-conformance: {}\n", error.message);
  return 1;
}

int serve_http(io::EventLoop& loop, const mcp::Server& server, std::string address) {
  mcp::HttpOptions options;
  options.address = std::move(address);
  auto transport = mcp::HttpTransport::start(loop, server, std::move(options));
  if (!transport.ok()) return fail(transport.error());
  fmt::print(stderr, "adit-conformance: listening on {}\n", (*transport)->url());
  io::run_to_end(loop, mcp::serve_http(loop, **transport));
  return 0;
}

int serve_stdio(io::EventLoop& loop, const mcp::Server& server) {
  auto output = io::take_standard_output();
  if (!output.ok()) return fail(output.error());
  FileDescriptor input(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  io::run_to_end(loop, mcp::serve_stdio(loop, server, std::move(input), std::move(*output), mcp::StdioOptions{}));
  return 0;
}

int run(const std::vector<std::string>& arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  io::EventLoop loop;
  mcp::ChangeFeed changes;
  const auto server = make_server(loop, changes);
  if (arguments.empty()) return serve_stdio(loop, server);
  if (arguments.size() == 2 && arguments[0] == "--http") return serve_http(loop, server, arguments[1]);
  fmt::print(stderr, "usage: adit-conformance [--http ADDRESS:PORT]\n");
  return 2;
}

}  // namespace
}  // namespace adit::conformance

int main(int argc, char** argv) { return adit::conformance::run({argv + 1, argv + argc}); }
