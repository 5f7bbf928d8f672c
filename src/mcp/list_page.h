// One page of a list as a result.
#pragma once

#include "exchange.h"
#include "list_entries.h"
#include "method_results.h"
#include "paging.h"

#include <string_view>
#include <vector>

namespace adit::mcp {

// `member` names the array in the result, `name_of` what tells an entry from the others.
template <class T, class NameOf>
Answer list_page(const Exchange& exchange, std::string_view member, const std::vector<T>& things, NameOf name_of,
                 CacheHint cache) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(name_of(thing));
  const auto& server = exchange.server;
  const auto page = find_page(exchange.params, server.key(), member, names, server.offer().page_size);
  if (!page.ok()) return failure(page.error());
  boost::json::array entries;
  for (auto i = page->begin; i < page->end; ++i) entries.push_back(list_entry(things[i], exchange.revision));
  boost::json::object result{{member, std::move(entries)}};
  if (page->next_cursor) result["nextCursor"] = *page->next_cursor;
  return success(kept_result_text(server, exchange.revision, std::move(result), cache));
}

}  // namespace adit::mcp
