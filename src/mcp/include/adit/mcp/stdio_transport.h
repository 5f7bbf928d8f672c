// MCP over stdio (rules S1 to S8 of docs/protocol.md): one message a line, answers on the private copy of descriptor 1.
#pragma once

#include "adit/base/file_descriptor.h"
#include "adit/io/event_loop.h"
#include "adit/mcp/server.h"

#include <cstddef>

namespace adit::mcp {

struct StdioOptions {
  std::size_t largest_message = 8u << 20;
};

// Serves until end of file, a broken output or SIGTERM/SIGINT; then running calls get a moment to end and are
// cancelled, and what is written is flushed. The caller shuts down what the tools use, within what is left of two
// seconds (S3).
boost::asio::awaitable<void> serve_stdio(io::EventLoop& loop, const Server& server, FileDescriptor input,
                                         FileDescriptor output, StdioOptions options);

}  // namespace adit::mcp
