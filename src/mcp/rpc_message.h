// JSON-RPC 2.0 as MCP uses it: reading one message, printing one answer. Ids of rules are those of docs/protocol.md.
#pragma once

#include "adit/base/result.h"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace adit::mcp {

// An id as its JSON text: `7` and `"7"` differ, and the answer carries the same type (J1).
using RequestId = std::string;

enum class MessageKind { request, notification, response };

struct Message {
  MessageKind kind{};
  RequestId id;  // of a request; of a response where it could be read
  std::string method;
  boost::json::object params;  // empty when absent

  // Of a response: the client's `result`, or the `message` of its error.
  boost::json::object result = {};
  std::optional<std::string> failure = {};
};

// What a message that is not one gets: the id only where it could be read (J3).
struct BadMessage {
  std::optional<RequestId> id;
  Error error;
};

struct ParsedMessage {
  std::optional<Message> message;
  std::optional<BadMessage> bad;
};

ParsedMessage parse_message(std::string_view text);

// `result` is a JSON object's text, spliced as it is.
std::string success_response(const RequestId& id, std::string_view result);

// `data`: members of error.data beside what the error itself tells; may be empty.
std::string error_response(const std::optional<RequestId>& id, const Error& error, boost::json::object data = {});

// `params` is a JSON object's text.
std::string request(const RequestId& id, std::string_view method, std::string_view params);
std::string notification(std::string_view method, std::string_view params);

}  // namespace adit::mcp
