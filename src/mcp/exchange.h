// One request while it is handled: what a method may read and use.
#pragma once

#include "adit/base/request_context.h"
#include "adit/mcp/server.h"
#include "era.h"
#include "legacy_session.h"
#include "message_log.h"
#include "progress_notifier.h"
#include "reply.h"

#include <boost/json.hpp>

#include <memory>
#include <string>

namespace adit::mcp {

struct Exchange {
  const Server& server;
  Revision revision;
  std::string method;
  boost::json::object params;
  Reply reply;
  RequestContext context;
  RequestContext finishing;                // cancelled when the connection comes to its end in good order
  std::shared_ptr<LegacySession> session;  // legacy revisions only
  std::shared_ptr<ProgressNotifier> progress;
  std::shared_ptr<MessageLog> log;
  io::EventLoop& loop;

  bool modern() const { return revision == Revision::v2026_07_28; }
};

}  // namespace adit::mcp
