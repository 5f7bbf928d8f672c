// adit print-config CLIENT: what to put into a client's configuration, with this program's own path.
#include "commands.h"

#include "adit/base/nearest_name.h"
#include "wiring.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

namespace adit::app {
namespace json = boost::json;
namespace {

// The JSON that a client wants around the server's entry, or another form.
enum class Form { mcp_servers, vscode_servers, context_servers, toml, shell };

struct Client {
  std::string_view name;
  std::string_view place;
  Form form;
};

constexpr std::array<Client, 9> kClients = {{
    {"claude-desktop", "claude_desktop_config.json (Settings, Developer, Edit Config)", Form::mcp_servers},
    {"claude-code", "a shell, once", Form::shell},
    {"cursor", "~/.cursor/mcp.json, or .cursor/mcp.json of a project", Form::mcp_servers},
    {"vscode", ".vscode/mcp.json of a project", Form::vscode_servers},
    {"windsurf", "~/.codeium/windsurf/mcp_config.json", Form::mcp_servers},
    {"zed", "settings.json of Zed", Form::context_servers},
    {"codex", "~/.codex/config.toml", Form::toml},
    {"gemini", "~/.gemini/settings.json", Form::mcp_servers},
    {"inspector", "a file for --config of the MCP Inspector, with --server adit", Form::mcp_servers},
}};

// Without --root a client's working directory would count, which may be any: the one of this command is named instead.
std::vector<std::string> arguments_for(const ServerOptions& options) {
  std::vector<std::string> arguments{"serve"};
  auto roots = options.roots;
  if (roots.empty()) roots.emplace_back(".");
  for (const auto& root : roots) {
    arguments.emplace_back("--root");
    arguments.push_back(std::filesystem::weakly_canonical(root).string());
  }
  return arguments;
}

// Two spaces a level; what is short enough for a line of its own stays one.
void append_pretty(std::string& out, const json::value& value, int level = 0) {
  const auto* object = value.if_object();
  if (object == nullptr) {
    out += json::serialize(value);
    return;
  }
  out += "{\n";
  for (auto member = object->begin(); member != object->end(); ++member) {
    out.append(static_cast<std::size_t>(level + 1) * 2, ' ');
    out.append(json::serialize(json::string(member->key()))).append(": ");
    append_pretty(out, member->value(), level + 1);
    out += member + 1 == object->end() ? "\n" : ",\n";
  }
  out.append(static_cast<std::size_t>(level) * 2, ' ') += '}';
}

std::string in_json(std::string_view key, json::object server) {
  std::string out;
  append_pretty(out, json::object{{key, json::object{{"adit", std::move(server)}}}});
  return out;
}

std::string quoted_for_shell(const std::string& word) {
  const bool plain =
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == std::string::npos;
  if (plain && !word.empty()) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') quoted += "'\\''";
    else quoted += c;
  }
  return quoted + "'";
}

std::string configuration(Form form, const std::string& program, const std::vector<std::string>& arguments) {
  json::object server{{"command", program}, {"args", json::value_from(arguments)}};
  switch (form) {
    case Form::mcp_servers: return in_json("mcpServers", std::move(server));
    case Form::context_servers: return in_json("context_servers", std::move(server));
    case Form::vscode_servers: {
      json::object typed{{"type", "stdio"}};
      for (auto& member : server) typed.emplace(member.key(), std::move(member.value()));
      return in_json("servers", std::move(typed));
    }
    case Form::toml:  // a JSON string is a TOML string
      return fmt::format("[mcp_servers.adit]\ncommand = {}\nargs = {}", json::serialize(server.at("command")),
                         json::serialize(server.at("args")));
    case Form::shell: break;
  }
  std::string line = "claude mcp add adit -- " + quoted_for_shell(program);
  for (const auto& argument : arguments) line += " " + quoted_for_shell(argument);
  return line;
}

}  // namespace

int print_config(const ServerOptions& options, const std::string& client) {
  const auto* known =
      std::find_if(kClients.begin(), kClients.end(), [&](const Client& one) { return one.name == client; });
  if (known == kClients.end()) {
    std::vector<std::string> names;
    for (const auto& one : kClients) names.emplace_back(one.name);
    const auto nearest = nearest_names(client, names);
    fmt::print(stderr, "adit: there is no client {}{}\nClients: {}\n", client,
               nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest.front()), fmt::join(names, ", "));
    return 2;
  }
  fmt::print(stderr, "# For {}\n", known->place);
  fmt::print("{}\n", configuration(known->form, own_program(), arguments_for(options)));
  return 0;
}

}  // namespace adit::app
