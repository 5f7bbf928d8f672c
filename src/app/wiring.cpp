#include "wiring.h"

#include "adit/socrata/portals.h"
#include "adit/tools/socrata_tools.h"
#include "adit/tools/sql_tools.h"
#include "icon.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>

namespace adit::app {
namespace {

constexpr std::string_view kInstructions =
    "adit opens open-data portals and files as queries.\n"
    "Portals (Socrata): socrata_list_portals -> socrata_find_datasets -> socrata_get_dataset -> socrata_query_dataset; "
    "an "
    "id belongs to the domain it was found with. Look up the columns' types before you write where: every value "
    "arrives "
    "as text, Number columns take bare values, Text columns values in single quotes. Let the portal count and group. "
    "SOCRATA_APP_TOKEN raises the portals' limits, SOCRATA_DEFAULT_DOMAIN is the portal asked without a domain.\n"
    "Files: open_dataset (once) -> query (as often as needed) -> close_dataset. query takes DuckDB SQL that reads; put "
    "string values in 'single quotes' and odd names in \"double quotes\". Whole numbers come as exact text. total_rows "
    "is "
    "exact; when truncated is true, go on at next_offset with the same SQL and a unique ORDER BY. The relations of an "
    "open dataset are also the resource adit://workspaces/{dataset_id}.\n"
    "An error tells its kind, the place and the next step.";

Result<std::string> worker_program(const ServerOptions& options) {
  auto program = options.worker_program;
  if (program.empty()) program = std::filesystem::path(own_program()).replace_filename("adit-worker").string();
  if (::access(program.c_str(), X_OK) == 0) return program;
  return Error{.code = ErrorCode::unavailable,
               .reason = "",
               .message = fmt::format("The query engine {} is missing", program),
               .hint = "Install adit and adit-worker in the same directory, or name it with --worker."};
}

// The first of these that is set: curl's names, the lower-case form first.
std::string from_environment(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  }
  return "";
}

net::HttpClientOptions http_client_options() {
  net::HttpClientOptions options;
  options.user_agent = fmt::format("adit/{}", ADIT_VERSION);
  options.proxy = from_environment({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
  options.no_proxy = from_environment({"no_proxy", "NO_PROXY"});
  options.certificate_file = from_environment({"CURL_CA_BUNDLE", "SSL_CERT_FILE"});
  return options;
}

// As a header carries it. What a file or a variable adds at the ends is not meant.
Result<std::string> checked_token(std::string_view token) {
  const auto first = token.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return std::string();
  token = token.substr(first, token.find_last_not_of(" \t\r\n") - first + 1);
  const bool printable = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (printable) return std::string(token);
  return Error{.code = ErrorCode::configuration,
               .reason = "invalid_option",
               .message = "SOCRATA_APP_TOKEN holds a character that no app token has",
               .hint = "Copy the token again from the portal's developer settings."};
}

Result<socrata::UpstreamOptions> upstream_options(const PortalOptions& portals) {
  socrata::UpstreamOptions options;
  ADIT_TRY(options.app_token, checked_token(portals.app_token));
  options.call_limit = portals.call_limit;
  options.retry_delay = portals.retry_delay;
  for (const auto& host : portals.token_hosts) {
    ADIT_TRY(const auto name, socrata::parse_portal_host(host));
    options.token_hosts.insert(name);
  }
  for (const auto& entry : portals.portal_map) {
    ADIT_TRY(auto mapped, socrata::parse_portal_map(entry));
    options.portal_map.insert(std::move(mapped));
  }
  return options;
}

}  // namespace

boost::asio::awaitable<void> Service::shut_down() {
  co_await portals->shut_down();
  co_await workspaces->shut_down();
}

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
  ADIT_TRY(auto portal_options, upstream_options(options.portals));
  ADIT_TRY(auto default_domain, socrata::parse_portal_host(options.portals.default_domain));
  service.http = std::make_unique<net::HttpClient>(loop, http_client_options());
  service.upstream = std::make_unique<socrata::Upstream>(loop, *service.http, std::move(portal_options));
  service.portals = std::make_unique<socrata::Client>(loop, *service.upstream);
  mcp::ServerInfo info{
      .name = "adit",
      .title = "adit",
      .version = ADIT_VERSION,
      .description = "Open-data portals and files as queries: exact, typed, paged",
      .instructions = std::string(kInstructions),
      .icons = {{.src = std::string(kIcon), .mime_type = "image/png", .sizes = {"48x48"}, .theme = ""}}};
  auto& workspaces = *service.workspaces;
  const tools::AnswerBudget budget{.bytes = options.answer_bytes};
  auto all_tools =
      tools::socrata_tools(*service.portals, {.default_domain = std::move(default_domain), .budget = budget});
  for (auto& tool : tools::sql_tools(workspaces, budget)) all_tools.push_back(std::move(tool));
  mcp::Offer offer{
      .tools = std::move(all_tools),
      .resources = {tools::portals_resource(*service.portals)},
      .resource_templates = {tools::workspace_resource(workspaces), tools::dataset_resource(*service.portals)},
      .prompts = {tools::sql_prompt(workspaces), tools::socrata_prompt(*service.portals)}};
  service.server = std::make_unique<mcp::Server>(std::move(info), std::move(offer));
  return service;
}

}  // namespace adit::app
