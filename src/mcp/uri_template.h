// Addresses of a family of resources: RFC 6570, level 1, read backwards (R3).
#pragma once

#include "adit/mcp/resource.h"

#include <optional>
#include <string_view>

namespace adit::mcp {

// The variables of `uri`, percent-decoded once; nothing when it does not follow the template, or when a value could
// lead elsewhere: empty, "." or "..", with a separator, a control character or bytes that are no UTF-8.
std::optional<UriVariables> match_uri(std::string_view uri_template, std::string_view uri);

}  // namespace adit::mcp
