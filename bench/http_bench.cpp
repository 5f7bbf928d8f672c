// make bench: a server over HTTP with 1,000 connections at rest and 64 at work, for a bounded time. Prints calls,
// failures, latency, and what memory, descriptors and processes are early and at the end. Nothing here fails.
#include "process_memory.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace adit::bench {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
namespace {

constexpr std::string_view kListening = "listening on http://127.0.0.1:";

struct Settings {
  std::string data = ".";
  int idle = 1'000;
  int busy = 64;
  double seconds = 10;
};

// The server as a child process, and its port.
struct ServerProgram {
  explicit ServerProgram(const std::string& root) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    std::vector<std::string> words{ADIT_BIN_DIR "/adit", "serve", "--http", "127.0.0.1:0", "--root", root};
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    if (::posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) {
      throw std::runtime_error("cannot start adit");
    }
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string said;
    char chunk[4096];
    while (said.find(kListening) == std::string::npos) {
      const auto size = ::read(ends[0], chunk, sizeof chunk);
      if (size <= 0) throw std::runtime_error("the server does not listen: " + said);
      said.append(chunk, static_cast<std::size_t>(size));
    }
    port = static_cast<std::uint16_t>(std::stoi(said.substr(said.find(kListening) + kListening.size())));
  }
  ServerProgram(const ServerProgram&) = delete;
  ServerProgram& operator=(const ServerProgram&) = delete;
  ~ServerProgram() {
    ::kill(pid, SIGTERM);
    ::waitpid(pid, nullptr, 0);
  }
  pid_t pid = -1;
  std::uint16_t port = 0;
};

int connect_to(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) throw std::runtime_error("connect");
  return fd;
}

std::string modern_call(std::string_view tool, std::string_view arguments) {
  const auto body = fmt::format(
      R"({{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{}","arguments":{},"_meta":{{)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}})",
      tool, arguments);
  return fmt::format(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n"
      "Mcp-Method: tools/call\r\nMcp-Name: {}\r\nContent-Length: {}\r\n\r\n{}",
      tool, body.size(), body);
}

// One connection on which request follows answer.
struct Caller {
  int fd = -1;
  std::string received;
  Clock::time_point sent;

  void send(const std::string& request) {
    received.clear();
    sent = Clock::now();
    if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) {
      throw std::runtime_error("send");
    }
  }
  // True when the answer is whole.
  bool receive() {
    char chunk[65536];
    const auto size = ::recv(fd, chunk, sizeof chunk, 0);
    if (size <= 0) throw std::runtime_error("the server closed a connection");
    received.append(chunk, static_cast<std::size_t>(size));
    const auto head = received.find("\r\n\r\n");
    if (head == std::string::npos) return false;
    const auto length = received.find("Content-Length: ");
    if (length > head) throw std::runtime_error("an answer without length: " + received.substr(0, 200));
    return received.size() >= head + 4 + std::stoul(received.substr(length + 16));
  }
  std::string ask(const std::string& request) {
    send(request);
    while (!receive()) {
    }
    return received;
  }
  bool succeeded() const {
    return received.starts_with("HTTP/1.1 200") && received.find("\"isError\":true") == std::string::npos;
  }
};

std::string state_of(const ServerProgram& server) {
  auto processes = children_of(server.pid);
  processes.insert(processes.begin(), server.pid);
  const auto descriptors = std::distance(fs::directory_iterator(fmt::format("/proc/{}/fd", server.pid)), {});
  return fmt::format("RSS {:.1f} MB, PSS of all {:.1f} MB, {} processes, {} descriptors", rss_mb(server.pid),
                     pss_mb(processes), processes.size(), descriptors);
}

double percentile(const std::vector<double>& sorted, double share) {
  return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void run(const Settings& settings) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ServerProgram server(settings.data);
  fmt::print("at the start               {}\n", state_of(server));

  std::vector<int> idle;
  for (int i = 0; i < settings.idle; ++i) {
    Caller caller{.fd = connect_to(server.port), .received = {}, .sent = {}};
    caller.ask("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    idle.push_back(caller.fd);
  }
  fmt::print("{:>5} connections at rest  {}\n", settings.idle, state_of(server));

  std::vector<Caller> callers(static_cast<std::size_t>(settings.busy));
  std::vector<pollfd> polled;
  for (auto& caller : callers) {
    caller.fd = connect_to(server.port);
    polled.push_back({.fd = caller.fd, .events = POLLIN, .revents = 0});
  }
  const auto opened = callers[0].ask(modern_call("open_dataset", R"({"sources":[{"path":"airports.csv"}]})"));
  const auto at = opened.find("dataset-");
  if (at == std::string::npos) throw std::runtime_error("nothing was opened: " + opened);
  // Most calls are the front's own; one in 16 connections queries, which waits for its turn on the dataset.
  const auto light = modern_call("list_datasets", "{}");
  const auto heavy = modern_call(
      "query", fmt::format(R"({{"dataset_id":"{}","sql":["SELECT count(*) FROM airports"]}})", opened.substr(at, 30)));
  const auto request_of = [&](std::size_t caller) { return caller % 16 == 0 ? heavy : light; };
  for (std::size_t i = 0; i < callers.size(); ++i) callers[i].send(request_of(i));
  const auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(settings.seconds));
  std::vector<double> light_ms, heavy_ms;
  std::size_t failures = 0;
  bool early_told = false;
  while (Clock::now() < end) {
    if (::poll(polled.data(), polled.size(), 1'000) < 0) throw std::runtime_error("poll");
    for (std::size_t i = 0; i < callers.size(); ++i) {
      if (polled[i].revents == 0 || !callers[i].receive()) continue;
      const double ms = std::chrono::duration<double, std::milli>(Clock::now() - callers[i].sent).count();
      (i % 16 == 0 ? heavy_ms : light_ms).push_back(ms);
      failures += callers[i].succeeded() ? 0 : 1;
      callers[i].send(request_of(i));
    }
    if (!early_told && light_ms.size() + heavy_ms.size() >= 2'400) {
      fmt::print("after 2,400 calls          {}\n", state_of(server));
      early_told = true;
    }
  }
  const auto calls = light_ms.size() + heavy_ms.size();
  fmt::print("after {:>7} calls        {}\n", calls, state_of(server));
  fmt::print("{} failures; {:.0f} calls/s over {} connections\n", failures,
             static_cast<double>(calls) / settings.seconds, settings.busy);
  for (auto* times : {&light_ms, &heavy_ms}) {
    std::sort(times->begin(), times->end());
    fmt::print("{:<14} {:>7} calls: p50 {:.2f} ms, p99 {:.2f} ms, p99.9 {:.2f} ms\n",
               times == &light_ms ? "list_datasets" : "query", times->size(), percentile(*times, 0.5),
               percentile(*times, 0.99), percentile(*times, 0.999));
  }
  for (const int fd : idle) ::close(fd);
  for (const auto& caller : callers) ::close(caller.fd);
}

}  // namespace
}  // namespace adit::bench

int main(int argc, char** argv) {
  adit::bench::Settings settings;
  CLI::App app("1,000 connections at rest and 64 at work over HTTP", "http_bench");
  app.add_option("--data", settings.data, "Directory with airports.csv")->required();
  app.add_option("--seconds", settings.seconds)->capture_default_str();
  app.add_option("--idle", settings.idle)->capture_default_str();
  app.add_option("--busy", settings.busy)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    adit::bench::run(settings);
  } catch (const std::exception& error) {
    fmt::print(stderr, "http_bench: {}\n", error.what());
    return 1;
  }
}
