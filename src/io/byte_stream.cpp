#include "adit/io/byte_stream.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <fmt/format.h>
#include <sys/socket.h>

#include <cstring>

namespace adit::io {
namespace asio = boost::asio;
using Socket = asio::local::stream_protocol::socket;

namespace {

// The default of 208 KB would cost a switch of processes for each few rows' page.
constexpr int kSocketBufferBytes = 1 << 20;

Error stream_error(const boost::system::error_code& error) {
  return Error{.code = ErrorCode::unavailable, .reason = "closed", .message = error.message(), .hint = ""};
}

}  // namespace

struct ByteStream::State {
  explicit State(Socket opened) : socket(std::move(opened)) {}
  Socket socket;
  bool ended = false;  // the peer's end is told once by the reactor, and by us as often as asked
};

ByteStream::ByteStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteStream::~ByteStream() = default;

Result<ByteStream::Pair> ByteStream::socket_pair(EventLoop& loop) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return internal_error(fmt::format("socketpair: {}", std::strerror(errno)));
  }
  for (const int end : ends) {
    ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kSocketBufferBytes, sizeof kSocketBufferBytes);
  }
  auto state = std::make_unique<State>(Socket(loop.context(), asio::local::stream_protocol(), ends[0]));
  return Pair{.ours = std::unique_ptr<ByteStream>(new ByteStream(std::move(state))), .theirs = FileDescriptor(ends[1])};
}

Task<std::size_t> ByteStream::read_some(std::span<char> buffer) {
  if (state_->ended) co_return std::size_t{0};
  auto [error, size] = co_await state_->socket.async_read_some(asio::buffer(buffer.data(), buffer.size()),
                                                               asio::as_tuple(asio::use_awaitable));
  if (error == asio::error::eof) {
    state_->ended = true;
    co_return std::size_t{0};
  }
  if (error) co_return stream_error(error);
  co_return size;
}

Task<void> ByteStream::write(std::string bytes) {
  auto [error, size] =
      co_await asio::async_write(state_->socket, asio::buffer(bytes), asio::as_tuple(asio::use_awaitable));
  if (error) co_return stream_error(error);
  co_return Result<void>();
}

void ByteStream::close() {
  boost::system::error_code ignored;
  state_->socket.close(ignored);
}

}  // namespace adit::io
