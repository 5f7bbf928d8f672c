// What a server offers, whoever asks: who it is, its tools, resources and prompts.
#pragma once

#include "adit/mcp/change_feed.h"
#include "adit/mcp/prompt.h"
#include "adit/mcp/resource.h"
#include "adit/mcp/tool.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace adit::mcp {

struct ServerInfo {
  std::string name;
  std::string title;
  std::string version;
  std::string description;
  std::string instructions;  // at most 2 KB: the order of the tools, limits, quoting (D6)
  std::vector<Icon> icons = {};
};

// In the order in which the lists show them. What is empty is not declared as a capability (D3).
struct Offer {
  std::vector<Tool> tools;
  std::vector<Resource> resources = {};
  std::vector<ResourceTemplate> resource_templates = {};
  std::vector<Prompt> prompts = {};

  // Where changes of the lists and of resources are published; nullptr: nothing changes, and nobody can listen.
  ChangeFeed* changes = nullptr;

  std::size_t page_size = 100;  // entries of one page of a list (R9)
};

// Immutable after construction; shared by all connections.
class Server {
 public:
  Server(ServerInfo info, Offer offer);
  Server(ServerInfo info, std::vector<Tool> tools);

  const ServerInfo& info() const { return info_; }
  const Offer& offer() const { return offer_; }
  const std::vector<Tool>& tools() const { return offer_.tools; }
  const Tool* find_tool(std::string_view name) const;
  const Prompt* find_prompt(std::string_view name) const;

  // Signs what clients keep for us and give back: a secret of this process.
  const std::string& key() const { return key_; }

 private:
  ServerInfo info_;
  Offer offer_;
  std::string key_;
};

}  // namespace adit::mcp
