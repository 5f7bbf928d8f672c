// What a tool is to the protocol: a name, texts, two schemas and a function. Nothing here knows a transport or an era,
// and a tool knows nothing of JSON-RPC.
#pragma once

#include "adit/base/request_context.h"
#include "adit/base/task.h"
#include "adit/mcp/dialogue.h"
#include "adit/mcp/icon.h"

#include <boost/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace adit::mcp {

// Hints for people and clients; the protocol's defaults are pessimistic, so all four are always told (T5).
struct ToolAnnotations {
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = true;
};

struct ToolResult {
  std::string structured;  // one JSON object: structuredContent; empty: none
  std::string text;        // the text block; empty: the same JSON as text
  bool is_error = false;
  boost::json::array content = {};  // further blocks behind the text (content.h)
};

struct Tool {
  std::string name;  // 1 to 64 of [A-Za-z0-9_.-] (T1)
  std::string title;
  std::string description;
  boost::json::object input_schema;   // 2020-12, root object, closed; arguments are validated against it
  boost::json::object output_schema;  // what `structured` conforms to, errors included; empty: nothing is structured
  ToolAnnotations annotations;

  // Gets arguments that fit the input schema. An Error it returns is rendered by render_error.
  std::function<Task<ToolResult>(RequestContext context, boost::json::object arguments)> call;
  std::function<ToolResult(const Error& error)> render_error;

  // Instead of `call`, for a tool that speaks with its client while it works.
  std::function<Task<ToolResult>(Dialogue dialogue, boost::json::object arguments)> converse = {};

  std::vector<Icon> icons = {};
};

}  // namespace adit::mcp
