// Complete reading against a made-up dataset over real HTTP: what comes is compared with what is there, row by row.
#include "adit/socrata/complete_read.h"

#include "adit/base/json_fields.h"
#include "adit/net/http_client.h"
#include "support/generated_portal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

namespace adit::socrata {
namespace {

using test::GeneratedDataset;
using test::GeneratedOptions;
using test::ReplayPortal;

struct Outcome {
  Result<CompleteRead> read = internal_error("not run");
  std::vector<std::string> ids;  // case_id of each row, in the order of coming
};

class Reader {
 public:
  explicit Reader(const GeneratedOptions& options, ReplayPortal::Handler first = {}) : dataset_(options) {
    if (first) portal_.handle(std::move(first));
    dataset_.serve_on(portal_);
    upstream_options_.portal_map = {{options.host, portal_.url()}};
    upstream_options_.retry_delay = std::chrono::milliseconds(1);
  }

  Outcome read(SoqlQuery query, ReadLimits limits, RequestContext context = {}) {
    io::EventLoop loop;
    net::HttpClient http(loop, {});
    Upstream upstream(loop, http, upstream_options_);
    Client client(loop, upstream);
    Outcome outcome;
    io::run_to_end(loop, run(client, context, std::move(query), limits, outcome));
    return outcome;
  }

  std::function<void()> on_page = [] {};

 private:
  Task<void> take(Outcome& outcome, RowsAnswer answer) const {
    for (std::size_t i = 0; i < answer.page.size(); ++i) {
      const auto row = parse_json(answer.page.row(i));
      outcome.ids.push_back(text_or(row->get_object(), "case_id", ""));
    }
    on_page();
    co_return Result<void>();
  }

  boost::asio::awaitable<void> run(Client& client, RequestContext context, SoqlQuery query, ReadLimits limits,
                                   Outcome& outcome) {
    const PageSink sink = [this, &outcome](RowsAnswer answer) { return take(outcome, std::move(answer)); };
    outcome.read = co_await read_completely(client, context, "data.example.org", *DatasetId::parse("gene-rate"), query,
                                            limits, sink);
    co_await client.shut_down();
  }

  ReplayPortal portal_;
  GeneratedDataset dataset_;
  UpstreamOptions upstream_options_;
};

std::set<std::string> all_ids(std::size_t rows) {
  std::set<std::string> ids;
  for (std::size_t i = 1; i <= rows; ++i) ids.insert(std::to_string(i));
  return ids;
}

void expect_exactly(const Outcome& outcome, std::size_t rows) {
  EXPECT_EQ(outcome.ids.size(), rows);
  EXPECT_EQ(std::set<std::string>(outcome.ids.begin(), outcome.ids.end()), all_ids(rows)) << "each row once";
}

// Ties in the caller's order come in another order with each request.
TEST(CompleteRead, EveryRowComesOnceWhateverTheOrder) {
  Reader reader({.rows = 120'000, .shuffles_ties = true});
  for (const char* order : {"", "borough", "borough DESC, opened_at"}) {
    SCOPED_TRACE(order);
    SoqlQuery query;
    query.order = order;
    const auto outcome = reader.read(query, {.rows = 200'000, .page_rows = 10'000});
    ASSERT_TRUE(outcome.read.ok()) << outcome.read.error().message;
    EXPECT_TRUE(outcome.read->complete) << outcome.read->why_not;
    EXPECT_EQ(outcome.read->rows, 120'000);
    expect_exactly(outcome, 120'000);
  }
}

TEST(CompleteRead, SizesAroundThePageAreExact) {
  for (const std::size_t rows : {0u, 1u, 99u, 100u, 101u, 200u, 201u, 999u}) {
    SCOPED_TRACE(rows);
    Reader reader({.rows = rows, .shuffles_ties = true});
    const auto outcome = reader.read({}, {.rows = 1'000, .page_rows = 100});
    ASSERT_TRUE(outcome.read.ok()) << outcome.read.error().message;
    EXPECT_TRUE(outcome.read->complete) << outcome.read->why_not;
    EXPECT_FALSE(outcome.read->more);
    expect_exactly(outcome, rows);
  }
}

TEST(CompleteRead, ItsLimitEndsItAndSaysThatThereIsMore) {
  Reader reader({.rows = 1'000, .shuffles_ties = true});
  struct Case {
    std::int64_t query_limit, most, offset, rows;
    bool more;
  };
  for (const auto& [query_limit, most, offset, rows, more] :
       {Case{0, 500, 0, 500, true}, Case{0, 1'000, 0, 1'000, false}, Case{0, 1'001, 0, 1'000, false},
        Case{250, 500, 0, 250, true}, Case{0, 500, 500, 500, false}, Case{0, 500, 499, 500, true},
        Case{0, 500, 2'000, 0, false}, Case{1, 500, 0, 1, true}}) {
    SCOPED_TRACE(fmt::format("limit {} most {} offset {}", query_limit, most, offset));
    SoqlQuery query;
    query.limit = query_limit;
    query.offset = offset;
    const auto outcome = reader.read(query, {.rows = most, .page_rows = 100});
    ASSERT_TRUE(outcome.read.ok()) << outcome.read.error().message;
    EXPECT_EQ(outcome.read->rows, rows);
    EXPECT_EQ(outcome.ids.size(), static_cast<std::size_t>(rows));
    EXPECT_EQ(std::set<std::string>(outcome.ids.begin(), outcome.ids.end()).size(), outcome.ids.size());
    EXPECT_EQ(outcome.read->more, more);
    EXPECT_EQ(outcome.read->complete, !more);
  }
}

// a page that is not full is not the end.
TEST(CompleteRead, PagesShorterThanAskedForAreReadToTheEnd) {
  Reader reader({.rows = 1'000, .shuffles_ties = true, .most_rows_in_page = 70});
  const auto outcome = reader.read({}, {.rows = 5'000, .page_rows = 100});
  ASSERT_TRUE(outcome.read.ok()) << outcome.read.error().message;
  EXPECT_TRUE(outcome.read->complete) << outcome.read->why_not;
  expect_exactly(outcome, 1'000);
}

TEST(CompleteRead, ADatasetThatChangesMeanwhileIsTold) {
  Reader reader({.rows = 1'000, .shuffles_ties = true, .changes_after_page = 3});
  const auto outcome = reader.read({}, {.rows = 5'000, .page_rows = 100});
  ASSERT_TRUE(outcome.read.ok()) << outcome.read.error().message;
  EXPECT_FALSE(outcome.read->complete);
  EXPECT_EQ(outcome.read->why_not, "the dataset changed during the read");
}

TEST(CompleteRead, APortalThatRefusesIdIsReadAndNotCalledComplete) {
  Reader reader({.rows = 1'000, .refuses_id_in_order = true});
  const auto outcome = reader.read({}, {.rows = 5'000, .page_rows = 100});
  ASSERT_TRUE(outcome.read.ok()) << outcome.read.error().message;
  EXPECT_EQ(outcome.read->rows, 1'000);
  EXPECT_FALSE(outcome.read->complete);
  EXPECT_NE(outcome.read->why_not.find(":id"), std::string::npos);
  // One page needs no order.
  Reader small({.rows = 50, .refuses_id_in_order = true});
  EXPECT_TRUE(small.read({}, {.rows = 5'000, .page_rows = 100}).read->complete);
}

TEST(CompleteRead, AFailureInTheMiddleIsThePortals) {
  std::atomic<int> pages = 0;
  Reader reader({.rows = 1'000}, [&pages](const test::PortalRequest& request) -> std::optional<test::PortalAnswer> {
    if (request.path.starts_with("/resource/") && ++pages > 3) return test::PortalAnswer{.status = 500, .body = "{}"};
    return std::nullopt;
  });
  const auto outcome = reader.read({}, {.rows = 5'000, .page_rows = 100});
  ASSERT_FALSE(outcome.read.ok());
  EXPECT_EQ(outcome.read.error().reason, "upstream_error");
  EXPECT_EQ(outcome.ids.size(), 300u) << "what came before was given";
}

TEST(CompleteRead, ACancelBetweenPagesEndsIt) {
  RequestContext context;
  std::atomic<int> pages = 0;
  Reader reader({.rows = 1'000});
  reader.on_page = [&context, &pages] {
    if (++pages == 2) context.cancel();
  };
  const auto outcome = reader.read({}, {.rows = 5'000, .page_rows = 100}, context);
  ASSERT_FALSE(outcome.read.ok());
  EXPECT_EQ(outcome.read.error().reason, "cancelled");
  EXPECT_EQ(outcome.ids.size(), 200u);
}

}  // namespace
}  // namespace adit::socrata
