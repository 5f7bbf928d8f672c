#include "adit/workspace/workspaces.h"

#include "adit/base/json_text.h"
#include "adit/base/log.h"
#include "adit/base/random_id.h"
#include "adit/io/file_jobs.h"
#include "call_error.h"
#include "dataset_answers.h"
#include "expiry.h"
#include "query_results.h"
#include "relation_name.h"
#include "state_directory.h"
#include "workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <numeric>

namespace adit::workspace {
namespace asio = boost::asio;
namespace protocol = worker_protocol;
using Clock = io::EventLoop::Clock;

namespace {

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

}  // namespace

class Workspaces::Registry {
 public:
  Registry(io::EventLoop& the_loop, FileRoots the_roots, WorkspacesOptions the_options)
      : loop(the_loop),
        roots(std::move(the_roots)),
        options(std::move(the_options)),
        state(options.state_dir),
        file_jobs(the_loop),
        tasks(the_loop),
        expiry_timer(the_loop) {}

  using WorkspacePtr = std::shared_ptr<Workspace>;

  Result<std::vector<protocol::FileSource>> find_files(const std::vector<SourceRequest>& sources) const {
    std::vector<protocol::FileSource> found;
    for (const auto& source : sources) {
      ADIT_TRY(auto file, roots.find(source.path));
      auto format = source.format.value_or(file.format);
      if (format.empty()) {
        return Error{.code = ErrorCode::validation,
                     .reason = "invalid_argument",
                     .message = fmt::format("The format of {} is not told by its name or first bytes",
                                            json_string(utf8_prefix(source.path, 300))),
                     .hint = "Name it: format is csv, tsv, json, ndjson or parquet.",
                     .stage = "input"};
      }
      found.push_back({.path = std::move(file.real_path),
                       .display = source.path,
                       .name = source.name.value_or(relation_name_from_path(source.path)),
                       .format = std::move(format)});
    }
    return found;
  }

  // Another owner's id looks as an unknown one does.
  Result<WorkspacePtr> find(const std::string& owner, const std::string& id) const {
    const auto at = workspaces.find(id);
    if (at == workspaces.end() || at->second->owner != owner) return unknown_dataset_error(id);
    return at->second;
  }

  Result<WorkspacePtr> create(const std::string& owner) {
    if (workspaces.size() >= options.limits.open_workspaces) {
      return Error{.code = ErrorCode::validation,
                   .reason = "limit_reached",
                   .message = fmt::format("{} datasets are open, as many as this server keeps", workspaces.size()),
                   .hint = "Close one with close_dataset.",
                   .stage = "dataset"};
    }
    const auto owned = std::count_if(workspaces.begin(), workspaces.end(),
                                     [&owner](const auto& entry) { return entry.second->owner == owner; });
    if (static_cast<std::size_t>(owned) >= options.limits.open_workspaces_of_owner) {
      return owner_limit_error(static_cast<std::size_t>(owned));
    }
    ++last_number;
    auto id = "dataset-" + (options.ids == WorkspaceIds::random ? random_id() : std::to_string(last_number));
    ADIT_TRY(auto directory, state.create(id));
    auto workspace = std::make_shared<Workspace>(loop, id, std::move(directory));
    workspace->owner = owner;
    workspace->number = last_number;
    look_for_expired();
    workspaces.emplace(std::move(id), workspace);
    return workspace;
  }

  // Waits for the workspace's turn; it may have been closed meanwhile.
  Task<Turnstile::Pass> enter(RequestContext context, WorkspacePtr workspace) {
    auto by = Clock::now() + options.limits.queue_wait;
    if (context.deadline()) by = std::min(by, *context.deadline());
    ADIT_CO_TRY(auto pass, co_await workspace->turnstile.enter(context, by));
    if (workspace->closed) co_return unknown_dataset_error(workspace->id);
    workspace->last_used = Clock::now();
    workspace->used = std::chrono::system_clock::now();
    workspace->idle_timer.stop();
    co_return std::move(pass);
  }

  // The worker of a workspace, started if there is none.
  Task<WorkerHandle*> worker_of(RequestContext context, WorkspacePtr workspace, Clock::time_point by) {
    if (!workspace->worker || !workspace->worker->alive()) {
      workspace->end_worker();
      if (workspace->last_worker_gone) co_await workspace->last_worker_gone->wait();
      ADIT_CO_CHECK(co_await room_for_worker(context, by));
      protocol::OpenWorkspace open{.directory = workspace->directory,
                                   .files = workspace->files,
                                   .memory_bytes = options.limits.engine_memory_bytes,
                                   .disk_bytes = options.limits.disk_bytes,
                                   .threads = options.limits.engine_threads};
      ++starting;
      auto started = co_await WorkerHandle::start(loop, tasks, options.worker_program, std::move(open));
      --starting;
      ADIT_CO_TRY(workspace->worker, std::move(started));
      warn_of_missing_sandbox(*workspace->worker);
    }
    co_return workspace->worker.get();
  }

  // Ends idle workers, the longest unused first, until another one may live; waits when all are at work.
  Task<void> room_for_worker(RequestContext context, Clock::time_point by) {
    while (live_workers() >= options.limits.live_workers && !end_least_recently_used()) {
      io::OneShot<Result<void>> turn(loop);
      waiting_for_worker.push_back(turn);
      io::Timer timer(loop);
      timer.start(by, [turn] { turn.set(all_workers_busy_error()); });
      const auto guard = context.on_cancel([turn] { turn.set(cancelled_error()); });
      auto outcome = co_await turn.wait();
      if (!outcome.ok()) co_return std::move(outcome).error();
    }
    co_return Result<void>();
  }

  // Runs a request on the workspace's worker. A worker that had ended before the work began (killed while idle, for
  // example) is none of the call's doing: the request goes to a new one.
  Task<WorkerAnswer> run(RequestContext context, WorkspacePtr workspace, WorkerRequest request) {
    for (int attempt = 1;; ++attempt) {
      ADIT_CO_TRY(auto* worker, co_await worker_of(context, workspace, request.deadline));
      auto answer = co_await worker->run(context, request);
      if (answer.died) workspace->end_worker();
      if (!answer.died || answer.begun || attempt == 2) co_return std::move(answer);
    }
  }

  void warn_of_missing_sandbox(const WorkerHandle& worker) {
    if (!std::exchange(sandbox_told, true)) {
      for (const auto& missing : worker.sandbox_missing()) log::warning("the kernel lacks {}", missing);
    }
  }

  // One request of a workspace with one answer.
  Task<std::string> ask(RequestContext context, std::string id, protocol::MessageType type, std::string payload,
                        std::chrono::milliseconds limit) {
    const auto deadline = Clock::now() + limit;
    ADIT_CO_TRY(auto workspace, find(context.owner(), id));
    ADIT_CO_TRY(auto pass, co_await enter(context, workspace));
    WorkerRequest request{.type = type,
                          .payload = std::move(payload),
                          .limit = limit,
                          .deadline = deadline,
                          .grace = options.limits.cancel_grace,
                          .on_result = {}};
    auto answer = co_await run(context, workspace, std::move(request));
    if (answer.ok() && !answer->payload.ok()) end_worn_worker(workspace, answer->payload.error());
    rest(workspace);
    if (!answer.ok()) co_return std::move(answer).error();
    co_return std::move(answer->payload);
  }

  // A statement that ran into the limit of the process's memory leaves a heap in which the next small one may fail or
  // end the process (measured: one time in ten). A new worker opens the same workspace and has the whole of it again.
  void end_worn_worker(const WorkspacePtr& workspace, const Error& failure) {
    if (failure.reason == "memory_limit") workspace->end_worker();
  }

  // Called with the pass still held: the next call's timer starts anew.
  void rest(const WorkspacePtr& workspace) {
    workspace->last_used = Clock::now();
    workspace->idle_timer.start(Clock::now() + options.limits.worker_idle, [workspace = workspace.get()] {
      if (!workspace->turnstile.busy()) workspace->end_worker();
    });
    // Its worker may be ended for a waiting call as soon as the pass is given back.
    loop.post([this] { wake_one_waiting(); });
  }

  void wake_one_waiting() {
    while (!waiting_for_worker.empty()) {
      auto turn = waiting_for_worker.front();
      waiting_for_worker.pop_front();
      if (turn.is_set()) continue;  // gave up
      turn.set(Result<void>());
      return;
    }
  }

  void forget(const WorkspacePtr& workspace) {
    workspace->closed = true;
    workspace->idle_timer.stop();
    workspaces.erase(workspace->id);
  }

  // Ends the worker, then removes the directory: a file that is still open would keep its space.
  asio::awaitable<void> remove(WorkspacePtr workspace) {
    forget(workspace);
    loop.post([this] { wake_one_waiting(); });
    if (workspace->worker) co_await workspace->worker->end(options.limits.cancel_grace);
    workspace->worker.reset();
    co_await remove_directory(workspace->directory);
  }

  asio::awaitable<void> remove_directory(std::string directory) {
    std::function<bool()> job = [directory = std::move(directory)] {
      StateDirectory::remove(directory);
      return true;
    };
    co_await file_jobs.run(std::move(job));
  }

  // Runs as long as there is a workspace that may expire.
  void look_for_expired() {
    if (!options.limits.lifetime || std::exchange(looks_for_expired, true)) return;
    expiry_timer.start(Clock::now() + look_interval(options.limits), [this] {
      looks_for_expired = false;
      const auto now = std::chrono::system_clock::now();
      std::vector<WorkspacePtr> expired;
      for (const auto& [id, workspace] : workspaces) {
        const auto end = expires_at(options.limits, workspace->opened, workspace->used);
        if (end && *end <= now && !workspace->turnstile.busy()) expired.push_back(workspace);
      }
      for (const auto& workspace : expired) tasks.spawn(remove(workspace));
      if (!workspaces.empty()) look_for_expired();
    });
  }

  std::size_t live_workers() const {
    const auto live = std::count_if(workspaces.begin(), workspaces.end(),
                                    [](const auto& entry) { return entry.second->worker != nullptr; });
    return static_cast<std::size_t>(live) + starting;
  }

  // Ends the idle worker that was used the longest time ago; false when none is idle.
  bool end_least_recently_used() {
    Workspace* oldest = nullptr;
    for (const auto& [id, workspace] : workspaces) {
      const bool idle = workspace->worker && !workspace->turnstile.busy();
      if (idle && (oldest == nullptr || workspace->last_used < oldest->last_used)) oldest = workspace.get();
    }
    if (oldest == nullptr) return false;
    oldest->end_worker();
    return true;
  }

  // Bytes of all workspaces on disk together.
  Task<void> check_disk() {
    std::vector<std::string> directories;
    for (const auto& [id, workspace] : workspaces) directories.push_back(workspace->directory);
    if (directories.empty()) co_return Result<void>();
    std::function<std::uintmax_t()> job = [directories = std::move(directories)] {
      return std::transform_reduce(directories.begin(), directories.end(), std::uintmax_t{0}, std::plus<>(),
                                   StateDirectory::bytes_in);
    };
    const auto bytes = co_await file_jobs.run(std::move(job));
    if (bytes < static_cast<std::uintmax_t>(options.limits.total_disk_bytes)) co_return Result<void>();
    co_return Error{
        .code = ErrorCode::validation,
        .reason = "disk_limit",
        .message = fmt::format("The open datasets take {} MB on disk, as much as this server gives them", bytes >> 20),
        .hint = "Close a dataset with close_dataset.",
        .stage = "dataset"};
  }

  io::EventLoop& loop;
  FileRoots roots;
  WorkspacesOptions options;
  StateDirectory state;
  std::shared_ptr<std::atomic<bool>> ending = std::make_shared<std::atomic<bool>>(false);
  io::FileJobs file_jobs;  // behind `state`: what is to be removed is removed before the run's own directory
  io::TaskGroup tasks;
  std::map<std::string, WorkspacePtr> workspaces;
  std::deque<io::OneShot<Result<void>>> waiting_for_worker;
  std::size_t starting = 0;  // workers that are not yet their workspace's
  std::uint64_t last_number = 0;
  bool sandbox_told = false;
  io::Timer expiry_timer;
  bool looks_for_expired = false;
};

Workspaces::Workspaces(io::EventLoop& loop, FileRoots roots, WorkspacesOptions options)
    : registry_(std::make_unique<Registry>(loop, std::move(roots), std::move(options))) {}

Workspaces::~Workspaces() = default;

void Workspaces::sweep() {
  registry_->file_jobs.start([base = registry_->state.base(), ending = registry_->ending] {
    StateDirectory::sweep(base, [&ending] { return !*ending; });
  });
}

const Limits& Workspaces::limits() const { return registry_->options.limits; }

Task<std::vector<std::string>> Workspaces::probe_sandbox() {
  auto& registry = *registry_;
  const std::string name = "probe";
  ADIT_CO_TRY(auto directory, registry.state.create(name));
  protocol::OpenWorkspace open{.directory = directory,
                               .files = {},
                               .memory_bytes = registry.options.limits.engine_memory_bytes,
                               .disk_bytes = registry.options.limits.disk_bytes,
                               .threads = registry.options.limits.engine_threads};
  auto worker =
      co_await WorkerHandle::start(registry.loop, registry.tasks, registry.options.worker_program, std::move(open));
  std::vector<std::string> missing;
  if (worker.ok()) {
    missing = (*worker)->sandbox_missing();
    co_await (*worker)->end(registry.options.limits.cancel_grace);
  }
  co_await registry.remove_directory(directory);
  if (!worker.ok()) co_return std::move(worker).error();
  co_return missing;
}

Task<OpenedDataset> Workspaces::open(RequestContext context, std::vector<SourceRequest> sources,
                                     std::optional<std::string> id) {
  auto& registry = *registry_;
  const auto start = Clock::now();
  const auto deadline = start + registry.options.limits.open_deadline;
  ADIT_CO_TRY(auto files, registry.find_files(sources));
  ADIT_CO_CHECK(co_await registry.check_disk());
  if (context.cancelled()) co_return cancelled_error();
  const bool is_new = !id.has_value();
  ADIT_CO_TRY(auto workspace, is_new ? registry.create(context.owner()) : registry.find(context.owner(), *id));
  ADIT_CO_TRY(auto pass, co_await registry.enter(context, workspace));

  // A worker's view of the disk only narrows: one that may see the new files has to be another one.
  const auto files_before = workspace->files;
  if (workspace->worker) co_await workspace->worker->end(registry.options.limits.cancel_grace);
  workspace->worker.reset();
  for (const auto& file : files) workspace->files.push_back(file.path);

  WorkerRequest request{.type = protocol::MessageType::import_files,
                        .payload = protocol::encode(protocol::ImportFiles{.sources = files}),
                        .limit = registry.options.limits.open_deadline,
                        .deadline = deadline,
                        .grace = registry.options.limits.cancel_grace,
                        .on_result = {}};
  auto answer = co_await registry.run(context, workspace, std::move(request));
  Result<protocol::Imported> imported = internal_error("the worker gave no answer");
  if (!answer.ok()) imported = std::move(answer).error();
  else if (!answer->payload.ok()) imported = std::move(answer->payload).error();
  else imported = protocol::decode<protocol::Imported>(*answer->payload);
  if (!imported.ok()) {
    auto error = std::move(imported).error();
    if (error.stage == "execute") error.stage = "dataset";
    if (is_new) {
      co_await registry.remove(workspace);
    } else {
      workspace->files = files_before;
      workspace->end_worker();
      registry.rest(workspace);
    }
    co_return error;
  }
  registry.rest(workspace);
  for (const auto& source : sources) workspace->sources.push_back(source.path);
  for (const auto& relation : imported->relations) workspace->names.add(relation.name);
  co_return OpenedDataset{.id = workspace->id,
                          .relations = to_relations(std::move(imported->relations)),
                          .issues = to_issues(std::move(imported->issues)),
                          .prepare_ms = milliseconds_since(start),
                          .expires = expires_at(registry.options.limits, workspace->opened, workspace->used)};
}

Task<QueryOutcome> Workspaces::query(RequestContext context, QueryRequest query) {
  auto& registry = *registry_;
  const auto& limits = registry.options.limits;
  const auto start = Clock::now();
  const auto limit = context.wants_progress() ? limits.sql_deadline_with_progress : limits.sql_deadline;
  context.limit_to(start + limit);
  ADIT_CO_TRY(auto workspace, registry.find(context.owner(), query.workspace_id));
  ADIT_CO_TRY(auto pass, co_await registry.enter(context, workspace));

  const double queue_ms = milliseconds_since(start);
  QueryResults results(query.definitions.size(), query.sql.size(), query.budget_bytes);
  std::vector<protocol::NamedQuery> definitions;
  for (auto& named : query.definitions) definitions.push_back({std::move(named.name), std::move(named.sql)});
  protocol::RunQuery run{.definitions = std::move(definitions),
                         .sql = std::move(query.sql),
                         .limit = query.limit,
                         .offset = query.offset,
                         .budget_bytes = static_cast<std::int64_t>(query.budget_bytes),
                         .timing = query.timing};
  WorkerRequest request{.type = protocol::MessageType::query,
                        .payload = protocol::encode(run),
                        .limit = limit,
                        .deadline = *context.deadline(),
                        .grace = limits.cancel_grace,
                        .on_result = [&results](protocol::MessageType type, std::string_view payload) {
                          return results.take(type, payload);
                        }};
  auto answer = co_await registry.run(context, workspace, std::move(request));
  auto outcome = results.finish(std::move(answer), limit);
  if (outcome.failure) registry.end_worn_worker(workspace, *outcome.failure);
  for (const auto& change : results.changes()) {
    if (change.made) workspace->names.add(change.name);
    else workspace->names.remove(change.name);
  }
  registry.rest(workspace);
  outcome.queue_ms = queue_ms;
  outcome.total_ms = milliseconds_since(start);
  co_return outcome;
}

Task<std::string> Workspaces::export_rows(RequestContext context, std::string id, std::string sql, std::string format) {
  const protocol::ExportRows request{.sql = std::move(sql), .format = std::move(format)};
  ADIT_CO_TRY(auto payload, co_await registry_->ask(context, std::move(id), protocol::MessageType::export_rows,
                                                    protocol::encode(request), limits().export_deadline));
  ADIT_CO_TRY(auto exported, protocol::decode<protocol::Exported>(payload));
  co_return std::move(exported.file);
}

Task<DescribedDataset> Workspaces::describe(RequestContext context, std::string id) {
  ADIT_CO_TRY(auto payload,
              co_await registry_->ask(context, id, protocol::MessageType::describe, "", limits().sql_deadline));
  ADIT_CO_TRY(auto described, protocol::decode<protocol::Described>(payload));
  auto dataset = to_dataset(std::move(described));
  ADIT_CO_TRY(const auto workspace, registry_->find(context.owner(), id));
  workspace->names.clear();
  for (const auto& relation : dataset.relations) workspace->names.add(relation.name);
  for (const auto& definition : dataset.definitions) workspace->names.add(definition.name);
  if (workspace->worker) dataset.sandbox_missing = workspace->worker->sandbox_missing();
  co_return dataset;
}

Result<std::vector<std::string>> Workspaces::known_names(const std::string& owner, const std::string& id) const {
  ADIT_TRY(const auto workspace, registry_->find(owner, id));
  return workspace->names.all();
}

std::vector<ListedDataset> Workspaces::list(const std::string& owner) const {
  if (owner == RequestContext::kAnyone) return {};
  std::vector<const Workspace*> open;
  for (const auto& [id, workspace] : registry_->workspaces) {
    if (workspace->owner == owner) open.push_back(workspace.get());
  }
  std::sort(open.begin(), open.end(), [](const auto* a, const auto* b) { return a->number < b->number; });
  std::vector<ListedDataset> listed;
  for (const auto* workspace : open) {
    listed.push_back({workspace->id, workspace->sources, workspace->opened, workspace->used});
  }
  return listed;
}

Task<void> Workspaces::close(RequestContext context, std::string id) {
  auto& registry = *registry_;
  ADIT_CO_TRY(auto workspace, registry.find(context.owner(), id));
  ADIT_CO_TRY(auto pass, co_await registry.enter(context, workspace));
  co_await registry.remove(workspace);
  co_return Result<void>();
}

void Workspaces::close_all_of(const std::string& owner) {
  auto& registry = *registry_;
  std::vector<Registry::WorkspacePtr> owned;
  for (const auto& [id, workspace] : registry.workspaces) {
    if (workspace->owner == owner) owned.push_back(workspace);
  }
  for (const auto& workspace : owned) registry.tasks.spawn(registry.remove(workspace));
}

asio::awaitable<void> Workspaces::shut_down() {
  auto& registry = *registry_;
  registry.expiry_timer.stop();
  *registry.ending = true;
  // All channels first, so that the workers end side by side.
  io::TaskGroup ends(registry.loop);
  while (!registry.workspaces.empty()) {
    auto workspace = registry.workspaces.begin()->second;
    registry.forget(workspace);
    ends.spawn(registry.remove(workspace));
  }
  co_await ends.join();
  co_await registry.tasks.join();
}

}  // namespace adit::workspace
