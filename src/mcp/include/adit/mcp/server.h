// What a server offers, whoever asks: who it is, and its tools.
#pragma once

#include "adit/mcp/tool.h"

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
};

// Immutable after construction; shared by all connections.
class Server {
 public:
  Server(ServerInfo info, std::vector<Tool> tools);

  const ServerInfo& info() const { return info_; }
  const std::vector<Tool>& tools() const { return tools_; }
  const Tool* find_tool(std::string_view name) const;

 private:
  ServerInfo info_;
  std::vector<Tool> tools_;
};

}  // namespace adit::mcp
