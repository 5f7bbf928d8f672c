// The commands. Each gives the program's exit code.
#pragma once

#include "options.h"

namespace adit::app {

int serve(const ServerOptions& options);       // on standard input and output
int serve_http(const ServerOptions& options);  // REQUIRES: an address
int call(const ServerOptions& options, const CallOptions& call);
int query(const ServerOptions& options, const QueryOptions& query);
int demo(const ServerOptions& options, const DemoOptions& demo);
int print_config(const ServerOptions& options, const std::string& client);
int doctor(ServerOptions options);

}  // namespace adit::app
