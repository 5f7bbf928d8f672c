// The engine's failures in the contract's words (errorKinds and errorStages of contract/sql.json).
#pragma once

#include "adit/base/error.h"

#include <duckdb.h>

#include <string>
#include <string_view>

namespace adit::worker {

// `text` as the C API gives it with errors_as_json on. `stage` is where we were: "bind" or "execute"; errors that
// only parsing or binding can raise say so whatever the stage.
Error engine_error(const char* text, duckdb_error_type type, std::string_view stage);

// An engine's message without advice that the gate would refuse.
std::string cleaned_message(std::string_view message);

}  // namespace adit::worker
