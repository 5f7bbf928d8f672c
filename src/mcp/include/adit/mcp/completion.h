// Proposals for an argument of a prompt or a variable of a resource template while it is typed (R8).
#pragma once

#include "adit/base/request_context.h"
#include "adit/base/task.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace adit::mcp {

struct CompletionRequest {
  std::string value;                          // what has been typed so far
  std::map<std::string, std::string> others;  // arguments that the user has filled in already
};

// All candidates, best first. The protocol layer keeps those that fit what was typed, and at most a hundred. The
// context's deadline is short; an error means no proposals.
using CompletionSource =
    std::function<Task<std::vector<std::string>>(RequestContext context, CompletionRequest request)>;

}  // namespace adit::mcp
