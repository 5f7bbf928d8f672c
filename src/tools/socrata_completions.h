// Proposals for portals, ids and topics: what we know by name and what search results have shown.
#pragma once

#include "adit/mcp/completion.h"
#include "adit/socrata/client.h"

namespace adit::tools {

mcp::CompletionSource portal_domains(socrata::Client& client);
mcp::CompletionSource seen_dataset_ids(socrata::Client& client);  // of the argument "domain"
mcp::CompletionSource seen_topics(socrata::Client& client);

}  // namespace adit::tools
