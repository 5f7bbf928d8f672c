// adit query FILE… 'SQL': opens the files, runs one statement, writes its rows to standard output.
#include "commands.h"

#include "adit/base/json_fields.h"
#include "progress_bar.h"
#include "table.h"
#include "wiring.h"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>

namespace adit::app {
namespace {

// What the command line names may be opened, wherever it lies.
struct NamedFiles {
  std::vector<std::string> roots;
  std::vector<workspace::SourceRequest> sources;
};

Result<NamedFiles> find_files(const std::vector<std::string>& words) {
  NamedFiles files;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    std::error_code error;
    const auto path = std::filesystem::canonical(words[i], error);
    if (error) {
      return Error{.code = ErrorCode::not_found,
                   .reason = "",
                   .message = fmt::format("{}: {}", words[i], error.message()),
                   .hint = "The files come first, the SQL last."};
    }
    files.roots.push_back(path.parent_path().string());
    files.sources.push_back({.path = path.string(), .name = {}, .format = {}});
  }
  return files;
}

std::string_view format_name(RowFormat format) {
  switch (format) {
    case RowFormat::csv: return "csv";
    case RowFormat::json: return "json";
    case RowFormat::ndjson: return "ndjson";
    case RowFormat::parquet: return "parquet";
    case RowFormat::automatic:
    case RowFormat::table: break;
  }
  return "csv";
}

void print_issues(const workspace::OpenedDataset& opened) {
  for (const auto& issue : opened.issues) {
    fmt::print(stderr, "adit: {}{}: {}\n", issue.source.value_or(""), issue.line ? fmt::format(":{}", *issue.line) : "",
               issue.message);
  }
}

Result<void> copy_to_output(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) return internal_error("the written rows cannot be read");
  std::array<char, 1 << 16> buffer{};
  while (const auto size = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    if (std::fwrite(buffer.data(), 1, size, stdout) != size) {
      return Error{
          .code = ErrorCode::unavailable, .reason = "", .message = "Standard output cannot be written", .hint = ""};
    }
  }
  return {};
}

Task<void> print_table(workspace::Workspaces& workspaces, RequestContext context, std::string id, std::string sql,
                       std::int64_t limit) {
  workspace::QueryRequest request;
  request.workspace_id = std::move(id);
  request.sql.push_back(std::move(sql));
  request.limit = limit;
  ADIT_CO_TRY(auto outcome, co_await workspaces.query(context, std::move(request)));
  if (outcome.failure) co_return std::move(*outcome.failure);
  ADIT_CO_TRY(const auto parsed, parse_json(outcome.statements.front()));
  const auto& statement = parsed.as_object();
  const auto shown = static_cast<std::int64_t>(statement.at("rows").as_array().size());
  const auto total = integer_or(statement, "total_rows", shown);
  fmt::print("{}", statement_table(statement));
  fmt::print("{} rows{}\n", total, shown < total ? fmt::format(", {} shown (--limit, --format csv)", shown) : "");
  co_return Result<void>();
}

Task<void> run_job(workspace::Workspaces& workspaces, RequestContext context, NamedFiles files, std::string sql,
                   const QueryOptions& options) {
  ADIT_CO_TRY(auto opened, co_await workspaces.open(context, std::move(files.sources), std::nullopt));
  print_issues(opened);
  const bool table =
      options.format == RowFormat::table || (options.format == RowFormat::automatic && ::isatty(STDOUT_FILENO) != 0);
  if (table) {
    ADIT_CO_CHECK(co_await print_table(workspaces, context, opened.id, std::move(sql), options.limit));
    co_return Result<void>();
  }
  std::string format(format_name(options.format));
  ADIT_CO_TRY(auto file, co_await workspaces.export_rows(context, opened.id, std::move(sql), std::move(format)));
  co_return copy_to_output(file);
}

boost::asio::awaitable<void> run_query(Service& service, NamedFiles files, const QueryOptions& options,
                                       Result<void>& outcome) {
  ProgressBar bar;
  RequestContext context(bar.sink());
  outcome = co_await run_job(*service.workspaces, context, std::move(files), options.words.back(), options);
  co_await service.shut_down();
}

int fail(const Error& error, int exit_code) {
  fmt::print(stderr, "adit: {}{}{}\n", error.message, error.hint.empty() ? "" : "\n", error.hint);
  return exit_code;
}

}  // namespace

int query(const ServerOptions& options, const QueryOptions& query) {
  if (query.words.size() < 2) {
    return fail(Error{.code = ErrorCode::invalid_params,
                      .reason = "",
                      .message = "adit query needs at least one file and the SQL",
                      .hint = "Example: adit query airports.csv 'SELECT state, count(*) FROM airports GROUP BY ALL'"},
                2);
  }
  auto files = find_files(query.words);
  if (!files.ok()) return fail(files.error(), 2);
  io::EventLoop loop;
  auto with_roots = options;
  with_roots.roots = files->roots;
  auto service = make_service(loop, with_roots);
  if (!service.ok()) return fail(service.error(), 1);
  Result<void> outcome;
  io::run_to_end(loop, run_query(*service, std::move(*files), query, outcome));
  return outcome.ok() ? 0 : fail(outcome.error(), 1);
}

}  // namespace adit::app
