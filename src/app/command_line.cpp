#include "adit/app/command_line.h"

#include "commands.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace adit::app {
namespace {

// Options of every command that runs a server's parts. Flags over environment over default.
void add_server_options(CLI::App& command, ServerOptions& options) {
  command
      .add_option("--root", options.roots,
                  "Directory whose files may be opened; repeat for more. Default: the working directory, unless it is "
                  "/, the home directory or above it, or a system directory")
      ->envname("ADIT_ROOT")
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
  auto level = log::Level::warning;

  add_server_options(app, server);
  add_log_option(app, level);

  auto* serve_command = app.add_subcommand("serve", "Serve MCP on standard input and output (the default)");
  add_server_options(*serve_command, server);
  add_log_option(*serve_command, level);

  auto* demo_command = app.add_subcommand("demo", "Run the main job on real data: open two files, join them, page");
  demo_command->add_option("--data", demo_options.data, "Directory with flights-3m.parquet and airports.csv")
      ->required()
      ->type_name("DIR");
  demo_command->add_option("--state-dir", server.state_dir, "As for serve")->type_name("DIR");

  auto* call_command = app.add_subcommand("call", "Call one tool and print its structured answer as JSON");
  call_command->add_option("tool", call_options.tool, "Name of the tool: open_dataset, query, close_dataset")
      ->required();
  call_command->add_option("arguments", call_options.arguments, "key=value; lists and objects as JSON");
  add_server_options(*call_command, server);
  add_log_option(*call_command, level);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  log::set_level(level);
  if (demo_command->parsed()) return demo(server, demo_options);
  if (call_command->parsed()) return call(server, call_options);
  return serve(server);
}

}  // namespace adit::app
