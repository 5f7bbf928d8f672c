// CSV and TSV, read once into a table: a lazy view would count lines that it later rejects and would see the file
// change between pages. Lines that do not fit the sniffed form are left out and told as issues.
#include "sources/sources.h"

#include <fmt/format.h>

#include <charconv>

namespace adit::worker {
namespace {

constexpr int kMostIssues = 20;  // lines told one by one; the count is exact

std::optional<std::int64_t> to_line(const std::string& text) {
  std::int64_t line = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  return error == std::errc() ? std::optional(line) : std::nullopt;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Result<void> import_csv(Engine& engine, const worker_protocol::FileSource& source, const std::string& name,
                        std::vector<worker_protocol::Issue>& issues) {
  // sample_size = -1: types are decided by every row, so that no value late in the file is a surprise.
  ADIT_CHECK(engine.execute(
      fmt::format("CREATE TABLE {} AS SELECT * FROM read_csv({}, sample_size = -1, store_rejects = true, "
                  "rejects_table = 'adit_rejects', rejects_scan = 'adit_rejects_scan', rejects_limit = 0)",
                  quoted_identifier(name), quoted_literal(source.path))));
  ADIT_TRY(auto rejects, engine.rows_as_text(fmt::format(
                             "SELECT line::VARCHAR, error_message, (count(*) OVER ())::VARCHAR FROM adit_rejects "
                             "ORDER BY adit_rejects.line LIMIT {}",
                             kMostIssues)));
  if (!rejects.empty()) {
    issues.push_back(
        {.severity = "warning",
         .code = "rows_rejected",
         .source = source.display,
         .line = {},
         .message = fmt::format("{} values or lines did not fit and their rows are left out", rejects.front()[2])});
  }
  for (const auto& reject : rejects) {
    issues.push_back({.severity = "warning",
                      .code = "row_rejected",
                      .source = source.display,
                      .line = to_line(reject[0]),
                      .message = first_line(reject[1])});
  }
  ADIT_CHECK(engine.execute("DROP TABLE adit_rejects"));
  return engine.execute("DROP TABLE adit_rejects_scan");
}

}  // namespace adit::worker
