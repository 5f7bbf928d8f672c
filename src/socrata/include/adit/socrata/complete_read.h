// All rows that a query matches, page by page, and whether they are all: design 4, "Complete paging".
//
// Pages are in a total order, so that none repeats or loses a row. A page that is not full is no proof of the end (some
// portals give fewer rows than asked for): the end is a page without rows. When more than one page was read, the time
// of the dataset's last update before and after tells whether it stood still.
#pragma once

#include "adit/socrata/client.h"

#include <cstdint>
#include <functional>
#include <string>

namespace adit::socrata {

struct ReadLimits {
  std::int64_t rows = 50'000;
  std::int64_t page_rows = 10'000;
};

struct CompleteRead {
  std::int64_t rows = 0;        // given to the sink
  std::int64_t rejected = 0;    // left out: no valid JSON
  bool more = false;            // the limit ended it, there is at least one row behind
  bool complete = false;        // every row that matches was given, once
  std::string why_not;          // when it is not complete, a sentence's part: "the dataset changed during the read"
  std::string data_updated_at;  // before the read; "" when unknown
  RowsKind kind{};
  std::string host;
};

// One page; its rows are the sink's to take. An error ends the read.
using PageSink = std::function<Task<void>(RowsAnswer page)>;

// The query's limit and offset count: its limit (0: none) and `limits.rows`, whichever is less, bound the read.
// Progress is reported per page. Error reasons: those of Client::rows, and the sink's own.
Task<CompleteRead> read_completely(Client& client, RequestContext context, std::string host, DatasetId id,
                                   SoqlQuery query, ReadLimits limits, PageSink sink);

}  // namespace adit::socrata
