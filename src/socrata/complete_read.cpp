#include "adit/socrata/complete_read.h"

#include "failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace adit::socrata {
namespace {

using Clock = std::chrono::steady_clock;

// "" when it cannot be had: then nothing is known of changes.
Task<std::string> update_time(Client& client, RequestContext context, std::string host, DatasetId id) {
  ADIT_CO_TRY(auto answer, co_await client.fresh_asset(context, std::move(host), std::move(id)));
  co_return std::move(answer.asset.data_updated_at);
}

void report(const RequestContext& context, Clock::time_point start, std::int64_t rows, std::int64_t wanted) {
  const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  context.report({.elapsed_seconds = elapsed,
                  .fraction = std::min(1.0, static_cast<double>(rows) / static_cast<double>(wanted)),
                  .message = fmt::format("{} rows read", rows)});
}

}  // namespace

Task<CompleteRead> read_completely(Client& client, RequestContext context, std::string host, DatasetId id,
                                   SoqlQuery query, ReadLimits limits, PageSink sink) {
  const auto start = Clock::now();
  const std::int64_t wanted = query.limit > 0 ? std::min(query.limit, limits.rows) : limits.rows;
  CompleteRead read;
  read.kind = kind_of_rows(query);
  read.host = host;
  auto before = co_await update_time(client, context, host, id);
  if (!before.ok() && before.error().reason == "cancelled") co_return std::move(before).error();
  if (before.ok()) read.data_updated_at = *before;

  auto page_query = query;
  page_query.order = total_order(query);
  bool total = true;
  std::int64_t pages = 0;
  for (;;) {
    // One over what is wanted, to know whether there is more.
    page_query.offset = query.offset + read.rows + read.rejected;
    page_query.limit = std::min(limits.page_rows, wanted - read.rows - read.rejected + 1);
    auto answer = co_await client.page(context, host, id, page_query);
    if (!answer.ok() && pages == 0 && total && refuses_id(answer.error()) && page_query.order != query.order) {
      total = false;
      page_query.order = query.order;
      continue;
    }
    if (!answer.ok()) co_return std::move(answer).error();
    if (answer->page.received == 0) break;
    ++pages;
    const auto room = static_cast<std::size_t>(wanted - read.rows - read.rejected);
    read.more = answer->page.received > room;
    answer->page.keep(room);
    read.rejected += static_cast<std::int64_t>(answer->page.rejected.size());
    read.rows += static_cast<std::int64_t>(answer->page.size());
    if (answer->page.size() > 0) ADIT_CO_CHECK(co_await sink(std::move(*answer)));
    report(context, start, read.rows, wanted);
    if (read.more || read.kind == RowsKind::aggregated) break;
    if (context.cancelled()) {
      co_return Error{
          .code = ErrorCode::timeout, .reason = "cancelled", .message = "The read was cancelled", .hint = ""};
    }
  }

  if (read.more) read.why_not = fmt::format("more than {} rows match", read.rows);
  else if (read.rejected > 0) read.why_not = fmt::format("{} rows were no valid JSON", read.rejected);
  else if (!total && pages > 1) read.why_not = "the portal refuses :id, so that its pages may repeat or miss rows";
  else if (pages > 1) {
    const auto after = co_await update_time(client, context, host, id);
    if (!after.ok() || read.data_updated_at.empty()) read.why_not = "it is not known whether the dataset stood still";
    else if (*after != read.data_updated_at) read.why_not = "the dataset changed during the read";
  }
  read.complete = read.why_not.empty();
  co_return read;
}

}  // namespace adit::socrata
