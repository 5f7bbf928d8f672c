#include "server_options.h"

#include "config_file.h"

#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace adit::app {
namespace {

constexpr double kLongestSeconds = 7 * 24 * 3600;
constexpr std::int64_t kLeastMemory = 64 << 20;  // below it the engine cannot load its own functions
constexpr std::int64_t kLeastDisk = 1 << 20;
constexpr std::int64_t kMost = std::int64_t{1} << 50;

void add_seconds(CLI::App& app, const std::string& name, const char* environment, std::chrono::milliseconds& value,
                 const std::string& description) {
  app.add_option_function<double>(
         name,
         [&value](double seconds) {
           value = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
         },
         description)
      ->check(CLI::Range(0.001, kLongestSeconds).description(""))
      ->envname(environment)
      ->default_str(fmt::format("{:g}", std::chrono::duration<double>(value).count()))
      ->type_name("SECONDS");
}

void add_size(CLI::App& app, const std::string& name, const char* environment, std::int64_t& value, std::int64_t least,
              const std::string& description) {
  app.add_option(name, value, description)
      ->transform(CLI::AsSizeValue(true).description(""))  // KB is 1000, KiB 1024
      ->check(CLI::Range(least, kMost).description(""))
      ->envname(environment)
      ->default_str(value % (1 << 30) == 0 ? fmt::format("{}GiB", value >> 30) : fmt::format("{}MiB", value >> 20))
      ->type_name("SIZE");
}

template <class Number>
void add_number(CLI::App& app, const std::string& name, const char* environment, Number& value, Number most,
                const std::string& description) {
  app.add_option(name, value, description)
      ->check(CLI::Range(Number{1}, most).description(""))
      ->envname(environment)
      ->capture_default_str()
      ->type_name("N");
}

void add_limits(CLI::App& app, workspace::Limits& limits) {
  add_seconds(app, "--sql-deadline", "ADIT_SQL_DEADLINE", limits.sql_deadline,
              "For the statements of one query together");
  add_seconds(app, "--sql-deadline-with-progress", "ADIT_SQL_DEADLINE_WITH_PROGRESS", limits.sql_deadline_with_progress,
              "The same when the client asked for progress");
  add_seconds(app, "--open-deadline", "ADIT_OPEN_DEADLINE", limits.open_deadline, "For one open_dataset");
  add_seconds(app, "--queue-wait", "ADIT_QUEUE_WAIT", limits.queue_wait, "For earlier calls on the same dataset");
  add_seconds(app, "--worker-idle", "ADIT_WORKER_IDLE", limits.worker_idle,
              "After which the process of an unused dataset is ended; the dataset stays");
  add_size(app, "--engine-memory", "ADIT_ENGINE_MEMORY", limits.engine_memory_bytes, kLeastMemory,
           "Memory of one dataset's engine; all together get half of the machine's at most");
  add_size(app, "--dataset-disk", "ADIT_DATASET_DISK", limits.disk_bytes, kLeastDisk,
           "Disk for one dataset's intermediate results, and for any one file of it");
  add_size(app, "--total-disk", "ADIT_TOTAL_DISK", limits.total_disk_bytes, kLeastDisk, "Disk for all open datasets");
  add_number<std::int64_t>(app, "--engine-threads", "ADIT_ENGINE_THREADS", limits.engine_threads, 256,
                           "Threads of one dataset's engine");
  add_number<std::size_t>(app, "--open-datasets", "ADIT_OPEN_DATASETS", limits.open_workspaces, 10'000,
                          "Datasets open at once");
  add_number<std::size_t>(app, "--live-workers", "ADIT_LIVE_WORKERS", limits.live_workers, 1'000,
                          "Datasets with a process at once; the longest unused gives way");
}

void add_portals(CLI::App& app, PortalOptions& portals) {
  app.add_option("--default-domain", portals.default_domain, "Portal that is asked when a call names none")
      ->envname("SOCRATA_DEFAULT_DOMAIN")
      ->capture_default_str()
      ->type_name("HOST");
  // Not told by --help: command lines are seen by everybody on the machine. It is for the environment and the file.
  app.add_option("--app-token", portals.app_token, "")->envname("SOCRATA_APP_TOKEN")->group("");
  app.add_option("--token-host", portals.token_hosts,
                 "Further host that gets the app token of SOCRATA_APP_TOKEN; repeat for more. Known portals and the "
                 "catalog get it anyway")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("HOST");
  app.add_option(
         "--portal-map", portals.portal_map,
         "Sends the requests for a portal elsewhere, for example data.example.gov=http://127.0.0.1:8080; repeat "
         "for more. Answers say so")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("NAME=URL");
  add_seconds(app, "--portal-deadline", "ADIT_PORTAL_DEADLINE", portals.call_limit,
              "For one call that asks a portal, further tries included");
  add_seconds(app, "--retry-delay", "ADIT_RETRY_DELAY", portals.retry_delay,
              "Before a request to a portal is tried a second time; doubles with each further try");
}

std::vector<std::string> directories_in(const char* list) {
  std::vector<std::string> directories;
  std::string_view rest = list != nullptr ? list : "";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    if (end > 0) directories.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return directories;
}

std::string usual_config_file() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config == '/')
    return std::string(config) + "/adit/config.toml";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.config/adit/config.toml" : "";
}

}  // namespace

void add_server_options(CLI::App& app, ServerOptions& options) {
  app.add_option("--root", options.roots,
                 "Directory whose files may be opened; repeat for more. Default: the working directory, unless it is "
                 "/, the home directory or above it, or a system directory. Environment: ADIT_ROOT, several with :")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("DIR");
  app.add_option("--state-dir", options.state_dir,
                 "Where open datasets live on disk while they are open. Default: adit in the user's cache directory")
      ->envname("ADIT_STATE_DIR")
      ->type_name("DIR");
  app.add_option("--worker", options.worker_program, "Path of adit-worker. Default: beside this program")
      ->envname("ADIT_WORKER")
      ->type_name("FILE");
  app.add_option("--answer-bytes", options.answer_bytes, "Most bytes of an answer's structured content; 0 for no limit")
      ->envname("ADIT_ANSWER_BYTES")
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--log-level", options.log_level, "What is logged on standard error: debug, info, warning, error, off")
      ->envname("ADIT_LOG_LEVEL")
      ->type_name("LEVEL")
      ->transform(CLI::CheckedTransformer(std::map<std::string, log::Level>{{"debug", log::Level::debug},
                                                                            {"info", log::Level::info},
                                                                            {"warning", log::Level::warning},
                                                                            {"error", log::Level::error},
                                                                            {"off", log::Level::off}},
                                          CLI::ignore_case)
                      .description(""));
  app.add_option("--config", options.config_file,
                 "TOML file whose keys are the names of these options without the dashes. Default: adit/config.toml in "
                 "the user's configuration directory, if it is there")
      ->envname("ADIT_CONFIG")
      ->type_name("FILE");
  add_limits(app, options.limits);
  add_portals(app, options.portals);
}

Result<void> complete_server_options(CLI::App& app, const ServerOptions& options) {
  // The option takes several values, which the library's own reading of the environment would mix up with the words
  // behind the flag.
  auto* root = app.get_option("--root");
  if (const auto directories = directories_in(std::getenv("ADIT_ROOT")); root->count() == 0 && !directories.empty()) {
    root->add_result(directories);
    root->run_callback();
  }
  if (!options.config_file.empty()) return apply_config_file(app, options.config_file);
  const auto usual = usual_config_file();
  std::error_code error;
  if (usual.empty() || !std::filesystem::exists(usual, error)) return {};
  return apply_config_file(app, usual);
}

}  // namespace adit::app
