#include "query_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace adit::worker {
namespace {

using worker_protocol::NamedQuery;
using worker_protocol::QueryDone;
using worker_protocol::to_failure;
using Clock = std::chrono::steady_clock;

// Bytes of a diagnostic in the answer around its code and message.
constexpr std::size_t kDiagnosticShellBytes = 100;

Error cancelled_error() {
  return Error{.code = ErrorCode::unavailable,
               .reason = "cancelled",
               .message = "The call was cancelled",
               .hint = "",
               .retryable = true,
               .stage = "execute"};
}

}  // namespace

Result<QueryDone> QueryRun::run() {
  std::size_t step = 0;
  for (const auto& named : query_.definitions) {
    hooks_.on_step(step++);
    ADIT_CHECK(load_catalog());
    if (auto defined = define_named(named); !defined.ok()) {
      done_.failure = to_failure(hooks_.cancelled() ? cancelled_error() : defined.error());
      note_kept_definitions();
      return std::move(done_);
    }
  }
  auto bytes_left = static_cast<std::size_t>(query_.budget_bytes);
  for (std::size_t i = 0; i < query_.sql.size(); ++i) {
    hooks_.on_step(step++);
    ADIT_CHECK(load_catalog());
    auto ran = run_one(i, bytes_left);
    if (ran.ok()) continue;
    done_.failure = to_failure(hooks_.cancelled() ? cancelled_error() : ran.error());
    done_.failure->statement_index = static_cast<std::int64_t>(i);
    for (const auto& name : made_)
      note("definition_kept", fmt::format("The definition {} was made and stays", name), {});
    break;
  }
  return std::move(done_);
}

Result<void> QueryRun::load_catalog() {
  if (catalog_) return {};
  ADIT_TRY(catalog_, RelationCatalog::load(engine_));
  return {};
}

Result<void> QueryRun::define_named(const NamedQuery& named) {
  if (hooks_.cancelled()) return cancelled_error();
  const auto in_words = [&](Error error) {
    error.message = fmt::format("The named query {}: {}", named.name, error.message);
    if (error.stage != "policy" && error.stage != "parse") error.stage = "bind";
    return error;
  };
  auto statement = pass_gate(engine_, named.sql, *catalog_, GateSetting::query);
  if (!statement.ok()) return in_words(std::move(statement).error());
  if (statement->kind != "select") {
    return in_words(Error{.code = ErrorCode::validation,
                          .reason = "unsupported_statement",
                          .message = fmt::format("a query is wanted, not {}", statement->kind),
                          .hint = "Give a SELECT; definitions and drops are entries of sql.",
                          .stage = "policy"});
  }
  // The same as CREATE TEMP VIEW name AS …
  statement->head.kind = HeadKind::create;
  statement->head.defined_as = DefinedAs::temp_view;
  statement->head.name = named.name;
  auto applied = apply(*statement, {});
  if (!applied.ok()) return in_words(std::move(applied).error());
  return {};
}

Result<void> QueryRun::run_one(std::size_t index, std::size_t& bytes_left) {
  if (hooks_.cancelled()) return cancelled_error();
  const auto start = Clock::now();
  ADIT_TRY(auto statement, pass_gate(engine_, query_.sql[index], *catalog_, GateSetting::query));
  const std::size_t statements_left = query_.sql.size() - index;
  const PageRequest request{
      .statement_index = static_cast<std::int64_t>(index),
      .sql = query_.sql[index],
      .limit = query_.limit,
      .offset = query_.offset,
      // What is left is shared by the statements left; what one does not use passes on.
      .budget = query_.budget_bytes == 0 ? 0 : std::max<std::size_t>(1, bytes_left / statements_left),
      .budget_alone = static_cast<std::size_t>(query_.budget_bytes),
      .timing = query_.timing};
  const std::size_t notes_before = done_.diagnostics.size();
  std::string json;
  if (statement.head.kind == HeadKind::create || statement.head.kind == HeadKind::drop) {
    ADIT_CHECK(apply(statement, request.statement_index));
    json = statement_without_rows(statement, request,
                                  std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  } else {
    ADIT_TRY(auto page, page_of(statement, request));
    json = std::move(page.json);
    for (auto& diagnostic : page.diagnostics) done_.diagnostics.push_back(std::move(diagnostic));
  }
  hooks_.on_statement(json);
  std::size_t used = json.size() + 1;
  for (std::size_t i = notes_before; i < done_.diagnostics.size(); ++i) {
    used += kDiagnosticShellBytes + done_.diagnostics[i].code.size() + done_.diagnostics[i].message.size();
  }
  bytes_left -= std::min(bytes_left, used);
  return {};
}

Result<Page> QueryRun::page_of(const GatedStatement& statement, const PageRequest& request) {
  ADIT_CHECK(check_files_unchanged(*catalog_, statement.uses));
  auto page = run_statement(engine_, statement, request);
  if (page.ok() || page.error().stage != "bind") return page;
  return naming_broken_definition(engine_, *catalog_, statement.uses, std::move(page).error());
}

Result<void> QueryRun::apply(const GatedStatement& statement, std::optional<std::int64_t> index) {
  const bool creates = statement.head.kind == HeadKind::create;
  auto applied = creates ? define(engine_, *catalog_, statement) : drop(engine_, *catalog_, statement.head);
  if (!applied.ok()) {
    if (!creates || applied.error().stage != "bind") return std::move(applied).error();
    return naming_broken_definition(engine_, *catalog_, statement.uses, std::move(applied).error());
  }
  for (auto& [code, message] : applied->notes) note(std::move(code), std::move(message), index);
  if (applied->changed) catalog_.reset();
  if (applied->changed && creates) made_.push_back(statement.head.name);
  return {};
}

void QueryRun::note_kept_definitions() {
  for (const auto& name : made_) note("definition_kept", fmt::format("The definition {} was made and stays", name), {});
}

void QueryRun::note(std::string code, std::string message, std::optional<std::int64_t> index) {
  done_.diagnostics.push_back(
      {.severity = "info", .code = std::move(code), .message = std::move(message), .statement_index = index});
}

}  // namespace adit::worker
