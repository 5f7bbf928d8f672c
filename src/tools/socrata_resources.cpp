// socrata://portals and socrata://datasets/{domain}/{id}: what the tools of the same names answer, by address.
#include "adit/socrata/portals.h"
#include "adit/tools/socrata_tools.h"
#include "asset_json.h"
#include "socrata_completions.h"

#include <fmt/format.h>

namespace adit::tools {
namespace json = boost::json;
namespace {

constexpr std::string_view kPortals = "socrata://portals";
constexpr std::string_view kDatasets = "socrata://datasets/{domain}/{id}";
constexpr std::string_view kJson = "application/json";
constexpr std::int64_t kAssetMs = 10 * 60 * 1000;  // as long as the client keeps metadata

mcp::ResourceContents one(std::string uri, const json::object& object) {
  return {{.uri = std::move(uri), .mime_type = std::string(kJson), .text = json::serialize(object)}};
}

Task<mcp::ResourceContents> read_portals(socrata::Client& client, RequestContext context) {
  ADIT_CO_TRY(const auto portals, co_await client.portals(std::move(context)));
  json::array entries;
  for (const auto& portal : portals) entries.push_back(portal_object(portal));
  const auto total = entries.size();
  co_return one(std::string(kPortals), {{"portals", std::move(entries)}, {"total_count", total}});
}

Task<mcp::ResourceContents> read_dataset(socrata::Client& client, RequestContext context, std::string uri,
                                         mcp::UriVariables variables) {
  ADIT_CO_TRY(const auto domain, socrata::parse_portal_host(variables.at("domain")));
  ADIT_CO_TRY(const auto id, socrata::DatasetId::parse(variables.at("id")));
  ADIT_CO_TRY(const auto answer, co_await client.asset(std::move(context), domain, id));
  co_return one(std::move(uri), asset_object(answer.asset, answer.host));
}

std::vector<mcp::Resource> example_dataset() {
  return {{.uri = "socrata://datasets/data.seattle.gov/kzjm-xkqj",
           .name = "kzjm-xkqj",
           .title = "Seattle Real Time Fire 911 Calls",
           .description = "An example: columns and facts of a dataset of data.seattle.gov.",
           .mime_type = std::string(kJson)}};
}

}  // namespace

mcp::Resource portals_resource(socrata::Client& client) {
  return {.uri = std::string(kPortals),
          .name = "portals",
          .title = "Open-data portals",
          .description = "Well-known government portals that run on Socrata, with the number of their datasets.",
          .mime_type = std::string(kJson),
          .annotations = {.audience = {"user", "assistant"}, .priority = 0.5},
          .cache = {.ttl_ms = 60 * 60 * 1000, .same_for_everyone = true},
          .read = [&client](RequestContext context) { return read_portals(client, std::move(context)); }};
}

mcp::ResourceTemplate dataset_resource(socrata::Client& client) {
  return {.uri_template = std::string(kDatasets),
          .name = "dataset",
          .title = "Dataset of a portal",
          .description =
              "Columns with types, row count, licence and freshness of a dataset: what socrata_get_dataset answers.",
          .mime_type = std::string(kJson),
          .annotations = {.audience = {"user", "assistant"}, .priority = 0.6},
          .cache = {.ttl_ms = kAssetMs, .same_for_everyone = true},
          .read =
              [&client](RequestContext context, std::string uri, mcp::UriVariables variables) {
                return read_dataset(client, std::move(context), std::move(uri), std::move(variables));
              },
          .list = [](RequestContext) { return example_dataset(); },
          .completions = {{"domain", portal_domains(client)}, {"id", seen_dataset_ids(client)}}};
}

}  // namespace adit::tools
