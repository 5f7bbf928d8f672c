#include "adit/mcp/server.h"

#include "adit/base/sha256.h"

namespace adit::mcp {
namespace {

constexpr std::size_t kKeyBytes = 32;

template <class T>
const T* find_named(const std::vector<T>& things, std::string_view name) {
  for (const auto& thing : things) {
    if (thing.name == name) return &thing;
  }
  return nullptr;
}

}  // namespace

Server::Server(ServerInfo info, Offer offer)
    : info_(std::move(info)), offer_(std::move(offer)), key_(random_bytes(kKeyBytes)) {}

Server::Server(ServerInfo info, std::vector<Tool> tools) : Server(std::move(info), Offer{.tools = std::move(tools)}) {}

const Tool* Server::find_tool(std::string_view name) const { return find_named(offer_.tools, name); }
const Prompt* Server::find_prompt(std::string_view name) const { return find_named(offer_.prompts, name); }

}  // namespace adit::mcp
