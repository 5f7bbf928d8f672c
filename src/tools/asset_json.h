// Portals and their assets as tools and resources show them.
#pragma once

#include "adit/socrata/asset.h"
#include "adit/socrata/client.h"

#include <boost/json.hpp>

#include <string>

namespace adit::tools {

boost::json::object portal_object(const socrata::PortalEntry& portal);
boost::json::object asset_object(const socrata::Asset& asset, const std::string& domain);

}  // namespace adit::tools
