// Records are filled field by field and compared by the members that a test names, so that a new field needs no new
// text here; that every record passes as a whole is asked of each of them.
#include "adit/worker_protocol/messages.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

namespace adit::worker_protocol {
namespace json = boost::json;
namespace {

using namespace std::string_view_literals;

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
const std::string kOddText = "é 😀 \"quoted\" \\ \n\t\x01\x7f " + std::string(1, '\0') + "end";

// The message after a passage between the processes. What is printed has at least the members of `printed`.
template <class Message>
Message passed(const Message& message, std::string_view printed = "{}") {
  const auto text = encode(message);
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  const auto got = json::parse(text).as_object();
  const auto wanted = json::parse({printed.data(), printed.size()}).as_object();
  for (const auto& member : wanted) {
    const auto* value = got.if_contains(member.key());
    EXPECT_TRUE(value != nullptr && *value == member.value())
        << member.key() << " in " << text << ", wanted " << member.value();
  }
  auto read = decode<Message>(text);
  if (!read.ok()) {
    ADD_FAILURE() << text << ": " << read.error().message;
    return {};
  }
  EXPECT_EQ(encode(*read), text) << "every field passes";
  return std::move(*read);
}

TEST(Messages, OpenWorkspacePasses) {
  OpenWorkspace open;
  open.directory = "/tmp/a b";
  open.files = {"/data/x.csv", "/data/é.parquet"};
  open.memory_bytes = kMost;
  open.disk_bytes = 1;
  open.threads = 3;
  const auto read = passed(open, R"({"directory":"/tmp/a b","files":["/data/x.csv","/data/é.parquet"],
                                     "memory_bytes":9223372036854775807,"disk_bytes":1,"threads":3})");
  EXPECT_EQ(read.directory, "/tmp/a b");
  EXPECT_EQ(read.files, (std::vector<std::string>{"/data/x.csv", "/data/é.parquet"}));
  EXPECT_EQ(read.memory_bytes, kMost);
  EXPECT_EQ(read.disk_bytes, 1);
  EXPECT_EQ(read.threads, 3);
}

TEST(Messages, OpenedPasses) {
  Opened opened;
  opened.engine_version = "v1.5.6";
  EXPECT_EQ(passed(opened, R"({"engine_version":"v1.5.6"})").engine_version, "v1.5.6");
}

TEST(Messages, ImportFilesPasses) {
  ImportFiles import;
  import.sources.resize(2);
  import.sources[0].path = "/p";
  import.sources[0].display = "d";
  import.sources[0].name = "n";
  import.sources[0].format = "csv";
  const auto read = passed(import);
  ASSERT_EQ(read.sources.size(), 2u);
  EXPECT_EQ(read.sources[0].path, "/p");
  EXPECT_EQ(read.sources[0].display, "d");
  EXPECT_EQ(read.sources[0].name, "n");
  EXPECT_EQ(read.sources[0].format, "csv");
  EXPECT_EQ(read.sources[1].path, "");
  EXPECT_TRUE(passed(ImportFiles(), R"({"sources":[]})").sources.empty());
}

TEST(Messages, ImportedPassesWithAndWithoutWhatIsOptional) {
  Imported imported;
  imported.relations.resize(2);
  imported.relations[0].name = "r";
  imported.relations[0].source = "s";
  imported.relations[0].columns = {{"c", "DECIMAL(18,3)"}, {"d", "VARCHAR"}};
  imported.relations[0].row_count = kMost;
  imported.issues.resize(2);
  imported.issues[0].severity = "warning";
  imported.issues[0].code = "row_rejected";
  imported.issues[0].source = "s";
  imported.issues[0].line = 5;
  imported.issues[0].message = "m";
  const auto read = passed(imported);
  ASSERT_EQ(read.relations.size(), 2u);
  EXPECT_EQ(read.relations[0].name, "r");
  EXPECT_EQ(read.relations[0].source, "s");
  ASSERT_EQ(read.relations[0].columns.size(), 2u);
  EXPECT_EQ(read.relations[0].columns[0].name, "c");
  EXPECT_EQ(read.relations[0].columns[0].type, "DECIMAL(18,3)");
  EXPECT_EQ(read.relations[0].row_count, kMost);
  EXPECT_EQ(read.relations[1].row_count, std::nullopt);
  ASSERT_EQ(read.issues.size(), 2u);
  EXPECT_EQ(read.issues[0].severity, "warning");
  EXPECT_EQ(read.issues[0].code, "row_rejected");
  EXPECT_EQ(read.issues[0].source, "s");
  EXPECT_EQ(read.issues[0].line, 5);
  EXPECT_EQ(read.issues[0].message, "m");
  EXPECT_EQ(read.issues[1].source, std::nullopt);
  EXPECT_EQ(read.issues[1].line, std::nullopt);
}

TEST(Messages, RunQueryPasses) {
  RunQuery query;
  query.sql = {"SELECT 1", "SELECT 'é'"};
  query.limit = 5;
  query.offset = kLeast;
  query.budget_bytes = 7;
  query.timing = true;
  const auto read = passed(query, R"({"sql":["SELECT 1","SELECT 'é'"],"limit":5,"offset":-9223372036854775808,
                                      "budget_bytes":7,"timing":true})");
  EXPECT_EQ(read.sql, (std::vector<std::string>{"SELECT 1", "SELECT 'é'"}));
  EXPECT_EQ(read.limit, 5);
  EXPECT_EQ(read.offset, kLeast);
  EXPECT_EQ(read.budget_bytes, 7);
  EXPECT_TRUE(read.timing);
  EXPECT_FALSE(passed(RunQuery(), R"({"sql":[],"timing":false})").timing);
}

TEST(Messages, QueryDonePassesWithAndWithoutAFailure) {
  QueryDone done;
  done.failure.emplace();
  done.failure->code = -32007;
  done.failure->reason = "unknown_column";
  done.failure->nearest = {"a", "b"};
  done.failure->position = 0;
  const auto read = passed(done);
  ASSERT_TRUE(read.failure.has_value());
  EXPECT_EQ(read.failure->reason, "unknown_column");
  EXPECT_EQ(read.failure->nearest, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read.failure->position, 0) << "the first byte is a position, too";
  EXPECT_EQ(read.failure->statement_index, std::nullopt);
  EXPECT_FALSE(passed(QueryDone(), R"({"failure":null})").failure.has_value());
}

TEST(Messages, DiagnosticsPassAndTheirBytesInAnAnswerAreKnown) {
  const Diagnostic first{.severity = "info", .code = "page_cut", .message = "a \"b\"\n", .statement_index = 3};
  auto read = passed(first);
  EXPECT_EQ(read.severity, "info");
  EXPECT_EQ(read.code, "page_cut");
  EXPECT_EQ(read.message, "a \"b\"\n");
  EXPECT_EQ(read.statement_index, 3);
  EXPECT_EQ(
      bytes_in_answer(first),
      std::string_view(R"({"severity":"info","code":"page_cut","message":"a \"b\"\n","statement_index":3},)").size());
  read.statement_index = {};
  EXPECT_EQ(passed(read).statement_index, std::nullopt);
  EXPECT_EQ(bytes_in_answer(read),
            std::string_view(R"({"severity":"info","code":"page_cut","message":"a \"b\"\n"},)").size());
}

TEST(Messages, DefinitionChangesPass) {
  EXPECT_EQ(passed(DefinitionChange{.name = "v \"w\"", .made = true}).name, "v \"w\"");
  EXPECT_FALSE(passed(DefinitionChange{.name = "v", .made = false}).made);
}

// A name of 60 KB is not told three times.
TEST(Messages, AFailureIsShort) {
  Error error{
      .code = ErrorCode::validation, .reason = "unknown_relation", .message = std::string(60'000, 'x'), .hint = ""};
  error.nearest = {std::string(60'000, 'y'), "short"};
  const auto failure = to_failure(error);
  EXPECT_LT(failure.message.size(), 2'100u);
  EXPECT_NE(failure.message.find("60000 bytes"), std::string::npos);
  EXPECT_EQ(failure.nearest, (std::vector<std::string>{"short"}));
}

TEST(Messages, WorkProgressPassesWithEveryBitOfItsNumbers) {
  WorkProgress progress;
  progress.elapsed_seconds = 0.1;
  progress.fraction = 1.0 / 3;
  progress.message = "m";
  const auto read = passed(progress);
  EXPECT_EQ(read.elapsed_seconds, 0.1);
  EXPECT_EQ(read.fraction, 1.0 / 3);
  EXPECT_EQ(read.message, "m");
  EXPECT_EQ(passed(WorkProgress()).fraction, std::nullopt);
}

TEST(Messages, AnyTextPasses) {
  Opened opened;
  opened.engine_version = kOddText;
  EXPECT_EQ(passed(opened).engine_version, kOddText);
}

TEST(Messages, AnErrorPassesBetweenTheProcessesUnchanged) {
  Error error;
  error.code = ErrorCode::timeout;
  error.reason = "timeout";
  error.message = kOddText;
  error.hint = "wait";
  error.retryable = true;
  error.stage = "execute";
  error.statement_index = 2;
  error.position = kMost;
  error.nearest = {"a", "b"};
  const auto read = to_error(passed(to_failure(error)));
  EXPECT_EQ(read.code, error.code);
  EXPECT_EQ(read.reason, error.reason);
  EXPECT_EQ(read.message, error.message);
  EXPECT_EQ(read.hint, error.hint);
  EXPECT_EQ(read.retryable, error.retryable);
  EXPECT_EQ(read.stage, error.stage);
  EXPECT_EQ(read.statement_index, error.statement_index);
  EXPECT_EQ(read.position, error.position);
  EXPECT_EQ(read.nearest, error.nearest);
  const auto plain = to_error(passed(to_failure(internal_error("m"))));
  EXPECT_EQ(plain.code, ErrorCode::internal);
  EXPECT_EQ(plain.statement_index, std::nullopt);
  EXPECT_EQ(plain.position, std::nullopt);
}

// ---- The other process's bytes are foreign

void expect_refused(std::string_view payload) {
  SCOPED_TRACE(payload.substr(0, 300));
  const auto read = decode<RunQuery>(payload);
  ASSERT_FALSE(read.ok());
  EXPECT_FALSE(read.error().message.empty());
}

TEST(Messages, WhatIsNoObjectOfTheRecordIsAnErrorAndNoCrash) {
  const auto good = encode(RunQuery());
  for (const auto text : {""sv, "no JSON"sv, "null"sv, "[]"sv, "5"sv, "\"{}\""sv, "{}"sv}) expect_refused(text);
  expect_refused(good + " x");
  expect_refused(good.substr(0, good.size() - 1));
  expect_refused(std::string(1'000'000, '['));
}

TEST(Messages, AFieldOfAWrongTypeOrRangeIsAnError) {
  struct Case {
    std::string_view field, value;
  };
  constexpr Case cases[] = {
      {"sql", "\"SELECT 1\""}, {"sql", "[5]"},   {"sql", "null"},        {"sql", "{}"},
      {"limit", "\"1\""},      {"limit", "1.5"}, {"limit", "null"},      {"limit", "9223372036854775808"},
      {"limit", "1e300"},      {"timing", "1"},  {"timing", "\"true\""}, {"timing", "null"},
  };
  for (const auto& [field, value] : cases) {
    auto object = json::parse(encode(RunQuery())).as_object();
    object[field] = json::parse({value.data(), value.size()});
    expect_refused(json::serialize(object));
  }
}

TEST(Messages, AMissingFieldIsAnError) {
  const auto whole = json::parse(encode(RunQuery())).as_object();
  ASSERT_GE(whole.size(), 5u);
  for (const auto& member : whole) {
    auto object = whole;
    object.erase(member.key());
    expect_refused(json::serialize(object));
  }
}

TEST(Messages, BytesThatAreNotUtf8AreAnError) {
  auto query = RunQuery();
  query.sql = {"MARK"};
  auto payload = encode(query);
  ASSERT_TRUE(decode<RunQuery>(payload).ok());
  payload.replace(payload.find("MARK"), 1, "\xFF");
  expect_refused(payload);
}

}  // namespace
}  // namespace adit::worker_protocol
