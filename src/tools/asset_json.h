// An asset of a portal as the tools show it.
#pragma once

#include "adit/socrata/asset.h"

#include <boost/json.hpp>

#include <string>

namespace adit::tools {

boost::json::object asset_object(const socrata::Asset& asset, const std::string& domain);

}  // namespace adit::tools
