// The methods of both eras, as one table (methods.cpp).
#pragma once

#include "adit/base/task.h"
#include "exchange.h"

#include <memory>
#include <string_view>

namespace adit::mcp {

struct Method {
  std::string_view name;
  enum class Eras { both, modern, legacy } eras;
  bool (*offered)(const Server& server);  // D3: what is not declared is unknown

  // One of the two: an answer at once, or work that goes on beside the reading of further messages.
  Answer (*answer)(Exchange& exchange) = nullptr;
  boost::asio::awaitable<Answer> (*run)(std::shared_ptr<Exchange> exchange) = nullptr;
};

// nullptr: unknown in this era, or not offered.
const Method* find_method(const Server& server, std::string_view name, Revision revision);

// tool_methods.cpp
Answer list_tools(Exchange& exchange);
boost::asio::awaitable<Answer> call_tool(std::shared_ptr<Exchange> exchange);

// resource_methods.cpp
Answer list_resources(Exchange& exchange);
Answer list_resource_templates(Exchange& exchange);
boost::asio::awaitable<Answer> read_resource(std::shared_ptr<Exchange> exchange);
bool has_resource(const Offer& offer, const std::string& uri);  // one of the list, or what fits a template
Answer resource_not_found(const Exchange& exchange, const std::string& uri);

// prompt_methods.cpp
Answer list_prompts(Exchange& exchange);
boost::asio::awaitable<Answer> get_prompt(std::shared_ptr<Exchange> exchange);

// completion_method.cpp
boost::asio::awaitable<Answer> complete(std::shared_ptr<Exchange> exchange);

// subscription_methods.cpp
boost::asio::awaitable<Answer> listen(std::shared_ptr<Exchange> exchange);
Answer subscribe_resource(Exchange& exchange);
Answer unsubscribe_resource(Exchange& exchange);

}  // namespace adit::mcp
