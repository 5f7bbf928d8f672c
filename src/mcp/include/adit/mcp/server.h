// The protocol's core: which methods exist, what they answer in each era, and which calls are under way. Transports
// feed it one message at a time and carry its lines back.
#pragma once

#include "adit/io/event_loop.h"
#include "adit/mcp/tool.h"

#include <functional>
#include <map>
#include <memory>
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

// One client's connection on which both eras may be spoken: a stdio pipe. Loop thread only.
class Connection {
 public:
  using Send = std::function<void(std::string line)>;

  Connection(io::EventLoop& loop, const Server& server, Send send);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();  // REQUIRES: join() has ended, or the loop has stopped for good

  // One message's text. Never waits: calls go on beside the reading of further messages.
  void receive(std::string_view message);

  // A message that the transport could not take whole (too long).
  void refuse(const Error& error);

  std::size_t running_calls() const;
  void cancel_all();                    // as if each call had been cancelled
  boost::asio::awaitable<void> join();  // until no call runs

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace adit::mcp
