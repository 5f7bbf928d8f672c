#include "adit/app/command_line.h"

#include "commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace adit::app {
namespace {

// Options of every command that runs a server's parts. Flags over environment over default.
void add_server_options(CLI::App& command, ServerOptions& options) {
  command
      .add_option("--root", options.roots,
                  "Directory whose files may be opened; repeat for more. Default: the working directory, unless it is "
                  "/, the home directory or above it, or a system directory. Environment: ADIT_ROOT, several with :")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("DIR");
  command
      .add_option("--state-dir", options.state_dir,
                  "Where open datasets live on disk while they are open. Default: adit in the user's cache directory")
      ->envname("ADIT_STATE_DIR")
      ->type_name("DIR");
  command.add_option("--worker", options.worker_program, "Path of adit-worker. Default: beside this program")
      ->envname("ADIT_WORKER")
      ->type_name("FILE");
  command
      .add_option("--answer-bytes", options.answer_bytes,
                  "Most bytes of an answer's structured content; 0 for no limit")
      ->envname("ADIT_ANSWER_BYTES")
      ->capture_default_str()
      ->type_name("N");
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

void add_log_option(CLI::App& command, log::Level& level) {
  command.add_option("--log-level", level, "What is logged on standard error: debug, info, warning, error or off")
      ->envname("ADIT_LOG_LEVEL")
      ->type_name("LEVEL")
      ->transform(CLI::CheckedTransformer(std::map<std::string, log::Level>{{"debug", log::Level::debug},
                                                                            {"info", log::Level::info},
                                                                            {"warning", log::Level::warning},
                                                                            {"error", log::Level::error},
                                                                            {"off", log::Level::off}},
                                          CLI::ignore_case)
                      .description(""));
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app(
      "adit opens datasets to AI agents as SQL: an MCP server and command-line tool.\n"
      "Without a command it serves MCP on standard input and output.",
      "adit");
  app.set_version_flag("--version", ADIT_VERSION);
  app.require_subcommand(0, 1);

  ServerOptions server;
  DemoOptions demo_options;
  CallOptions call_options;
  QueryOptions query_options;
  auto level = log::Level::warning;

  add_server_options(app, server);
  add_log_option(app, level);

  // Options above hold for every command, before or behind its name.
  app.fallthrough();
  app.add_subcommand("serve", "Serve MCP on standard input and output (the default)");

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
  for (auto* command : app.get_subcommands({}))
    command->footer("The options of adit itself (adit --help) hold here, too.");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  log::set_level(level);
  // A flag goes before the environment; the option takes several values, which the library's own reading of the
  // environment mixes up with the words behind the flag.
  if (server.roots.empty()) server.roots = directories_in(std::getenv("ADIT_ROOT"));
  if (demo_command->parsed()) return demo(server, demo_options);
  if (query_command->parsed()) return query(server, query_options);
  if (call_command->parsed()) return call(server, call_options);
  return serve(server);
}

}  // namespace adit::app
