// A small MCP client over stdio: starts a server as a child process and calls it. For the demo, the benchmarks and
// the tests; it speaks the modern revision.
#pragma once

#include "adit/io/child_process.h"
#include "adit/io/event_loop.h"

#include <boost/json.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace adit::mcp {

class StdioClient {
 public:
  static Result<std::unique_ptr<StdioClient>> start(io::EventLoop& loop, std::string program,
                                                    std::vector<std::string> arguments,
                                                    std::vector<std::string> environment);
  StdioClient(const StdioClient&) = delete;
  StdioClient& operator=(const StdioClient&) = delete;
  ~StdioClient();

  // The `result` of a request; a JSON-RPC error is an Error. Modern: version and capabilities are added to _meta.
  Task<boost::json::object> request(std::string method, boost::json::object params);

  // tools/call. An isError result is a value, too.
  Task<boost::json::object> call_tool(std::string name, boost::json::object arguments);

  pid_t pid() const;
  boost::asio::awaitable<io::ExitStatus> close();  // closes the server's stdin and waits for its end

 private:
  struct State;
  explicit StdioClient(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace adit::mcp
