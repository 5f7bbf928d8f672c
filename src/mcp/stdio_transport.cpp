#include "adit/mcp/stdio_transport.h"

#include "adit/base/log.h"
#include "adit/io/signals.h"
#include "adit/io/standard_streams.h"
#include "adit/mcp/connection.h"
#include "line_splitter.h"

#include <fmt/format.h>

#include <signal.h>

namespace adit::mcp {
namespace {

// S3: everything has ended two seconds after the end of input. Calls that are nearly done may still answer.
constexpr auto kFinishGrace = std::chrono::milliseconds(400);
constexpr auto kFlushGrace = std::chrono::milliseconds(300);

}  // namespace

boost::asio::awaitable<void> serve_stdio(io::EventLoop& loop, const Server& server, FileDescriptor input,
                                         FileDescriptor output, StdioOptions options) {
  io::OneShot<bool> ended(loop);
  const auto end = [ended] { ended.set(true); };
  io::OutputThread out(loop, std::move(output), end);
  Connection connection(loop, server, [&out](Outgoing message) {
    message.line += '\n';
    out.write(std::move(message.line));
  });
  LineSplitter lines(
      options.largest_message, [&connection](std::string_view line) { connection.receive(line); },
      [&connection, &options] {
        connection.refuse(Error{.code = ErrorCode::invalid_request,
                                .reason = "",
                                .message = fmt::format("The message is longer than {} bytes", options.largest_message),
                                .hint = ""});
      });
  io::SignalWatch signals(loop, {SIGTERM, SIGINT}, [end](int) { end(); });
  io::InputThread in(
      loop, std::move(input), [&lines](std::string bytes) { lines.feed(bytes); },
      [&lines, end] {
        lines.end();
        end();
      });
  co_await ended.wait();

  connection.finish();
  io::Timer grace(loop);
  grace.start(io::EventLoop::Clock::now() + kFinishGrace, [&connection] { connection.cancel_all(); });
  co_await connection.join();
  if (!out.flush(io::EventLoop::Clock::now() + kFlushGrace)) log::info("the client did not take all answers");
}

}  // namespace adit::mcp
