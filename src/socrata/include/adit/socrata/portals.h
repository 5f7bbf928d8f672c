// The portals that we know by name, and how hosts of one portal belong together. Facts of 2026: each is the host that
// answers without a redirect.
#pragma once

#include "adit/base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adit::socrata {

struct KnownPortal {
  std::string_view domain;
  std::string_view organization;
};

std::span<const KnownPortal> known_portals();
bool is_known_portal(std::string_view domain);

// The host of a portal as a caller wrote it: a bare name or an http(s) URL (net/host_name.h).
// Error: validation, "invalid_domain".
Result<std::string> parse_portal_host(std::string_view text);

// The catalog may hold a portal's assets under another name of the same portal.
std::vector<std::string> catalog_names_of(std::string_view domain);  // the domain itself first
std::string_view host_to_query(std::string_view catalog_domain);     // of what the catalog lists
bool same_portal(std::string_view a, std::string_view b);

}  // namespace adit::socrata
