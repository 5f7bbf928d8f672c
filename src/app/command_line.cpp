#include "adit/app/command_line.h"

#include "commands.h"
#include "http_options.h"
#include "server_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace adit::app {

int run(int argc, char** argv) {
  CLI::App app(
      "adit opens datasets to AI agents as SQL: an MCP server and command-line tool.\n"
      "Without a command it serves MCP on standard input and output, or over HTTP with --http.",
      "adit");
  app.set_version_flag("--version", ADIT_VERSION);
  app.require_subcommand(0, 1);

  ServerOptions server;
  DemoOptions demo_options;
  CallOptions call_options;
  QueryOptions query_options;

  add_server_options(app, server);
  add_http_options(app, server.http);

  // Options above hold for every command, before or behind its name.
  app.fallthrough();
  auto* serve_command =
      app.add_subcommand("serve", "Serve MCP on standard input and output, or over HTTP with --http (the default)");

  auto* demo_command = app.add_subcommand("demo", "Run the main job on real data: open two files, join them, page");
  demo_command->add_option("--data", demo_options.data, "Directory with flights-3m.parquet and airports.csv")
      ->required()
      ->type_name("DIR");

  auto* query_command = app.add_subcommand("query", "Run one SQL statement over files and print its rows");
  query_command->add_option("words", query_options.words, "Files (each is a relation named after it), then the SQL")
      ->required()
      ->type_name("FILE... SQL");
  query_command
      ->add_option("--format", query_options.format,
                   "table, csv, json, ndjson or parquet. Default: table on a terminal, else csv")
      ->type_name("FORMAT")
      ->transform(CLI::CheckedTransformer(std::map<std::string, RowFormat>{{"table", RowFormat::table},
                                                                           {"csv", RowFormat::csv},
                                                                           {"json", RowFormat::json},
                                                                           {"ndjson", RowFormat::ndjson},
                                                                           {"parquet", RowFormat::parquet}})
                      .description(""));
  query_command->add_option("--limit", query_options.limit, "Most rows of a table")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("N");

  auto* call_command = app.add_subcommand("call", "Call one tool and print its structured answer as JSON");
  call_command
      ->add_option("tool", call_options.tool,
                   "Name of the tool: open_dataset, describe_dataset, query, list_datasets, close_dataset")
      ->required();
  call_command->add_option("arguments", call_options.arguments, "key=value; lists and objects as JSON");

  std::string client;
  auto* print_command =
      app.add_subcommand("print-config", "Print what a client's configuration needs to start this program");
  print_command
      ->add_option("client", client,
                   "claude-desktop, claude-code, cursor, vscode, windsurf, zed, codex, gemini or inspector")
      ->required()
      ->type_name("CLIENT");
  auto* doctor_command = app.add_subcommand("doctor", "Tell what works on this machine, by using it");

  for (auto* command : app.get_subcommands({}))
    command->footer("The options of adit itself (adit --help) hold here, too.");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (auto completed = complete_server_options(app, server); !completed.ok()) {
    fmt::print(stderr, "adit: {}. {}\n", completed.error().message, completed.error().hint);
    return 2;
  }
  // A configuration file may name the address; other commands serve nobody.
  if (!app.get_subcommands().empty() && !serve_command->parsed()) server.http = {};
  log::set_level(server.log_level);
  if (demo_command->parsed()) return demo(server, demo_options);
  if (query_command->parsed()) return query(server, query_options);
  if (call_command->parsed()) return call(server, call_options);
  if (print_command->parsed()) return print_config(server, client);
  if (doctor_command->parsed()) return doctor(server);
  adapt_to_http(app, server);
  return server.http.address.empty() ? serve(server) : serve_http(server);
}

}  // namespace adit::app
