// What JSON-RPC errors of methods share (J3, J4).
#pragma once

#include "adit/base/error.h"

#include <string>
#include <string_view>

namespace adit::mcp {

// An Error of a handler, with a code that the protocol knows.
Error method_error(Error error);

// A client's text as a quoted part of a message, shortened.
std::string shown_name(std::string_view name);

}  // namespace adit::mcp
