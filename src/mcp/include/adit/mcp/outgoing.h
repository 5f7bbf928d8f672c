// A message on its way to the client, and what a transport must know of it without reading it.
#pragma once

#include "adit/base/error.h"

#include <functional>
#include <optional>
#include <string>

namespace adit::mcp {

struct Outgoing {
  enum class Kind {
    response,      // the last message for its request
    notification,  // progress, logs, changes
    request,       // the server asks the client (legacy revisions only)
  };

  std::string line;  // one line of JSON without its end
  Kind kind = Kind::response;
  std::optional<ErrorCode> error = {};  // of a response that is a JSON-RPC error: HTTP's status follows from it
};

using Send = std::function<void(Outgoing message)>;

}  // namespace adit::mcp
