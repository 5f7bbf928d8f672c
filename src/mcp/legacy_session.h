// What a legacy client has said on its connection since initialize.
#pragma once

#include "adit/mcp/change_feed.h"
#include "adit/mcp/log_level.h"
#include "client_requests.h"
#include "era.h"

#include <boost/json.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>

namespace adit::mcp {

struct LegacySession {
  Revision revision = kNewestLegacy;
  boost::json::object client_capabilities;
  std::shared_ptr<ClientRequests> requests;
  std::optional<LogLevel> log_level = {};    // P5: nothing is sent before the client has set one
  std::set<std::string> subscriptions = {};  // R5: addresses of resources
  ChangeFeed::Guard changes = {};
};

}  // namespace adit::mcp
