// Which hosts are reached without the proxy, by the usual NO_PROXY list.
#pragma once

#include <string_view>

namespace adit::net {

// `list`: names by comma; "example.org" and ".example.org" both mean the name and everything below it; "*" means all.
bool bypasses_proxy(std::string_view host, std::string_view list);

}  // namespace adit::net
