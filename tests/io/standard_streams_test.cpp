#include "adit/io/standard_streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace adit::io {
namespace {

using namespace std::chrono_literals;
using Clock = EventLoop::Clock;

constexpr std::size_t kMany = 10u << 20;

struct Pipe {
  FileDescriptor read, write;
};

Pipe make_pipe(int bytes = 64 << 10) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  ::fcntl(ends[1], F_SETPIPE_SZ, bytes);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void make_nonblocking(const FileDescriptor& fd) { ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK); }

std::string noise(std::size_t size) {
  std::mt19937 random(64);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

void write_all(const FileDescriptor& fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(fd.get(), bytes.data(), bytes.size());
    if (size < 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

std::string read_all(const FileDescriptor& fd) {
  std::string text;
  std::vector<char> chunk(10'000);
  for (ssize_t size = 0; (size = ::read(fd.get(), chunk.data(), chunk.size())) > 0;) {
    text.append(chunk.data(), static_cast<std::size_t>(size));
  }
  return text;
}

std::string read_exactly(const FileDescriptor& fd, std::size_t size) {
  std::string text(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::read(fd.get(), text.data() + have, size - have);
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

void run_for(EventLoop& loop, std::chrono::milliseconds time) {
  run_to_end(loop, sleep_until(loop, Clock::now() + time));
}

template <class Condition>
bool comes_true(EventLoop& loop, const Condition& condition) {
  const auto end = Clock::now() + 20s;
  while (!condition()) {
    if (Clock::now() > end) return false;
    run_for(loop, 2ms);
  }
  return true;
}

// Equal, told without printing megabytes.
void expect_same(const std::string& got, const std::string& wanted) {
  EXPECT_EQ(got.size(), wanted.size());
  EXPECT_TRUE(got == wanted) << "the bytes differ";
}

// ---- Input

TEST(InputThread, TenMegabytesThroughAPipeOf64KilobytesArriveInOrderThenTheEnd) {
  const auto sent = noise(kMany);
  auto pipe = make_pipe();
  EventLoop loop;
  std::string got;
  int ends = 0;
  std::thread writer([&] {
    write_all(pipe.write, sent);
    pipe.write.reset();
  });
  InputThread input(
      loop, std::move(pipe.read),
      [&](std::string bytes) {
        EXPECT_EQ(ends, 0);
        EXPECT_FALSE(bytes.empty());
        got += bytes;
      },
      [&] {
        ++ends;
        loop.stop();
      });
  loop.run();
  writer.join();
  run_for(loop, 20ms);
  expect_same(got, sent);
  EXPECT_EQ(ends, 1);
}

TEST(InputThread, BytesAreGivenWithoutWaitingForMore) {
  auto pipe = make_pipe();
  EventLoop loop;
  std::string got;
  InputThread input(loop, std::move(pipe.read), [&](std::string bytes) { got += bytes; }, [] {});
  for (const char* piece : {"a", "b", "c"}) {
    write_all(pipe.write, piece);
    EXPECT_TRUE(comes_true(loop, [&] { return got.ends_with(piece); }));
  }
  EXPECT_EQ(got, "abc");
}

TEST(InputThread, ANonBlockingDescriptorIsNoEndOfInput) {
  auto pipe = make_pipe();
  make_nonblocking(pipe.read);
  EventLoop loop;
  std::string got;
  int ends = 0;
  InputThread input(loop, std::move(pipe.read), [&](std::string bytes) { got += bytes; }, [&] { ++ends; });
  run_for(loop, 30ms);
  EXPECT_EQ(ends, 0);
  write_all(pipe.write, "late");
  EXPECT_TRUE(comes_true(loop, [&] { return got == "late"; }));
  EXPECT_EQ(ends, 0);
  pipe.write.reset();
  EXPECT_TRUE(comes_true(loop, [&] { return ends == 1; }));
}

TEST(InputThread, ADescriptorThatCannotBeReadIsAnEnd) {
  auto pipe = make_pipe();
  EventLoop loop;
  int ends = 0;
  InputThread input(loop, std::move(pipe.write), [](std::string) { ADD_FAILURE(); }, [&] { ++ends; });
  EXPECT_TRUE(comes_true(loop, [&] { return ends == 1; }));
}

TEST(InputThread, CallbacksRunOnTheLoopsThread) {
  auto pipe = make_pipe();
  EventLoop loop;
  const auto home = std::this_thread::get_id();
  write_all(pipe.write, "x");
  pipe.write.reset();
  std::vector<std::thread::id> threads;
  InputThread input(
      loop, std::move(pipe.read), [&](std::string) { threads.push_back(std::this_thread::get_id()); },
      [&] {
        threads.push_back(std::this_thread::get_id());
        loop.stop();
      });
  loop.run();
  EXPECT_EQ(threads, (std::vector<std::thread::id>{home, home}));
}

TEST(InputThread, NoCallbackRunsAfterItIsDestroyedThoughBytesAreWaiting) {
  auto pipe = make_pipe();
  EventLoop loop;
  int calls = 0;
  {
    InputThread input(loop, std::move(pipe.read), [&](std::string) { ++calls; }, [&] { ++calls; });
    write_all(pipe.write, "waiting");
    pipe.write.reset();
    std::this_thread::sleep_for(50ms);  // both are posted by now; the loop has not run
  }
  run_for(loop, 50ms);
  EXPECT_EQ(calls, 0);
}

TEST(InputThread, DestroyingItWhileItIsBlockedDoesNotWait) {
  ::signal(SIGPIPE, SIG_IGN);
  auto pipe = make_pipe();
  EventLoop loop;
  int calls = 0;
  auto input =
      std::make_unique<InputThread>(loop, std::move(pipe.read), [&](std::string) { ++calls; }, [&] { ++calls; });
  std::this_thread::sleep_for(30ms);
  const auto start = Clock::now();
  input.reset();
  EXPECT_LT(Clock::now() - start, 5s);
  // What it was blocked on ends: the thread goes, and its descriptor with it.
  write_all(pipe.write, "x");
  bool closed = false;
  for (int i = 0; i < 500 && !closed; ++i) {
    std::this_thread::sleep_for(2ms);
    pollfd poll_fd{.fd = pipe.write.get(), .events = 0, .revents = 0};
    ::poll(&poll_fd, 1, 0);
    closed = (poll_fd.revents & POLLERR) != 0;
  }
  EXPECT_TRUE(closed) << "the reading end is still open";
  run_for(loop, 20ms);
  EXPECT_EQ(calls, 0);
}

TEST(InputThread, APeerThatIsFasterThanTheLoopIsHeldBack) {
  auto pipe = make_pipe();
  make_nonblocking(pipe.write);
  EventLoop loop;
  std::size_t got = 0;
  InputThread input(loop, std::move(pipe.read), [&](std::string bytes) { got += bytes.size(); }, [] {});
  const std::string chunk(64 << 10, 'x');
  std::size_t sent = 0;
  for (auto last = Clock::now(); Clock::now() - last < 300ms && sent < (64u << 20);) {
    const ssize_t size = ::write(pipe.write.get(), chunk.data(), chunk.size());
    if (size > 0) {
      sent += static_cast<std::size_t>(size);
      last = Clock::now();
    } else {
      std::this_thread::sleep_for(1ms);
    }
  }
  EXPECT_GE(sent, 16u << 20) << "an ordinary large message must not be held back";
  EXPECT_LE(sent, 18u << 20) << "the memory for what the loop has not taken is bounded";
  EXPECT_TRUE(comes_true(loop, [&] { return got == sent; })) << got << " of " << sent;
  // And it goes on.
  ASSERT_GT(::write(pipe.write.get(), "x", 1), 0);
  EXPECT_TRUE(comes_true(loop, [&] { return got == sent + 1; }));
}

// A callback owns things and may end its own thread; what it owns must live until it returns.
TEST(InputThread, ACallbackMayDestroyTheThreadThatCallsIt) {
  for (const bool at_end : {false, true}) {
    SCOPED_TRACE(at_end);
    auto pipe = make_pipe();
    EventLoop loop;
    std::unique_ptr<InputThread> input;
    const auto owned = std::make_shared<std::string>("still here");
    std::string seen;
    const auto end_it = [&, owned] {
      input.reset();
      seen += *owned;
    };
    write_all(pipe.write, "x");
    pipe.write.reset();
    input = std::make_unique<InputThread>(
        loop, std::move(pipe.read), [at_end, end_it](const std::string&) { at_end ? void() : end_it(); }, end_it);
    EXPECT_TRUE(comes_true(loop, [&] { return !seen.empty(); }));
    run_for(loop, 20ms);
    EXPECT_EQ(seen, "still here");
  }
}

// ---- Output

TEST(OutputThread, TenMegabytesInOnePieceGoThroughAPipeOf64Kilobytes) {
  auto pipe = make_pipe();
  EventLoop loop;
  const auto sent = noise(kMany);
  std::string got;
  std::thread reader([&] { got = read_exactly(pipe.read, kMany); });
  OutputThread output(loop, std::move(pipe.write), [] { ADD_FAILURE(); });
  output.write(sent);
  EXPECT_TRUE(output.flush(Clock::now() + 20s));
  reader.join();
  expect_same(got, sent);
}

TEST(OutputThread, ASocketWithASmallBufferIsWrittenWholeToo) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  FileDescriptor ours(ends[0]), theirs(ends[1]);
  const int small = 4096;
  ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  EventLoop loop;
  const auto sent = noise(1u << 20);
  std::string got;
  std::thread reader([&] { got = read_exactly(theirs, sent.size()); });
  OutputThread output(loop, std::move(ours), [] { ADD_FAILURE(); });
  output.write(sent);
  reader.join();
  expect_same(got, sent);
}

// More pieces than one writev takes, queued while the thread is blocked in the first.
TEST(OutputThread, ManyPiecesKeepTheirOrderAcrossAFullPipe) {
  for (const bool nonblocking : {false, true}) {
    SCOPED_TRACE(nonblocking);
    auto pipe = make_pipe();
    if (nonblocking) make_nonblocking(pipe.write);
    EventLoop loop;
    std::string sent = noise(3u << 20);
    OutputThread output(loop, std::move(pipe.write), [] { ADD_FAILURE(); });
    output.write(sent);
    for (int i = 0; i < 5000; ++i) {
      auto piece = fmt::format("{}\n", i) + std::string(static_cast<std::size_t>(i % 1500), 'x');
      sent += piece;
      output.write(std::move(piece));
      output.write("");
    }
    std::string got;
    std::thread reader([&] { got = read_exactly(pipe.read, sent.size()); });
    EXPECT_TRUE(output.flush(Clock::now() + 20s));
    reader.join();
    expect_same(got, sent);
  }
}

TEST(OutputThread, PiecesOfManyThreadsAreNeverMixed) {
  auto pipe = make_pipe();
  EventLoop loop;
  auto output = std::make_unique<OutputThread>(loop, std::move(pipe.write), [] { ADD_FAILURE(); });
  std::string got;
  std::thread reader([&] { got = read_all(pipe.read); });
  std::vector<std::thread> writers;
  for (char c = 'a'; c < 'e'; ++c) {
    writers.emplace_back([&output, c] {
      for (int i = 0; i < 200; ++i) output->write(std::string(5000, c) + "\n");
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_TRUE(output->flush(Clock::now() + 20s));
  output.reset();
  reader.join();  // the end of the pipe comes with the end of the writing thread
  ASSERT_EQ(got.size(), 4u * 200u * 5001u);
  for (std::size_t at = 0; at < got.size(); at += 5001) {
    ASSERT_EQ(got.substr(at, 5001), std::string(5000, got[at]) + "\n");
  }
}

TEST(OutputThread, FlushGivesUpAtItsTimeAndNothingIsLost) {
  auto pipe = make_pipe();
  EventLoop loop;
  const auto sent = noise(kMany);
  OutputThread output(loop, std::move(pipe.write), [] { ADD_FAILURE(); });
  output.write(sent);
  const auto start = Clock::now();
  EXPECT_FALSE(output.flush(start + 50ms));
  EXPECT_GE(Clock::now() - start, 50ms);
  EXPECT_LT(Clock::now() - start, 10s);
  std::string got;
  std::thread reader([&] { got = read_exactly(pipe.read, kMany); });
  EXPECT_TRUE(output.flush(Clock::now() + 20s));
  reader.join();
  expect_same(got, sent);
}

TEST(OutputThread, FlushOfNothingIsDoneAtOnce) {
  auto pipe = make_pipe();
  EventLoop loop;
  OutputThread output(loop, std::move(pipe.write), [] { ADD_FAILURE(); });
  output.write("");
  EXPECT_TRUE(output.flush(Clock::now() - 1s));
}

// SIGPIPE is not ignored here: it must not reach the process.
TEST(OutputThread, APeerThatIsGoneIsToldOnceOnTheLoop) {
  const auto before = ::signal(SIGPIPE, SIG_DFL);
  auto pipe = make_pipe();
  EventLoop loop;
  const auto home = std::this_thread::get_id();
  std::vector<std::thread::id> told;
  OutputThread output(loop, std::move(pipe.write), [&] { told.push_back(std::this_thread::get_id()); });
  pipe.read.reset();
  output.write("lost");
  EXPECT_TRUE(comes_true(loop, [&] { return told.size() == 1; }));
  output.write("dropped");
  EXPECT_FALSE(output.flush(Clock::now() + 5s));
  run_for(loop, 20ms);
  EXPECT_EQ(told, std::vector<std::thread::id>{home});
  ::signal(SIGPIPE, before);
}

TEST(OutputThread, APeerThatGoesWhileWeAreBlockedIsTold) {
  auto pipe = make_pipe();
  EventLoop loop;
  int told = 0;
  OutputThread output(loop, std::move(pipe.write), [&] { ++told; });
  output.write(noise(kMany));
  EXPECT_FALSE(output.flush(Clock::now() + 30ms));
  EXPECT_EQ(told, 0);
  pipe.read.reset();
  EXPECT_FALSE(output.flush(Clock::now() + 10s));
  EXPECT_TRUE(comes_true(loop, [&] { return told == 1; }));
}

TEST(OutputThread, NothingIsToldAfterItIsDestroyed) {
  auto pipe = make_pipe();
  EventLoop loop;
  int told = 0;
  {
    OutputThread output(loop, std::move(pipe.write), [&] { ++told; });
    pipe.read.reset();
    output.write("lost");
    EXPECT_FALSE(output.flush(Clock::now() + 10s));  // found to be broken; the loop has not run
  }
  run_for(loop, 30ms);
  EXPECT_EQ(told, 0);
}

TEST(OutputThread, DestroyingItWhileItIsBlockedDoesNotWait) {
  auto pipe = make_pipe();
  EventLoop loop;
  int told = 0;
  auto output = std::make_unique<OutputThread>(loop, std::move(pipe.write), [&] { ++told; });
  output->write(noise(kMany));
  output->write("never written");
  EXPECT_FALSE(output->flush(Clock::now() + 30ms));
  const auto start = Clock::now();
  output.reset();
  EXPECT_LT(Clock::now() - start, 5s);
  pipe.read.reset();  // frees the thread
  run_for(loop, 50ms);
  EXPECT_EQ(told, 0);
}

TEST(OutputThread, DestroyedItDropsWhatIsNotBegun) {
  auto pipe = make_pipe();
  EventLoop loop;
  const auto begun = noise(kMany);
  auto output = std::make_unique<OutputThread>(loop, std::move(pipe.write), [] {});
  output->write(begun);
  EXPECT_FALSE(output->flush(Clock::now() + 50ms));
  output->write("never written");
  output.reset();
  const auto got = read_all(pipe.read);
  expect_same(got, begun);
}

TEST(OutputThread, AsManyMessagesAsYouLikeWaitWithoutTheCallerWaiting) {
  auto pipe = make_pipe();
  EventLoop loop;
  OutputThread output(loop, std::move(pipe.write), [] { ADD_FAILURE(); });
  const auto start = Clock::now();
  std::size_t size = 0;
  for (int i = 0; i < 10'000; ++i) {
    output.write(std::string(1000, 'x'));
    size += 1000;
  }
  EXPECT_LT(Clock::now() - start, 5s);
  EXPECT_EQ(read_exactly(pipe.read, size), std::string(size, 'x'));
}

TEST(OutputThread, TheCallbackMayDestroyTheThreadThatCallsIt) {
  ::signal(SIGPIPE, SIG_IGN);
  auto pipe = make_pipe();
  EventLoop loop;
  std::unique_ptr<OutputThread> output;
  const auto owned = std::make_shared<std::string>("still here");
  std::string seen;
  output = std::make_unique<OutputThread>(loop, std::move(pipe.write), [&, owned] {
    output.reset();
    seen += *owned;
  });
  pipe.read.reset();
  output->write("lost");
  EXPECT_TRUE(comes_true(loop, [&] { return !seen.empty(); }));
  EXPECT_EQ(seen, "still here");
}

// ---- Descriptor 1

// S2: what a library prints must not get into the stream of messages.
TEST(TakeStandardOutput, S2_C28_PrintsGoToStderrAndTheTakenDescriptorIsTheOldOutput) {
  std::fflush(stdout);
  std::fflush(stderr);
  const FileDescriptor saved_out(::fcntl(1, F_DUPFD_CLOEXEC, 100)), saved_err(::fcntl(2, F_DUPFD_CLOEXEC, 100));
  auto out = make_pipe(), err = make_pipe();
  ::dup2(out.write.get(), 1);
  ::dup2(err.write.get(), 2);
  out.write.reset();
  err.write.reset();
  std::string problem;
  {
    auto taken = take_standard_output();
    if (taken.ok()) {
      write_all(*taken, "message\n");
      if ((::fcntl(taken->get(), F_GETFD) & FD_CLOEXEC) == 0) problem = "children would inherit it";
      if (taken->get() < 3) problem = "it is a standard descriptor";
    } else {
      problem = taken.error().message;
    }
    write_all(FileDescriptor(::dup(1)), "a library's print\n");
  }
  ::dup2(saved_out.get(), 1);
  ::dup2(saved_err.get(), 2);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(read_all(out.read), "message\n");
  EXPECT_EQ(read_all(err.read), "a library's print\n");
}

}  // namespace
}  // namespace adit::io
