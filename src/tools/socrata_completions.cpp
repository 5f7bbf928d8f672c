#include "socrata_completions.h"

#include "adit/socrata/portals.h"

namespace adit::tools {
namespace {

using Values = std::vector<std::string>;

Task<Values> find_domains(socrata::Client& client) {
  auto domains = client.mapped_portals();
  for (const auto& portal : socrata::known_portals()) domains.emplace_back(portal.domain);
  co_return domains;
}

Task<Values> find_ids(socrata::Client& client, std::string domain) { co_return client.seen_ids(domain); }

Task<Values> find_topics(socrata::Client& client) { co_return client.seen_topics(); }

}  // namespace

mcp::CompletionSource portal_domains(socrata::Client& client) {
  return [&client](RequestContext, mcp::CompletionRequest) { return find_domains(client); };
}

mcp::CompletionSource seen_dataset_ids(socrata::Client& client) {
  return [&client](RequestContext, mcp::CompletionRequest request) {
    const auto domain = request.others.find("domain");
    return find_ids(client, domain != request.others.end() ? domain->second : "");
  };
}

mcp::CompletionSource seen_topics(socrata::Client& client) {
  return [&client](RequestContext, mcp::CompletionRequest) { return find_topics(client); };
}

}  // namespace adit::tools
