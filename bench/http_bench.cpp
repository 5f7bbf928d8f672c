// make bench: a server over HTTP under a crowd, and one over many calls of every kind. Each line is one measurement
// beside its target; a target that is missed makes the exit code 1.
//
//   crowd   1,000 connections at rest, a session each, and 64 at work for a minute
//   mixed   24,000 calls of all kinds; memory, descriptors, processes and directories behind the first 2,400 and at
//           the end
//
// The delay of the event loop is the server's own measure (io/loop_lag.h): how late a timer each 5 ms was run. On a
// machine that is busy with other things it tells their share, too.
#include "http_caller.h"
#include "server_program.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace adit::bench {
namespace {

using Clock = Caller::Clock;

constexpr double kMostLagMs = 20;
constexpr double kMostGrowth = 1.05;

struct Settings {
  std::string data = ".";
  int idle = 1'000;
  int busy = 64;
  double seconds = 60;
  int early = 2'400;
  int mixed = 24'000;
};

class Report {
 public:
  void tell(std::string_view what, std::string_view measured) { fmt::print("{:<58} {}\n", what, measured); }
  void check(std::string_view what, std::string_view measured, std::string_view target, bool reached) {
    fmt::print("{:<58} {}   ({}) {}\n", what, measured, target, reached ? "ok" : "MISSED");
    missed_ |= !reached;
  }
  bool missed() const { return missed_; }

 private:
  bool missed_ = false;
};

double percentile(const std::vector<double>& sorted, double share) {
  return sorted.empty() ? 0 : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

void tell_times(Report& report, std::string_view what, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  report.tell(what, fmt::format("{} calls: p50 {:.2f} ms, p99 {:.2f} ms, p99.9 {:.2f} ms", times.size(),
                                percentile(times, 0.5), percentile(times, 0.99), percentile(times, 0.999)));
}

std::string opened_dataset(const std::string& answer) {
  const auto at = answer.find("dataset-");
  return at == std::string::npos ? "" : answer.substr(at, answer.find_first_of("\"\\", at) - at);
}

std::string open_airports(Caller& caller) {
  const auto& opened = caller.ask(modern_call("open_dataset", R"({"sources":[{"path":"airports.csv"}]})"));
  auto dataset = opened_dataset(opened);
  if (dataset.empty()) throw std::runtime_error("nothing was opened: " + opened);
  return dataset;
}

std::string count_query(const std::string& dataset, std::string_view meta = "") {
  return modern_call("query", fmt::format(R"({{"dataset_id":"{}","sql":["SELECT count(*) FROM airports"]}})", dataset),
                     meta);
}

// ---- The crowd

struct Resting {
  Caller caller;
  std::string session;
};

std::vector<Resting> let_rest(const ServerProgram& server, int count) {
  std::vector<Resting> resting;
  for (int i = 0; i < count; ++i) {
    Caller caller(server.port());
    caller.ask(legacy_initialize());
    auto session = caller.header("Mcp-Session-Id");
    if (session.empty()) throw std::runtime_error("no session: " + caller.answer());
    resting.push_back({std::move(caller), std::move(session)});
  }
  return resting;
}

struct Work {
  std::vector<double> light_ms, heavy_ms;
  std::size_t failures = 0;
};

// Most calls are the front's own; one in 16 connections queries, which waits for its turn on the dataset.
Work work_for(std::vector<Caller>& callers, const std::string& dataset, double seconds) {
  const auto light = modern_call("list_datasets", "{}");
  const auto heavy = count_query(dataset);
  std::vector<pollfd> polled;
  for (std::size_t i = 0; i < callers.size(); ++i) {
    polled.push_back({.fd = callers[i].fd(), .events = POLLIN, .revents = 0});
    callers[i].send(i % 16 == 0 ? heavy : light);
  }
  Work work;
  std::size_t waiting = callers.size();
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  while (waiting > 0) {
    if (::poll(polled.data(), polled.size(), 60'000) <= 0) throw std::runtime_error("no answer for a minute");
    for (std::size_t i = 0; i < callers.size(); ++i) {
      if (polled[i].revents == 0 || !callers[i].receive()) continue;
      (i % 16 == 0 ? work.heavy_ms : work.light_ms).push_back(callers[i].milliseconds());
      work.failures += callers[i].succeeded() ? 0 : 1;
      if (Clock::now() < end) callers[i].send(i % 16 == 0 ? heavy : light);
      else --waiting;
    }
  }
  return work;
}

// The server's own line, at its end.
double lag_p999(const std::string& log) {
  const auto line = log.rfind("event loop: ");
  const auto at = line == std::string::npos ? line : log.find("p99.9 ", line);
  if (at == std::string::npos) throw std::runtime_error("the server told no delays: " + log);
  return std::stod(log.substr(at + 6));
}

void measure_crowd(Report& report, const Settings& settings) {
  ServerProgram server(settings.data);
  report.tell("crowd: before it", server.state().text());
  auto resting = let_rest(server, settings.idle);
  report.tell(fmt::format("crowd: {} connections at rest, a session each", settings.idle), server.state().text());

  std::vector<Caller> callers;
  for (int i = 0; i < settings.busy; ++i) callers.emplace_back(server.port());
  const auto dataset = open_airports(callers[0]);
  const auto start = Clock::now();
  auto work = work_for(callers, dataset, settings.seconds);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  report.tell("crowd: after the work", server.state().text());
  for (auto& [caller, session] : resting) {
    caller.ask(legacy_ping(session));
    work.failures += caller.succeeded() ? 0 : 1;
  }
  const auto calls = work.light_ms.size() + work.heavy_ms.size();
  report.tell(fmt::format("crowd: {} connections at work for {:.0f} s", settings.busy, seconds),
              fmt::format("{:.0f} calls/s", static_cast<double>(calls) / seconds));
  tell_times(report, "crowd: list_datasets", std::move(work.light_ms));
  tell_times(report, "crowd: query, turn by turn on one dataset", std::move(work.heavy_ms));
  report.check("crowd: failures, those at rest asked once more", fmt::format("{}", work.failures), "none",
               work.failures == 0);
  const auto lag = lag_p999(server.stop());
  report.check("crowd: event loop late, p99.9", fmt::format("{:.2f} ms", lag),
               fmt::format("at most {:.0f} ms", kMostLagMs), lag <= kMostLagMs);
}

// ---- All kinds of calls

// What a connection has asked last, and so what has to follow.
enum class Asked { nothing_to_follow, open_dataset, initialize, ping };

struct MixedCaller {
  Caller caller;
  Asked asked = Asked::nothing_to_follow;
  std::string session;
};

class MixedCalls {
 public:
  explicit MixedCalls(std::string dataset) : dataset_(std::move(dataset)) {}

  std::string next(MixedCaller& one) {
    switch (std::exchange(one.asked, Asked::nothing_to_follow)) {
      case Asked::open_dataset:
        return modern_call("close_dataset",
                           fmt::format(R"({{"dataset_id":"{}"}})", opened_dataset(one.caller.answer())));
      case Asked::initialize:
        one.asked = Asked::ping;
        one.session = one.caller.header("Mcp-Session-Id");
        return legacy_ping(one.session);
      case Asked::ping: return legacy_end(one.session);
      case Asked::nothing_to_follow: break;
    }
    return begin(one.asked);
  }

 private:
  std::string begin(Asked& asked) {
    const auto number = counted_++;
    if (number % 200 == 100) {
      asked = Asked::open_dataset;
      return modern_call("open_dataset", R"({"sources":[{"path":"airports.csv"}]})");
    }
    const auto uri = "adit://workspaces/" + dataset_;
    switch (number % 10) {
      case 0: return modern_call("list_datasets", "{}");
      case 1: return modern_call("describe_dataset", fmt::format(R"({{"dataset_id":"{}"}})", dataset_));
      case 2: return modern_request("tools/list", "");
      case 3: return count_query(dataset_, R"(,"progressToken":"p")");  // may be a stream of events
      case 4: asked = Asked::initialize; return legacy_initialize();
      case 5: return modern_request("resources/read", uri, fmt::format(R"(,"uri":"{}")", uri));
      case 6: return modern_request("resources/list", "");
      case 7: return modern_request("server/discover", "");
      default: return count_query(dataset_);
    }
  }

  std::string dataset_;
  std::size_t counted_ = 0;
};

// At least `count` calls, and then what has to follow the last of them. Gives how many failed.
std::size_t run_mixed(std::vector<MixedCaller>& callers, MixedCalls& calls, int count) {
  std::vector<pollfd> polled;
  for (auto& one : callers) {
    polled.push_back({.fd = one.caller.fd(), .events = POLLIN, .revents = 0});
    one.caller.send(calls.next(one));
  }
  std::size_t failures = 0, waiting = callers.size();
  int sent = static_cast<int>(callers.size());
  while (waiting > 0) {
    if (::poll(polled.data(), polled.size(), 60'000) <= 0) throw std::runtime_error("no answer for a minute");
    for (std::size_t i = 0; i < callers.size(); ++i) {
      auto& one = callers[i];
      if (polled[i].revents == 0 || !one.caller.receive()) continue;
      if (!one.caller.succeeded() && ++failures <= 3) {
        fmt::print("a call that failed: {}\n", one.caller.answer().substr(0, 400));
      }
      if (sent >= count && one.asked == Asked::nothing_to_follow) {
        --waiting;
        continue;
      }
      ++sent;
      one.caller.send(calls.next(one));
    }
  }
  return failures;
}

ServerState rested_state(const ServerProgram& server) {
  std::this_thread::sleep_for(std::chrono::seconds(2));  // workers of closed datasets end
  return server.state();
}

void measure_mixed(Report& report, const Settings& settings) {
  ServerProgram server(settings.data);
  Caller first(server.port());
  const auto dataset = open_airports(first);
  MixedCalls calls(dataset);
  std::vector<MixedCaller> callers;
  for (int i = 0; i < 16; ++i) callers.push_back({.caller = Caller(server.port()), .session = ""});
  auto failures = run_mixed(callers, calls, settings.early);
  const auto early = rested_state(server);
  report.tell(fmt::format("mixed: after {} calls", settings.early), early.text());
  failures += run_mixed(callers, calls, settings.mixed - settings.early);
  const auto late = rested_state(server);
  report.tell(fmt::format("mixed: after {} calls", settings.mixed), late.text());
  report.check("mixed: failures", fmt::format("{}", failures), "none", failures == 0);
  report.check("mixed: PSS of all processes, growth", fmt::format("{:+.1f} %", (late.pss_mb / early.pss_mb - 1) * 100),
               "at most 5 %", late.pss_mb <= early.pss_mb * kMostGrowth);
  report.check("mixed: processes", fmt::format("{}, {}", early.processes, late.processes), "the same",
               early.processes == late.processes);
  report.check("mixed: descriptors", fmt::format("{}, {}", early.descriptors, late.descriptors), "the same",
               early.descriptors == late.descriptors);
  report.check("mixed: directories", fmt::format("{}, {}", early.directories, late.directories), "the same",
               early.directories == late.directories);
}

void allow_many_descriptors() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace
}  // namespace adit::bench

int main(int argc, char** argv) {
  adit::bench::Settings settings;
  CLI::App app("A crowd of connections, and calls of every kind, over HTTP", "http_bench");
  app.add_option("--data", settings.data, "Directory with airports.csv")->required();
  app.add_option("--seconds", settings.seconds)->capture_default_str();
  app.add_option("--idle", settings.idle)->capture_default_str();
  app.add_option("--busy", settings.busy)->capture_default_str();
  app.add_option("--mixed", settings.mixed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    adit::bench::allow_many_descriptors();
    adit::bench::Report report;
    adit::bench::measure_crowd(report, settings);
    adit::bench::measure_mixed(report, settings);
    return report.missed() ? 1 : 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "http_bench: {}\n", error.what());
    return 1;
  }
}
