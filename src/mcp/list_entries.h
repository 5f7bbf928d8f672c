// How tools, resources and prompts stand in their lists. Members newer than the agreed revision are left out (D4).
#pragma once

#include "adit/mcp/server.h"
#include "era.h"

#include <boost/json.hpp>

#include <vector>

namespace adit::mcp {

boost::json::object list_entry(const Tool& tool, Revision revision);
boost::json::object list_entry(const Resource& resource, Revision revision);
boost::json::object list_entry(const ResourceTemplate& resource_template, Revision revision);
boost::json::object list_entry(const Prompt& prompt, Revision revision);

boost::json::array icons_array(const std::vector<Icon>& icons);

}  // namespace adit::mcp
