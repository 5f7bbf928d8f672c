// What the command line decided, as plain values.
#pragma once

#include "adit/base/log.h"
#include "adit/workspace/limits.h"

#include <cstddef>
#include <string>
#include <vector>

namespace adit::app {

struct ServerOptions {
  std::vector<std::string> roots;  // --root; empty: the working directory, if it is one that a user would mean
  std::string state_dir;
  std::string worker_program;  // empty: adit-worker beside this program
  std::size_t answer_bytes = 56'000;
  workspace::Limits limits;
};

struct DemoOptions {
  std::string data;  // directory with flights-3m.parquet and airports.csv
};

struct CallOptions {
  std::string tool;
  std::vector<std::string> arguments;  // key=value
};

}  // namespace adit::app
