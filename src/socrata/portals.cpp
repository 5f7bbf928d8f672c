#include "adit/socrata/portals.h"

#include "adit/net/host_name.h"

#include <algorithm>

namespace adit::socrata {
namespace {

constexpr KnownPortal kPortals[] = {
    {"data.cityofnewyork.us", "City of New York"},
    {"data.cityofchicago.org", "City of Chicago"},
    {"data.lacity.org", "City of Los Angeles"},
    {"www.dallasopendata.com", "City of Dallas"},
    {"data.sf.gov", "City and County of San Francisco"},
    {"data.seattle.gov", "City of Seattle"},
    {"data.austintexas.gov", "City of Austin, TX"},
    {"data.oaklandca.gov", "City of Oakland"},
    {"data.nola.gov", "City of New Orleans"},
    {"data.kcmo.org", "City of Kansas City, MO"},
    {"data.cincinnati-oh.gov", "City of Cincinnati"},
    {"data.honolulu.gov", "City and County of Honolulu"},
    {"data.cambridgema.gov", "City of Cambridge, MA"},
    {"data.providenceri.gov", "City of Providence, RI"},
    {"data.brla.gov", "City of Baton Rouge, LA"},
    {"data.norfolk.gov", "City of Norfolk, VA"},
    {"data.mesaaz.gov", "City of Mesa, AZ"},
    {"data.ny.gov", "State of New York"},
    {"data.texas.gov", "State of Texas"},
    {"data.wa.gov", "State of Washington"},
    {"data.colorado.gov", "State of Colorado"},
    {"data.oregon.gov", "State of Oregon"},
    {"data.ct.gov", "State of Connecticut"},
    {"data.illinois.gov", "State of Illinois"},
    {"data.michigan.gov", "State of Michigan"},
    {"opendata.maryland.gov", "State of Maryland"},
    {"data.pa.gov", "Commonwealth of Pennsylvania"},
    {"data.nj.gov", "State of New Jersey"},
    {"data.delaware.gov", "State of Delaware"},
    {"data.vermont.gov", "State of Vermont"},
    {"data.mo.gov", "State of Missouri"},
    {"data.kingcounty.gov", "King County, WA"},
    {"datacatalog.cookcountyil.gov", "Cook County, IL"},
    {"data.montgomerycountymd.gov", "Montgomery County, MD"},
    {"data.sccgov.org", "County of Santa Clara, CA"},
    {"data.cdc.gov", "Centers for Disease Control and Prevention"},
    {"data.energystar.gov", "U.S. EPA ENERGY STAR"},
    {"data.edmonton.ca", "City of Edmonton"},
    {"data.calgary.ca", "City of Calgary"},
};
static_assert(std::size(kPortals) == 39);

// Seattle's catalog entries stand under a tenant whose host answers no queries.
struct Alias {
  std::string_view domain, in_catalog;
};
constexpr Alias kAliases[] = {{"data.seattle.gov", "cos-data.seattle.gov"}};

}  // namespace

std::span<const KnownPortal> known_portals() { return kPortals; }

bool is_known_portal(std::string_view domain) {
  return std::any_of(std::begin(kPortals), std::end(kPortals),
                     [domain](const KnownPortal& portal) { return portal.domain == domain; });
}

Result<std::string> parse_portal_host(std::string_view text) {
  auto host = net::HostName::parse(text);
  if (host.ok()) return host->text();
  auto error = std::move(host).error();
  if (error.hint.empty()) {
    error.hint = "Give a bare host such as data.cityofnewyork.us, or take one from socrata_list_portals.";
  }
  return error;
}

std::vector<std::string> catalog_names_of(std::string_view domain) {
  std::vector<std::string> names{std::string(domain)};
  for (const auto& alias : kAliases) {
    if (alias.domain == domain) names.emplace_back(alias.in_catalog);
  }
  return names;
}

std::string_view host_to_query(std::string_view catalog_domain) {
  for (const auto& alias : kAliases) {
    if (alias.in_catalog == catalog_domain) return alias.domain;
  }
  return catalog_domain;
}

bool same_portal(std::string_view a, std::string_view b) { return host_to_query(a) == host_to_query(b); }

}  // namespace adit::socrata
