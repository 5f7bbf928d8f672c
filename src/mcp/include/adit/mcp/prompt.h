// What a prompt is to the protocol: texts, arguments, and a function that makes messages of them.
#pragma once

#include "adit/base/task.h"
#include "adit/mcp/completion.h"
#include "adit/mcp/dialogue.h"
#include "adit/mcp/icon.h"

#include <boost/json.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace adit::mcp {

struct PromptArgument {
  std::string name;
  std::string title;
  std::string description;
  bool required = false;
  CompletionSource complete = {};
};

struct PromptMessage {
  std::string role;             // "user", "assistant"
  boost::json::object content;  // a block of content.h
};

struct PromptResult {
  std::string description;
  std::vector<PromptMessage> messages;
};

using PromptArguments = std::map<std::string, std::string>;

struct Prompt {
  std::string name;
  std::string title;
  std::string description;
  std::vector<PromptArgument> arguments = {};
  std::vector<Icon> icons = {};

  // Gets known arguments only, the required ones among them, none of them blank.
  std::function<Task<PromptResult>(Dialogue dialogue, PromptArguments arguments)> get = {};
};

}  // namespace adit::mcp
