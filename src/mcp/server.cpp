#include "adit/mcp/server.h"

namespace adit::mcp {

Server::Server(ServerInfo info, std::vector<Tool> tools) : info_(std::move(info)), tools_(std::move(tools)) {}

const Tool* Server::find_tool(std::string_view name) const {
  for (const auto& tool : tools_) {
    if (tool.name == name) return &tool;
  }
  return nullptr;
}

}  // namespace adit::mcp
