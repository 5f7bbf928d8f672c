// The options of adit serve --http.
#pragma once

#include "adit/base/result.h"
#include "adit/mcp/http_transport.h"
#include "options.h"

#include <CLI/App.hpp>

namespace adit::app {

void add_http_options(CLI::App& app, HttpServeOptions& options);

// REQUIRES: `app` has its options from everywhere. What a server for many callers has other defaults for.
void adapt_to_http(const CLI::App& app, ServerOptions& options);

// Reads the token file. Errors name the file, never what is in it.
Result<mcp::HttpOptions> transport_options(const HttpServeOptions& options);

}  // namespace adit::app
