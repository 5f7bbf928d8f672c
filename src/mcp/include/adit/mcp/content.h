// Blocks of content as they stand in results of tools and messages of prompts.
#pragma once

#include "adit/mcp/resource.h"

#include <boost/json.hpp>

#include <string_view>

namespace adit::mcp {

boost::json::object text_content(std::string_view text);
boost::json::object image_content(std::string_view bytes, std::string_view mime_type);
boost::json::object audio_content(std::string_view bytes, std::string_view mime_type);
boost::json::object embedded_resource(const ResourceContent& resource);

// {uri, mimeType, text or blob}: an entry of resources/read, and what embedded_resource holds.
boost::json::object resource_content(const ResourceContent& resource);

}  // namespace adit::mcp
