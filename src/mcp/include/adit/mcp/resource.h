// What a client can read by address: single resources, and families of them whose addresses follow a template.
#pragma once

#include "adit/base/request_context.h"
#include "adit/base/task.h"
#include "adit/mcp/completion.h"
#include "adit/mcp/icon.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace adit::mcp {

struct ResourceContent {
  std::string uri;
  std::string mime_type;
  std::string text;
  std::optional<std::string> bytes = {};  // what is no text; sent instead of it, as base64
};

using ResourceContents = std::vector<ResourceContent>;

// Hints for clients: for whom a thing is, and how much it matters, 0 to 1.
struct ContentAnnotations {
  std::vector<std::string> audience = {};  // "user", "assistant"
  std::optional<double> priority = {};
};

// How long a client may keep what it read (R10).
struct CacheHint {
  std::int64_t ttl_ms = 0;
  bool same_for_everyone = false;
};

struct Resource {
  std::string uri;
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  std::optional<std::int64_t> size = {};  // bytes, where known
  ContentAnnotations annotations = {};
  std::vector<Icon> icons = {};
  CacheHint cache = {};

  // A not_found error means that there is no such resource (any more).
  std::function<Task<ResourceContents>(RequestContext context)> read = {};
};

using UriVariables = std::map<std::string, std::string>;

struct ResourceTemplate {
  std::string uri_template;  // RFC 6570, level 1: adit://workspaces/{id}
  std::string name;
  std::string title;
  std::string description;
  std::string mime_type;
  ContentAnnotations annotations = {};
  std::vector<Icon> icons = {};
  CacheHint cache = {};

  // Gets the address as it was asked for and its variables, decoded and free of separators (R3).
  std::function<Task<ResourceContents>(RequestContext context, std::string uri, UriVariables variables)> read = {};

  // Those that exist now, for resources/list; they are read by their address through `read`. Empty: none is listed.
  std::function<std::vector<Resource>(RequestContext context)> list = {};

  std::map<std::string, CompletionSource> completions = {};  // by variable
};

}  // namespace adit::mcp
