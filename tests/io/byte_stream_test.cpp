#include "adit/io/byte_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <string>
#include <thread>

namespace adit::io {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;

constexpr std::size_t kMany = 10u << 20;

class ByteStreamTest : public testing::Test {
 protected:
  ByteStreamTest() {
    auto pair = ByteStream::socket_pair(loop_);
    if (!pair.ok()) throw std::runtime_error(pair.error().message);
    ours_ = std::move(pair->ours);
    theirs_ = std::move(pair->theirs);
  }

  // Each coroutine runs to its end before its arguments go.
  static awaitable<void> read_once(ByteStream& stream, std::size_t room, std::optional<Result<std::string>>& got) {
    std::string buffer(room, '\0');
    auto size = co_await stream.read_some(buffer);
    if (size.ok()) got = buffer.substr(0, *size);
    else got = size.error();
  }
  static awaitable<void> read_to_end(ByteStream& stream, std::string& got) {
    std::string buffer(100'000, '\0');
    for (;;) {
      auto size = co_await stream.read_some(buffer);
      if (!size.ok()) ADD_FAILURE() << size.error().message;
      if (!size.ok() || *size == 0) co_return;
      got.append(buffer, 0, *size);
    }
  }
  static awaitable<void> write_once(ByteStream& stream, std::string bytes, std::optional<Result<void>>& result) {
    result = co_await stream.write(std::move(bytes));
  }

  Result<std::string> read(std::size_t room = 100) {
    std::optional<Result<std::string>> got;
    run_to_end(loop_, read_once(*ours_, room, got));
    return *got;
  }
  Result<void> write(std::string bytes) {
    std::optional<Result<void>> result;
    run_to_end(loop_, write_once(*ours_, std::move(bytes), result));
    return *result;
  }
  void run_for(std::chrono::milliseconds time) {
    run_to_end(loop_, sleep_until(loop_, EventLoop::Clock::now() + time));
  }

  static std::string noise(std::size_t size) {
    std::mt19937 random(3);
    std::string text(size, '\0');
    for (char& c : text) c = static_cast<char>(random());
    return text;
  }
  void write_theirs(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t size = ::send(theirs_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(size));
    }
  }

  EventLoop loop_;
  std::unique_ptr<ByteStream> ours_;
  FileDescriptor theirs_;
};

TEST_F(ByteStreamTest, TheOtherEndIsBlockingAndClosesOnExec) {
  EXPECT_EQ(::fcntl(theirs_.get(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(theirs_.get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(ByteStreamTest, ReadsWhatIsThereWithoutWaitingForAFullBuffer) {
  write_theirs("hello");
  const auto got = read(100);
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(*got, "hello");
}

TEST_F(ByteStreamTest, ABufferThatIsTooSmallGetsTheFirstBytesAndTheRestNext) {
  write_theirs("hello");
  EXPECT_EQ(*read(2), "he");
  EXPECT_EQ(*read(100), "llo");
}

TEST_F(ByteStreamTest, AReadWaitsForBytes) {
  std::thread writer([&] {
    std::this_thread::sleep_for(30ms);
    write_theirs("late");
  });
  EXPECT_EQ(*read(), "late");
  writer.join();
}

TEST_F(ByteStreamTest, TheEndOfThePeerIsNoErrorAndZeroBytes) {
  write_theirs("last");
  theirs_.reset();
  EXPECT_EQ(*read(), "last");
  const auto got = read();
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(*got, "");
}

// Asio waits for a new event of epoll after a read that found the end, and none comes.
TEST_F(ByteStreamTest, AtTheEndOfThePeerFurtherReadsGiveZeroBytesToo) {
  write_theirs("last");
  theirs_.reset();
  EXPECT_EQ(*read(), "last");
  EXPECT_EQ(*read(), "");
  std::optional<Result<std::string>> again;
  TaskGroup group(loop_);
  group.spawn(read_once(*ours_, 10, again));
  run_for(500ms);
  EXPECT_TRUE(again.has_value()) << "the second read never returns";
  ours_->close();
  run_to_end(loop_, group.join());
}

TEST_F(ByteStreamTest, AWriteOfTenMegabytesArrivesWhole) {
  const auto sent = noise(kMany);
  std::string got(kMany, '\0');
  std::thread reader([&] {
    std::size_t have = 0;
    while (have < kMany) {
      const ssize_t size = ::read(theirs_.get(), got.data() + have, std::min<std::size_t>(kMany - have, 10'000));
      if (size <= 0) break;
      have += static_cast<std::size_t>(size);
    }
  });
  EXPECT_TRUE(write(sent).ok());
  reader.join();
  EXPECT_TRUE(got == sent) << "the bytes differ";
}

TEST_F(ByteStreamTest, TenMegabytesOfThePeerArriveWhole) {
  const auto sent = noise(kMany);
  std::thread writer([&] {
    write_theirs(sent);
    theirs_.reset();
  });
  std::string got;
  run_to_end(loop_, read_to_end(*ours_, got));
  writer.join();
  EXPECT_EQ(got.size(), sent.size());
  EXPECT_TRUE(got == sent) << "the bytes differ";
}

TEST_F(ByteStreamTest, ReadsAndWritesGoOnSideBySide) {
  // An echo that reads nothing more while it writes: both directions are full at times.
  std::thread echo([&] {
    std::string chunk(50'000, '\0');
    for (ssize_t size = 0; (size = ::read(theirs_.get(), chunk.data(), chunk.size())) > 0;) {
      write_theirs(std::string_view(chunk).substr(0, static_cast<std::size_t>(size)));
    }
    theirs_.reset();
  });
  const auto sent = noise(kMany);
  std::string got;
  std::optional<Result<void>> written;
  TaskGroup group(loop_);
  group.spawn(write_once(*ours_, sent, written));
  std::optional<Result<std::string>> piece;
  while (got.size() < sent.size()) {
    run_to_end(loop_, read_once(*ours_, 100'000, piece));
    if (!piece->ok() || (*piece)->empty()) break;
    got += **piece;
  }
  run_to_end(loop_, group.join());
  EXPECT_TRUE(written->ok());
  EXPECT_TRUE(got == sent) << got.size() << " bytes";
  ours_->close();
  echo.join();
}

// SIGPIPE is not ignored here: it must not reach the process.
TEST_F(ByteStreamTest, AWriteToAPeerThatIsGoneIsAnErrorAndNoSignal) {
  const auto before = ::signal(SIGPIPE, SIG_DFL);
  theirs_.reset();
  const auto result = write("x");
  ::signal(SIGPIPE, before);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_EQ(result.error().reason, "closed");
}

TEST_F(ByteStreamTest, APeerThatGoesDuringAWriteIsAnError) {
  std::optional<Result<void>> result;
  TaskGroup group(loop_);
  group.spawn(write_once(*ours_, noise(kMany), result));
  run_for(20ms);
  EXPECT_FALSE(result.has_value()) << "the buffers are full, nobody reads";
  theirs_.reset();
  run_to_end(loop_, group.join());
  ASSERT_FALSE(result->ok());
  EXPECT_EQ(result->error().reason, "closed");
}

TEST_F(ByteStreamTest, CloseWakesTheReaderAndTheWriter) {
  std::optional<Result<std::string>> got;
  std::optional<Result<void>> result;
  TaskGroup group(loop_);
  group.spawn(read_once(*ours_, 10, got));
  group.spawn(write_once(*ours_, noise(kMany), result));
  run_for(20ms);
  EXPECT_FALSE(got.has_value());
  EXPECT_FALSE(result.has_value());
  ours_->close();
  run_to_end(loop_, group.join());
  EXPECT_FALSE(result->ok());
  EXPECT_TRUE(!got->ok() || (*got)->empty());
}

TEST_F(ByteStreamTest, CloseIsTheEndForThePeerAndMayBeCalledTwice) {
  ours_->close();
  ours_->close();
  char c;
  EXPECT_EQ(::read(theirs_.get(), &c, 1), 0);
  EXPECT_FALSE(write("x").ok());
  const auto got = read();
  EXPECT_TRUE(!got.ok() || got->empty());
}

TEST_F(ByteStreamTest, DestroyingItIsTheEndForThePeer) {
  ours_.reset();
  char c;
  EXPECT_EQ(::read(theirs_.get(), &c, 1), 0);
}

}  // namespace
}  // namespace adit::io
