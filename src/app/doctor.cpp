// adit doctor: what works on this machine, one line for each part, by using it.
#include "commands.h"

#include "wiring.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace adit::app {
namespace fs = std::filesystem;
namespace {

class Report {
 public:
  void good(std::string_view part, std::string_view what) { fmt::print("ok    {:<16} {}\n", part, what); }
  void bad(std::string_view part, std::string_view what, std::string_view hint) {
    fmt::print("FAIL  {:<16} {}. {}\n", part, what, hint);
    failed_ = true;
  }
  bool failed() const { return failed_; }

 private:
  bool failed_ = false;
};

void check_roots(const ServerOptions& options, Report& report) {
  if (!options.roots.empty()) {
    auto roots = workspace::FileRoots::from_directories(options.roots);
    if (!roots.ok()) report.bad("roots", roots.error().message, roots.error().hint);
    for (const auto& root : roots.ok() ? options.roots : std::vector<std::string>()) {
      report.good("root", fs::weakly_canonical(root).string());
    }
    return;
  }
  if (workspace::FileRoots::from_working_directory().empty()) {
    report.bad("roots", "the working directory is none that files are opened from", "Name one with --root.");
  } else {
    report.good("root", fs::current_path().string() + " (the working directory)");
  }
}

// A file of its own, so that the whole way is gone without any of the user's.
struct SampleFile {
  SampleFile() : directory(fs::temp_directory_path() / fmt::format("adit-doctor-{}", ::getpid())) {
    fs::create_directories(directory);
    std::ofstream(directory / "sample.csv") << "n,text\n1,one\n2,two\n";
  }
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;
  ~SampleFile() {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
  }
  fs::path directory;
};

void report_sandbox(const workspace::DescribedDataset& dataset, Report& report) {
  if (dataset.sandbox_missing.empty()) {
    report.good("sandbox", "complete: no file but the dataset's, no network");
    return;
  }
  report.bad("sandbox", fmt::format("the kernel lacks {}", fmt::join(dataset.sandbox_missing, ", ")),
             "Over standard input and output adit works without; over HTTP it needs --unsafe-no-sandbox.");
}

boost::asio::awaitable<void> use_everything(workspace::Workspaces& workspaces, Report& report) {
  RequestContext context;
  std::vector<workspace::SourceRequest> sources{{.path = "sample.csv", .name = {}, .format = {}}};
  auto opened = co_await workspaces.open(context, std::move(sources), std::nullopt);
  if (!opened.ok()) {
    report.bad("query engine", opened.error().message, opened.error().hint);
    co_return;
  }
  report.good("query engine", fmt::format("a file was opened in {:.0f} ms", opened->prepare_ms));
  workspace::QueryRequest query;
  query.workspace_id = opened->id;
  query.sql = {"SELECT sum(n) FROM sample"};
  auto outcome = co_await workspaces.query(context, std::move(query));
  const auto* failure = !outcome.ok() ? &outcome.error() : outcome->failure ? &*outcome->failure : nullptr;
  if (failure != nullptr) report.bad("query", failure->message, failure->hint);
  else report.good("query", fmt::format("answered in {:.1f} ms", outcome->total_ms));
  auto described = co_await workspaces.describe(context, opened->id);
  if (described.ok()) report_sandbox(*described, report);
  else report.bad("sandbox", described.error().message, described.error().hint);
}

boost::asio::awaitable<void> examine(workspace::Workspaces& workspaces, Report& report) {
  co_await use_everything(workspaces, report);
  co_await workspaces.shut_down();
}

}  // namespace

int doctor(ServerOptions options) {
  Report report;
  report.good("adit", fmt::format("{} at {}", ADIT_VERSION, own_program()));
  check_roots(options, report);
  const auto limits = workspace::fitted_to(options.limits, workspace::machine_memory());
  report.good("memory", fmt::format("{} MiB for each of at most {} datasets at work", limits.engine_memory_bytes >> 20,
                                    limits.live_workers));
  const SampleFile sample;
  options.roots = {sample.directory.string()};
  io::EventLoop loop;
  auto service = make_service(loop, options);
  if (service.ok()) io::run_to_end(loop, examine(*service->workspaces, report));
  else report.bad("query engine", service.error().message, service.error().hint);
  return report.failed() ? 1 : 0;
}

}  // namespace adit::app
