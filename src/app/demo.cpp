// adit demo: the main job on real data, as a client does it. Starts this program as a server, speaks MCP to it, opens
// two files, joins them in SQL and pages through a result.
#include "commands.h"

#include "adit/base/json_fields.h"
#include "adit/mcp/stdio_client.h"
#include "table.h"
#include "wiring.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace adit::app {
namespace json = boost::json;
using Clock = io::EventLoop::Clock;
namespace {

constexpr std::string_view kBusiest =
    "SELECT a.name AS airport, a.city, count(*) AS departures, round(avg(f.delay), 1) AS mean_delay,\n"
    "       count(*) FILTER (f.delay > 60) AS an_hour_late\n"
    "FROM flights f JOIN airports a ON a.iata = f.origin\n"
    "GROUP BY ALL ORDER BY departures DESC, airport LIMIT 8";
constexpr std::string_view kSlots =
    "SELECT CASE WHEN delay <= 0 THEN 'on time or early' WHEN delay <= 15 THEN 'up to 15 min'\n"
    "            WHEN delay <= 60 THEN 'up to an hour' ELSE 'more than an hour' END AS arrival,\n"
    "       count(*) AS flights, round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent\n"
    "FROM flights GROUP BY 1 ORDER BY min(delay)";
constexpr std::string_view kRoutes =
    "SELECT origin, destination, count(*) AS flights, sum(distance) AS miles\n"
    "FROM flights GROUP BY ALL ORDER BY flights DESC, origin, destination";

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Result<json::object> structured(Result<json::object> result) {
  if (!result.ok()) return result;
  auto* content = result->if_contains("structuredContent");
  if (content == nullptr || !content->is_object()) return internal_error("the answer has no structured content");
  if (boolean_or(*result, "isError", false)) {
    const auto& error = content->get_object().at("error").get_object();
    return Error{.code = ErrorCode::unavailable,
                 .reason = "",
                 .message = text_or(error, "message", ""),
                 .hint = text_or(error, "hint", "")};
  }
  return std::move(content->get_object());
}

void print_opened(const json::object& opened, double ms) {
  fmt::print("\nopen_dataset  ({:.0f} ms)  ->  {}\n", ms, text_or(opened, "dataset_id", ""));
  for (const auto& entry : opened.at("relations").get_array()) {
    const auto& relation = entry.get_object();
    std::string columns;
    for (const auto& column : relation.at("columns").get_array()) {
      columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", text_or(column.get_object(), "name", ""),
                             text_or(column.get_object(), "type", ""));
    }
    fmt::print("  {}: {} rows, from {}\n    {}\n", text_or(relation, "name", ""), integer_or(relation, "row_count", 0),
               text_or(relation, "source", ""), columns);
  }
}

void print_statement(const json::object& statement) {
  fmt::print("\n{}\n\n{}", text_or(statement, "sql", ""), statement_table(statement));
  const auto shown = static_cast<std::int64_t>(statement.at("rows").get_array().size());
  const auto first = integer_or(statement, "offset", 0);
  fmt::print("  rows {} to {} of {} in {:.0f} ms\n", first + 1, first + shown, integer_or(statement, "total_rows", 0),
             statement.contains("execute_ms") ? statement.at("execute_ms").to_number<double>() : 0.0);
}

// The whole job; what fails ends it.
Task<void> run_job(mcp::StdioClient& client, Clock::time_point start) {
  json::object nothing;
  ADIT_CO_TRY(auto discovered, co_await client.request("server/discover", nothing));
  fmt::print("adit started and answered in {:.1f} ms (protocol {})\n", milliseconds_since(start),
             std::string_view(discovered.at("supportedVersions").get_array().front().get_string()));

  auto began = Clock::now();
  json::object open_arguments{
      {"sources", json::array{{{"path", "flights-3m.parquet"}, {"name", "flights"}}, {{"path", "airports.csv"}}}}};
  auto open_result = co_await client.call_tool("open_dataset", std::move(open_arguments));
  ADIT_CO_TRY(auto opened, structured(std::move(open_result)));
  print_opened(opened, milliseconds_since(began));
  const auto id = text_or(opened, "dataset_id", "");

  began = Clock::now();
  json::object batch{
      {"dataset_id", id}, {"sql", json::array{json::string(kBusiest), json::string(kSlots)}}, {"timing", true}};
  auto batch_result = co_await client.call_tool("query", std::move(batch));
  ADIT_CO_TRY(auto answer, structured(std::move(batch_result)));
  fmt::print("\nquery: a batch of two statements, one of them a join  ({:.0f} ms)\n", milliseconds_since(began));
  for (const auto& statement : answer.at("statements").get_array()) print_statement(statement.get_object());

  fmt::print("\nquery: the busiest routes, in pages of 5\n");
  std::int64_t offset = 0;
  for (int page = 1; page <= 2; ++page) {
    json::object arguments{{"dataset_id", id},
                           {"sql", json::array{json::string(kRoutes)}},
                           {"limit", 5},
                           {"offset", offset},
                           {"timing", true}};
    auto page_result = co_await client.call_tool("query", std::move(arguments));
    ADIT_CO_TRY(auto result, structured(std::move(page_result)));
    const auto& statement = result.at("statements").get_array().front().get_object();
    print_statement(statement);
    offset = integer_or(statement, "next_offset", 0);
  }
  json::object close_arguments{{"dataset_id", id}};
  auto close_result = co_await client.call_tool("close_dataset", std::move(close_arguments));
  ADIT_CO_CHECK(structured(std::move(close_result)));
  co_await client.close();
  co_return Result<void>();
}

void print_what_next(const std::string& program, const std::string& data) {
  fmt::print(
      "\nTry next:\n"
      "  give this to an MCP client as a stdio server:   {0} serve --root {1}\n"
      "  call a tool from the shell:                     {0} call open_dataset --root {1} "
      "sources='[{{\"path\":\"airports.csv\"}}]'\n"
      "  see all options:                                {0} --help\n",
      program, data);
}

boost::asio::awaitable<void> run_demo(mcp::StdioClient& client, Clock::time_point start, Result<void>& outcome) {
  outcome = co_await run_job(client, start);
}

}  // namespace

int demo(const ServerOptions& options, const DemoOptions& demo) {
  for (const std::string_view file : {"flights-3m.parquet", "airports.csv"}) {
    if (std::filesystem::exists(std::filesystem::path(demo.data) / file)) continue;
    fmt::print(stderr, "adit: {}/{} is missing; make demo fetches it, --data names another directory\n", demo.data,
               file);
    return 1;
  }
  io::EventLoop loop;
  std::vector<std::string> arguments{"serve", "--root", demo.data};
  if (!options.state_dir.empty()) arguments.insert(arguments.end(), {"--state-dir", options.state_dir});
  std::vector<std::string> environment;
  for (const char* name : {"HOME", "XDG_CACHE_HOME"}) {
    if (const char* value = std::getenv(name); value != nullptr)
      environment.push_back(fmt::format("{}={}", name, value));
  }
  const auto start = Clock::now();
  auto client = mcp::StdioClient::start(loop, own_program(), std::move(arguments), std::move(environment));
  Result<void> outcome;
  if (client.ok()) io::run_to_end(loop, run_demo(**client, start, outcome));
  else outcome = client.error();
  if (!outcome.ok()) {
    fmt::print(stderr, "adit: {}. {}\n", outcome.error().message, outcome.error().hint);
    return 1;
  }
  print_what_next(own_program(), demo.data);
  return 0;
}

}  // namespace adit::app
