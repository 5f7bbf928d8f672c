#include "adit/io/child_process.h"

#include "support/server_process.h"
#include "support/temporary_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace adit::io {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;

struct Pipe {
  FileDescriptor read, write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

std::string read_all(const FileDescriptor& fd) {
  std::string text;
  char chunk[4096];
  for (ssize_t size = 0; (size = ::read(fd.get(), chunk, sizeof chunk)) > 0;) {
    text.append(chunk, static_cast<std::size_t>(size));
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What this process writes to descriptor 2 while the object lives.
class CapturedStderr {
 public:
  CapturedStderr() : saved_(::dup(2)) {
    const FileDescriptor file(::open(path().c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    ::fflush(stderr);
    ::dup2(file.get(), 2);
  }
  ~CapturedStderr() { ::dup2(saved_.get(), 2); }

  std::string text() const {
    ::fflush(stderr);
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t count(std::string_view part) const {
    std::size_t found = 0;
    const auto all = text();
    for (auto at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++found;
    return found;
  }

 private:
  std::string path() const { return directory_.path() + "/stderr"; }
  test::TemporaryDirectory directory_;
  FileDescriptor saved_;
};

class ChildProcessTest : public testing::Test {
 protected:
  static SpawnRequest shell(std::string script) {
    SpawnRequest request;
    request.program = "/bin/sh";
    request.arguments = {"-c", std::move(script)};
    request.environment = {"PATH=/usr/bin:/bin"};
    return request;
  }

  std::unique_ptr<ChildProcess> start(SpawnRequest request) {
    auto child = ChildProcess::spawn(loop_, std::move(request));
    if (child.ok()) return std::move(child).value();
    ADD_FAILURE() << child.error().message;
    return nullptr;
  }

  static awaitable<void> keep_status(ChildProcess& child, std::optional<ExitStatus>& status) {
    status = co_await child.exited();
  }

  ExitStatus wait(ChildProcess& child) {
    std::optional<ExitStatus> status;
    run_to_end(loop_, keep_status(child, status));
    return *status;
  }

  void run_for(std::chrono::milliseconds time) {
    run_to_end(loop_, sleep_until(loop_, EventLoop::Clock::now() + time));
  }

  template <class Condition>
  bool comes_true(const Condition& condition) {
    const auto end = EventLoop::Clock::now() + 20s;
    while (!condition()) {
      if (EventLoop::Clock::now() > end) return false;
      run_for(5ms);
    }
    return true;
  }

  // The child's standard output, whole.
  std::string output_of(SpawnRequest request) {
    auto out = make_pipe();
    request.standard_output = std::move(out.write);
    const auto child = start(std::move(request));
    if (!child) return "";
    const auto text = read_all(out.read);
    const auto status = wait(*child);
    EXPECT_EQ(status.signal, 0);
    return text;
  }

  EventLoop loop_;
};

// ---- How it ends

TEST_F(ChildProcessTest, TellsTheExitCode) {
  for (const int code : {0, 1, 7, 127, 255}) {
    SCOPED_TRACE(code);
    const auto child = start(shell("exit " + std::to_string(code)));
    const auto status = wait(*child);
    EXPECT_EQ(status.code, code);
    EXPECT_EQ(status.signal, 0);
    EXPECT_TRUE(child->has_exited());
  }
}

TEST_F(ChildProcessTest, TellsTheSignalThatEndedIt) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGPIPE, SIGABRT}) {
    SCOPED_TRACE(signal);
    const auto child = start(shell(fmt::format("ulimit -c 0; kill -{} $$; sleep 30", signal)));
    const auto status = wait(*child);
    EXPECT_EQ(status.signal, signal);
    EXPECT_EQ(status.code, 0);
  }
}

TEST_F(ChildProcessTest, IsSentSignals) {
  // The trap shows that the signal itself arrives, and not SIGKILL for it.
  auto out = make_pipe();
  auto request = shell("trap 'exit 42' TERM; echo ready; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); sleep 0.01; done");
  request.standard_output = std::move(out.write);
  const auto child = start(std::move(request));
  char ready[6];
  ASSERT_EQ(::read(out.read.get(), ready, sizeof ready), 6);
  EXPECT_FALSE(child->has_exited());
  child->kill(SIGTERM);
  EXPECT_EQ(wait(*child).code, 42);
}

TEST_F(ChildProcessTest, EndedOnceItIsSentNothingMore) {
  const auto child = start(shell("exit 3"));
  wait(*child);
  child->kill(SIGKILL);
  child->kill(SIGKILL);
  EXPECT_EQ(wait(*child).code, 3);
}

TEST_F(ChildProcessTest, AnyNumberMayWaitForItsEnd) {
  const auto child = start(shell("sleep 0.05; exit 9"));
  std::optional<ExitStatus> first, second;
  TaskGroup group(loop_);
  group.spawn(keep_status(*child, first));
  group.spawn(keep_status(*child, second));
  run_to_end(loop_, group.join());
  EXPECT_EQ(first->code, 9);
  EXPECT_EQ(second->code, 9);
  EXPECT_EQ(wait(*child).code, 9) << "and afterwards";
}

TEST_F(ChildProcessTest, DestroyingItKillsItAndLeavesNoZombie) {
  auto out = make_pipe();
  auto request = shell("trap '' TERM INT HUP; echo ready; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); sleep 0.01; done");
  request.standard_output = std::move(out.write);
  auto child = start(std::move(request));
  char ready[6];
  ASSERT_EQ(::read(out.read.get(), ready, sizeof ready), 6);
  const auto pid = child->pid();
  ASSERT_EQ(::kill(pid, 0), 0);
  child.reset();
  EXPECT_TRUE(comes_true([&] { return ::kill(pid, 0) != 0; })) << "a zombie still takes signals";
}

TEST_F(ChildProcessTest, AProgramThatCannotBeStartedIsAnErrorThatNamesItAndKeepsNoDescriptor) {
  const auto open_descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
  };
  // Warm-up: the loop makes its own descriptors at first use.
  wait(*start(shell("exit 0")));
  run_for(20ms);
  const auto before = open_descriptors();
  for (const auto* program : {"/nonexistent/program", "/etc/hostname", "/tmp"}) {
    SCOPED_TRACE(program);
    SpawnRequest request;
    request.program = program;
    request.log_name = "child";
    request.standard_input = make_pipe().read;
    request.channel = make_pipe().write;
    const auto child = ChildProcess::spawn(loop_, std::move(request));
    ASSERT_FALSE(child.ok());
    EXPECT_EQ(child.error().code, ErrorCode::internal);
    EXPECT_NE(child.error().message.find(program), std::string::npos) << child.error().message;
  }
  EXPECT_EQ(open_descriptors(), before);
}

// ---- What it gets

TEST_F(ChildProcessTest, GetsItsArgumentsAsTheyAre) {
  auto request = shell("for a in \"$@\"; do printf '[%s]' \"$a\"; done");
  request.arguments.insert(request.arguments.end(), {"zero", "", "a b", "*", "$HOME", "é\n"});
  EXPECT_EQ(output_of(std::move(request)), "[][a b][*][$HOME][é\n]");
}

TEST_F(ChildProcessTest, GetsExactlyTheListedEnvironment) {
  ::setenv("ADIT_TEST_SECRET", "token", 1);
  SpawnRequest request;
  request.program = "/usr/bin/env";
  request.environment = {"ONE=1", "EMPTY=", "TEXT=a b=c"};
  EXPECT_EQ(output_of(std::move(request)), "ONE=1\nEMPTY=\nTEXT=a b=c\n");
  SpawnRequest none;
  none.program = "/usr/bin/env";
  EXPECT_EQ(output_of(std::move(none)), "");
  ::unsetenv("ADIT_TEST_SECRET");
}

// The descriptors of a child as it lists them itself, without the one it lists them with.
std::set<int> descriptors(const std::string& listing) {
  std::set<int> found;
  for (const auto& line : lines_of(listing)) {
    const auto arrow = line.find(" -> ");
    if (arrow == std::string::npos || line.find("/proc/", arrow) != std::string::npos) continue;
    found.insert(std::stoi(line.substr(line.rfind(' ', arrow - 1) + 1)));
  }
  return found;
}

SpawnRequest list_descriptors() {
  SpawnRequest request;
  request.program = "/bin/ls";
  request.arguments = {"-l", "/proc/self/fd"};
  return request;
}

TEST_F(ChildProcessTest, InheritsNothingBesideItsOwnDescriptors) {
  // As a library would leave them: open, and without CLOEXEC.
  std::vector<FileDescriptor> leaky;
  for (int i = 0; i < 5; ++i) leaky.emplace_back(::open("/dev/null", O_RDONLY));
  leaky.emplace_back(::fcntl(leaky[0].get(), F_DUPFD, 200));
  const auto plain = output_of(list_descriptors());
  EXPECT_EQ(descriptors(plain), (std::set<int>{0, 1, 2})) << plain;

  auto with_channel = list_descriptors();
  auto channel = make_pipe();
  with_channel.channel = std::move(channel.write);
  const auto listing = output_of(std::move(with_channel));
  EXPECT_EQ(descriptors(listing), (std::set<int>{0, 1, 2, 3})) << listing;

  auto with_log = list_descriptors();
  with_log.log_name = "child";
  const auto logged = output_of(std::move(with_log));
  EXPECT_EQ(descriptors(logged), (std::set<int>{0, 1, 2})) << logged;
}

TEST_F(ChildProcessTest, DescriptorsThatAreNotGivenAreTheNullDevice) {
  auto out = make_pipe();
  auto request = shell("readlink /proc/self/fd/0 >&3; cat; echo dropped; exec 4>&1; readlink /proc/$$/fd/4 >&3");
  request.channel = std::move(out.write);
  const auto child = start(std::move(request));
  EXPECT_EQ(read_all(out.read), "/dev/null\n/dev/null\n");
  EXPECT_EQ(wait(*child).code, 0);
}

TEST_F(ChildProcessTest, ReadsAndWritesTheGivenDescriptors) {
  auto in = make_pipe(), out = make_pipe(), channel = make_pipe();
  auto request = shell("read line; echo \"out $line\"; echo \"channel $line\" >&3");
  request.standard_input = std::move(in.read);
  request.standard_output = std::move(out.write);
  request.channel = std::move(channel.write);
  const auto child = start(std::move(request));
  ASSERT_EQ(::write(in.write.get(), "hello\n", 6), 6);
  EXPECT_EQ(read_all(out.read), "out hello\n");
  EXPECT_EQ(read_all(channel.read), "channel hello\n");
  EXPECT_EQ(wait(*child).code, 0);
}

// A plain dup2 of one after the other would overwrite the second's source with the first.
TEST_F(ChildProcessTest, GivenDescriptorsMayHaveEachOthersNumbers) {
  const FileDescriptor saved(::fcntl(0, F_DUPFD_CLOEXEC, 100));
  auto in = make_pipe(), out = make_pipe();
  ::dup2(out.write.get(), 0);
  auto request = shell("read line; echo \"out $line\"");
  request.standard_input = std::move(in.read);
  request.standard_output = FileDescriptor(0);
  out.write.reset();
  const auto child = start(std::move(request));
  request = {};
  ::dup2(saved.get(), 0);
  ASSERT_EQ(::write(in.write.get(), "hello\n", 6), 6);
  in.write.reset();
  EXPECT_EQ(read_all(out.read), "out hello\n");
  EXPECT_EQ(wait(*child).code, 0);
}

TEST_F(ChildProcessTest, ItsEndsOfPipesAreClosedHere) {
  auto out = make_pipe();
  auto request = shell("exit 0");
  request.standard_output = std::move(out.write);
  const auto child = start(std::move(request));
  wait(*child);
  EXPECT_EQ(read_all(out.read), "") << "returns only when no writer is left";
}

TEST_F(ChildProcessTest, SignalsThatWeIgnoreOrBlockAreNormalForIt) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  sigset_t blocked, saved;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &saved);
  SpawnRequest request;
  request.program = "/bin/grep";
  request.arguments = {"-E", "^Sig(Blk|Ign)", "/proc/self/status"};
  const auto text = output_of(std::move(request));
  ::pthread_sigmask(SIG_SETMASK, &saved, nullptr);
  ::signal(SIGPIPE, before);
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), 2u) << text;
  EXPECT_EQ(std::stoull(lines[0].substr(lines[0].find(':') + 1), nullptr, 16), 0u) << text;
  EXPECT_EQ(std::stoull(lines[1].substr(lines[1].find(':') + 1), nullptr, 16) & (1u << (SIGPIPE - 1)), 0u) << text;
}

// ---- Its stderr

TEST_F(ChildProcessTest, LinesOfItsStderrAreLoggedUnderItsName) {
  const CapturedStderr captured;
  auto request = shell("echo one >&2; printf 'two\\033[31m\\n' >&2; echo out; printf 'no line end' >&2");
  request.log_name = "the-child";
  const auto child = start(std::move(request));
  wait(*child);
  EXPECT_TRUE(comes_true([&] { return captured.count("no line end") == 1; })) << captured.text();
  const auto lines = lines_of(captured.text());
  ASSERT_EQ(lines.size(), 3u) << captured.text();
  EXPECT_TRUE(lines[0].ends_with(": the-child: one")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with(": the-child: two\\x1b[31m")) << "control characters are shown: " << lines[1];
  EXPECT_TRUE(lines[2].ends_with(": the-child: no line end")) << lines[2];
}

TEST_F(ChildProcessTest, ALineOfItsStderrIsCutAt1000Bytes) {
  const CapturedStderr captured;
  auto request = shell("head -c 5000 /dev/zero | tr '\\0' Q >&2; echo >&2; echo next >&2");
  request.log_name = "child";
  const auto child = start(std::move(request));
  wait(*child);
  EXPECT_TRUE(comes_true([&] { return captured.count("child: next") == 1; })) << captured.text();
  EXPECT_EQ(captured.count("Q"), 1000u);
}

TEST_F(ChildProcessTest, AFloodOfItsStderrIsCutAndDoesNotBlockIt) {
  const CapturedStderr captured;
  auto request = shell("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done >&2; exit 5");
  request.log_name = "child";
  const auto child = start(std::move(request));
  EXPECT_EQ(wait(*child).code, 5);
  run_for(100ms);
  EXPECT_EQ(captured.count("child: line"), 200u);
  EXPECT_EQ(captured.count("left out"), 1u);
}

TEST_F(ChildProcessTest, WithoutALogNameItSharesOurStderr) {
  const CapturedStderr captured;
  const auto child = start(shell("echo straight >&2"));
  wait(*child);
  EXPECT_EQ(captured.text(), "straight\n");
}

}  // namespace
}  // namespace adit::io
