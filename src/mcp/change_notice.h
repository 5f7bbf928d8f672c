// A change as a notification.
#pragma once

#include "adit/mcp/change_feed.h"
#include "adit/mcp/outgoing.h"

#include <boost/json.hpp>

namespace adit::mcp {

// `meta`: members of _meta; may be empty.
Outgoing change_notice(const Change& change, const boost::json::object& meta);

}  // namespace adit::mcp
