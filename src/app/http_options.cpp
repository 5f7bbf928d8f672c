#include "http_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <thread>

namespace adit::app {
namespace {

constexpr std::size_t kWorkspacesOfOwner = 16;
constexpr std::size_t kShortestToken = 16;
constexpr std::size_t kLongestToken = 4096;
// What may stand behind "Bearer" (RFC 6750 2.1).
constexpr std::string_view kTokenCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/=";

void add_list(CLI::App& app, const std::string& name, std::vector<std::string>& values, const std::string& description,
              const std::string& type) {
  app.add_option(name, values, description)
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name(type);
}

Error token_error(const std::string& path, std::string_view what) {
  return Error{.code = ErrorCode::validation,
               .reason = "invalid_token_file",
               .message = fmt::format("The token file {} {}", path, what),
               .hint = fmt::format("Write one line of {} or more letters, digits and -._~+/= into it, for example by "
                                   "openssl rand -hex 32.",
                                   kShortestToken)};
}

Result<std::string> read_token(const std::string& path) {
  std::ifstream file(path);
  if (!file) return token_error(path, "cannot be read");
  std::string token(kLongestToken + 2, '\0');
  file.read(token.data(), static_cast<std::streamsize>(token.size()));
  token.resize(static_cast<std::size_t>(file.gcount()));
  while (token.ends_with('\n') || token.ends_with('\r') || token.ends_with(' ')) token.pop_back();
  if (token.size() < kShortestToken) return token_error(path, fmt::format("holds fewer than {} bytes", kShortestToken));
  if (token.size() > kLongestToken) return token_error(path, fmt::format("holds more than {} bytes", kLongestToken));
  if (token.find_first_not_of(kTokenCharacters) != std::string::npos) {
    return token_error(path, "holds something that cannot be a token");
  }
  return token;
}

}  // namespace

void add_http_options(CLI::App& app, HttpServeOptions& options) {
  app.add_option("--http", options.address,
                 "Serve MCP over HTTP there instead of standard input and output: 127.0.0.1:8080, [::1]:0 or unix:PATH")
      ->envname("ADIT_HTTP")
      ->type_name("ADDRESS");
  app.add_option("--token-file", options.token_file,
                 "File with the bearer token that HTTP clients must send. Needed where others can reach the address")
      ->envname("ADIT_TOKEN_FILE")
      ->type_name("FILE");
  add_list(app, "--allow-host", options.allowed_hosts,
           "Host name by which HTTP clients may call the server, beside localhost, 127.0.0.1 and [::1]; repeat for "
           "more",
           "NAME");
  add_list(app, "--allow-origin", options.allowed_origins,
           "Origin whose pages may use the server from a browser, such as https://app.example.org; repeat for more",
           "ORIGIN");
  app.add_flag("--unsafe-no-token", options.without_token_anywhere,
               "Serve HTTP without a token on an address that others can reach");
  app.add_flag("--unsafe-no-sandbox", options.without_sandbox,
               "Serve HTTP on a machine whose kernel cannot confine the query engine");
}

void adapt_to_http(const CLI::App& app, ServerOptions& options) {
  if (options.http.address.empty()) return;
  auto& limits = options.limits;
  if (app.get_option("--live-workers")->count() == 0) {
    limits.live_workers = 2 * std::max(1u, std::thread::hardware_concurrency()) + 4;
  }
  limits.open_workspaces_of_owner = std::min(limits.open_workspaces, kWorkspacesOfOwner);
  limits.lifetime = workspace::Lifetime{};
}

Result<mcp::HttpOptions> transport_options(const HttpServeOptions& options) {
  mcp::HttpOptions transport;
  transport.address = options.address;
  transport.allowed_hosts = options.allowed_hosts;
  transport.allowed_origins = options.allowed_origins;
  transport.without_token_anywhere = options.without_token_anywhere;
  if (!options.token_file.empty()) {
    ADIT_TRY(transport.token, read_token(options.token_file));
  }
  return transport;
}

}  // namespace adit::app
