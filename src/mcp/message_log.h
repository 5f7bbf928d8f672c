// notifications/message for one request (P4, P5): only at or above the level that the client asked for.
#pragma once

#include "adit/mcp/log_level.h"
#include "adit/mcp/outgoing.h"

#include <boost/json.hpp>

#include <optional>
#include <string_view>

namespace adit::mcp {

class MessageLog {
 public:
  // Without a level nothing is sent.
  MessageLog(Send send, std::optional<LogLevel> level) : send_(std::move(send)), level_(level) {}

  bool wants(LogLevel level) const { return level_ && level >= *level_; }
  void write(LogLevel level, std::string_view logger, const boost::json::value& data) const;
  void finish() { level_.reset(); }  // the answer is sent, or the request cancelled: nothing more

 private:
  Send send_;
  std::optional<LogLevel> level_;
};

}  // namespace adit::mcp
