#include "message_log.h"

#include "rpc_message.h"

namespace adit::mcp {
namespace json = boost::json;

void MessageLog::write(LogLevel level, std::string_view logger, const json::value& data) const {
  if (!wants(level)) return;
  const json::object params{{"level", log_level_text(level)}, {"logger", logger}, {"data", data}};
  send_({.line = notification("notifications/message", json::serialize(params)), .kind = Outgoing::Kind::notification});
}

}  // namespace adit::mcp
