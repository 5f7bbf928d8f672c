#include "wiring.h"

#include "adit/tools/sql_tools.h"
#include "icon.h"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <filesystem>

namespace adit::app {
namespace {

constexpr std::string_view kInstructions =
    "adit opens datasets as SQL. Order of work: open_dataset (files, once) -> query (as often as needed) -> "
    "close_dataset. query takes DuckDB SQL that reads; put string values in 'single quotes' and odd names in \"double "
    "quotes\". Whole numbers come as exact text. total_rows is exact; when truncated is true, go on at next_offset "
    "with "
    "the same SQL and a unique ORDER BY. An error tells its kind, the place and the next step. The relations of an "
    "open "
    "dataset are also the resource adit://workspaces/{dataset_id}.";

Result<std::string> worker_program(const ServerOptions& options) {
  auto program = options.worker_program;
  if (program.empty()) program = std::filesystem::path(own_program()).replace_filename("adit-worker").string();
  if (::access(program.c_str(), X_OK) == 0) return program;
  return Error{.code = ErrorCode::unavailable,
               .reason = "",
               .message = fmt::format("The query engine {} is missing", program),
               .hint = "Install adit and adit-worker in the same directory, or name it with --worker."};
}

}  // namespace

std::string own_program() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : "adit";
}

Result<Service> make_service(io::EventLoop& loop, const ServerOptions& options) {
  // Whoever calls over HTTP is not the user in whose working directory the server was started.
  const bool over_http = !options.http.address.empty();
  ADIT_TRY(auto roots, options.roots.empty() && !over_http ? Result(workspace::FileRoots::from_working_directory())
                                                           : workspace::FileRoots::from_directories(options.roots));
  ADIT_TRY(auto program, worker_program(options));
  Service service;
  service.workspaces = std::make_unique<workspace::Workspaces>(
      loop, std::move(roots),
      workspace::WorkspacesOptions{
          .limits = workspace::fitted_to(options.limits, workspace::machine_memory()),
          .worker_program = std::move(program),
          .state_dir = options.state_dir,
          .ids = over_http ? workspace::WorkspaceIds::random : workspace::WorkspaceIds::counted});
  mcp::ServerInfo info{
      .name = "adit",
      .title = "adit",
      .version = ADIT_VERSION,
      .description = "Datasets as SQL: exact, typed, paged",
      .instructions = std::string(kInstructions),
      .icons = {{.src = std::string(kIcon), .mime_type = "image/png", .sizes = {"48x48"}, .theme = ""}}};
  auto& workspaces = *service.workspaces;
  mcp::Offer offer{.tools = tools::sql_tools(workspaces, tools::AnswerBudget{.bytes = options.answer_bytes}),
                   .resource_templates = {tools::workspace_resource(workspaces)},
                   .prompts = {tools::sql_prompt(workspaces)}};
  service.server = std::make_unique<mcp::Server>(std::move(info), std::move(offer));
  return service;
}

}  // namespace adit::app
