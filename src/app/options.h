// What the command line decided, as plain values.
#pragma once

#include "adit/base/log.h"
#include "adit/workspace/limits.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace adit::app {

struct HttpServeOptions {
  std::string address;  // --http; empty: standard input and output
  std::string token_file;
  std::vector<std::string> allowed_hosts, allowed_origins;
  bool without_token_anywhere = false;  // --unsafe-no-token
  bool without_sandbox = false;         // --unsafe-no-sandbox
};

struct PortalOptions {
  std::string default_domain = "data.seattle.gov";
  std::string app_token;  // SOCRATA_APP_TOKEN
  std::vector<std::string> token_hosts;
  std::vector<std::string> portal_map;  // NAME=URL
  std::chrono::milliseconds retry_delay{500};
  std::chrono::milliseconds call_limit{180'000};
};

struct ServerOptions {
  std::vector<std::string> roots;  // --root; empty: the working directory, if it is one that a user would mean
  std::string state_dir;
  std::string worker_program;  // empty: adit-worker beside this program
  std::size_t answer_bytes = 56'000;
  log::Level log_level = log::Level::warning;
  std::string config_file;  // empty: the usual one, if it is there
  workspace::Limits limits;
  PortalOptions portals;
  HttpServeOptions http;
};

struct DemoOptions {
  std::string data;  // directory with flights-3m.parquet and airports.csv
};

enum class RowFormat { automatic, table, csv, json, ndjson, parquet };

struct QueryOptions {
  std::vector<std::string> words;  // files, then one SQL text
  RowFormat format = RowFormat::automatic;
  std::int64_t limit = 100;  // rows of a table
};

struct CallOptions {
  std::string tool;
  std::vector<std::string> arguments;  // key=value
};

}  // namespace adit::app
