// The configuration file: TOML whose keys are the program's options without their dashes.
#pragma once

#include "adit/base/result.h"

#include <CLI/App.hpp>

#include <string>

namespace adit::app {

// Sets every option of the file that is not set yet. An unknown key, a value that does not fit or a file that cannot be
// read is an error with file, line and key: nothing is passed over.
Result<void> apply_config_file(CLI::App& app, const std::string& path);

}  // namespace adit::app
