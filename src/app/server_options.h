// The options that every command shares: where files may lie, limits, the log. Flags stand over environment variables,
// these over the configuration file, this over the defaults.
#pragma once

#include "adit/base/result.h"
#include "options.h"

#include <CLI/App.hpp>

namespace adit::app {

// Declares the options on the program itself; commands fall through to them.
void add_server_options(CLI::App& app, ServerOptions& options);

// REQUIRES: `app` has parsed its command line. What neither a flag nor the environment has set is taken from the
// environment's ADIT_ROOT and from the configuration file. An error names the file, the line and the key.
Result<void> complete_server_options(CLI::App& app, const ServerOptions& options);

}  // namespace adit::app
