#include "query_run.h"

#include "adit/base/json_text.h"
#include "adit/worker_protocol/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace adit::worker {
namespace {

using worker_protocol::NamedQuery;
using worker_protocol::QueryDone;
using worker_protocol::to_failure;
using Clock = std::chrono::steady_clock;

// The largest object that a frame and the front's walk take, with room for what surrounds it.
constexpr std::size_t kLargestBudget = worker_protocol::kLargestPayload - (64 << 10);

constexpr std::size_t kLongestNote = 1000;  // bytes of a diagnostic's message

// What tells that the bytes are used up, when statements remain.
constexpr std::size_t kFailureBytes = 500;

Error cancelled_error() {
  return Error{.code = ErrorCode::unavailable,
               .reason = "cancelled",
               .message = "The call was cancelled",
               .hint = "",
               .retryable = true,
               .stage = "execute"};
}

}  // namespace

QueryRun::QueryRun(Engine& engine, std::optional<RelationCatalog>& catalog, const worker_protocol::RunQuery& query,
                   Hooks hooks)
    : engine_(engine),
      catalog_(catalog),
      query_(query),
      hooks_(std::move(hooks)),
      budget_(query.budget_bytes <= 0 ? kLargestBudget
                                      : std::min(kLargestBudget, static_cast<std::size_t>(query.budget_bytes))),
      bytes_left_(budget_) {}

Result<QueryDone> QueryRun::run() {
  std::size_t step = 0;
  for (const auto& named : query_.definitions) {
    hooks_.on_step(step++);
    ADIT_CHECK(load_catalog());
    if (auto defined = define_named(named); !defined.ok()) {
      return QueryDone{.failure = to_failure(hooks_.cancelled() ? cancelled_error() : defined.error())};
    }
  }
  for (std::size_t i = 0; i < query_.sql.size(); ++i) {
    hooks_.on_step(step++);
    ADIT_CHECK(load_catalog());
    auto ran = run_one(i);
    if (ran.ok()) continue;
    auto failure = to_failure(hooks_.cancelled() ? cancelled_error() : ran.error());
    failure.statement_index = static_cast<std::int64_t>(i);
    return QueryDone{.failure = std::move(failure)};
  }
  return QueryDone{};
}

Result<void> QueryRun::load_catalog() {
  if (catalog_) return {};
  ADIT_TRY(catalog_, RelationCatalog::load(engine_));
  return {};
}

Result<void> QueryRun::define_named(const NamedQuery& named) {
  if (hooks_.cancelled()) return cancelled_error();
  const auto in_words = [&](Error error) {
    error.message = fmt::format("The named query {}: {}", utf8_prefix(named.name, kShownNameBytes), error.message);
    error.stage = "bind";
    return error;
  };
  auto statement = pass_gate(engine_, named.sql, *catalog_, GateSetting::query);
  if (!statement.ok()) return in_words(std::move(statement).error());
  if (statement->kind != "select") {
    return in_words(Error{.code = ErrorCode::validation,
                          .reason = "unsupported_statement",
                          .message = fmt::format("a query is wanted, not {}", statement->kind),
                          .hint = "Give a SELECT; definitions and drops are entries of sql.",
                          .stage = "bind"});
  }
  // The same as CREATE TEMP VIEW name AS …
  statement->head.kind = HeadKind::create;
  statement->head.defined_as = DefinedAs::temp_view;
  statement->head.name = named.name;
  auto applied = apply(*statement, {});
  if (!applied.ok()) return in_words(std::move(applied).error());
  return {};
}

Result<void> QueryRun::run_one(std::size_t index) {
  if (hooks_.cancelled()) return cancelled_error();
  const auto start = Clock::now();
  ADIT_TRY(auto statement, pass_gate(engine_, query_.sql[index], *catalog_, GateSetting::query));
  const std::size_t statements_left = query_.sql.size() - index;
  const PageRequest request{.statement_index = static_cast<std::int64_t>(index),
                            .sql = query_.sql[index],
                            .limit = query_.limit,
                            .offset = query_.offset,
                            // What is left is shared by the statements left; what one does not use passes on.
                            .budget = bytes_left_ / statements_left,
                            .budget_alone = budget_,
                            .timing = query_.timing,
                            .start = start};
  const bool defines = statement.head.kind == HeadKind::create || statement.head.kind == HeadKind::drop;
  return defines ? run_definition(statement, request) : run_reading(statement, request);
}

Result<void> QueryRun::run_definition(const GatedStatement& statement, const PageRequest& request) {
  ADIT_CHECK(check_room(request, statement_without_rows(statement, request).size() + 1));
  ADIT_CHECK(apply(statement, request.statement_index));
  const auto json = statement_without_rows(statement, request);
  hooks_.on_statement(json);
  bytes_left_ -= std::min(bytes_left_, json.size() + 1);
  return {};
}

Result<void> QueryRun::run_reading(const GatedStatement& statement, const PageRequest& request) {
  ADIT_CHECK(check_files_unchanged(*catalog_, statement.uses));
  const bool lists = statement.kind == "show";
  auto page = run_statement(engine_, lists ? listing(statement, *catalog_) : statement, request);
  if (!page.ok()) {
    if (page.error().stage != "bind") return std::move(page).error();
    return naming_broken_definition(engine_, *catalog_, statement.uses, std::move(page).error());
  }
  ADIT_CHECK(check_room(request, page->bytes()));
  hooks_.on_statement(page->json);
  bytes_left_ -= std::min(bytes_left_, page->json.size() + 1);
  for (auto& diagnostic : page->diagnostics) tell(std::move(diagnostic));
  return {};
}

// A statement that would fit an answer of its own may find too little left by those before it.
Result<void> QueryRun::check_room(const PageRequest& request, std::size_t bytes) const {
  const bool is_last = static_cast<std::size_t>(request.statement_index) + 1 == query_.sql.size();
  if (bytes + (is_last ? 0 : kFailureBytes) <= bytes_left_) return {};
  return Error{.code = ErrorCode::validation,
               .reason = "output_too_large",
               .message = fmt::format("The {} bytes of this answer are used up by the statements before this one",
                                      query_.budget_bytes),
               .hint = "Send this statement and those behind it in another call. Each takes bytes even without rows.",
               .stage = "render"};
}

Result<void> QueryRun::apply(const GatedStatement& statement, std::optional<std::int64_t> index) {
  const auto& head = statement.head;
  const bool creates = head.kind == HeadKind::create;
  if (creates) ADIT_CHECK(check_files_unchanged(*catalog_, statement.uses));
  auto applied = creates ? define(engine_, *catalog_, statement) : drop(engine_, *catalog_, head);
  if (!applied.ok()) {
    const bool unbound = creates && applied.error().stage == "bind" && applied.error().reason != "definition_cycle";
    if (!unbound) return std::move(applied).error();
    return naming_broken_definition(engine_, *catalog_, statement.uses, std::move(applied).error());
  }
  if (applied->changed) {
    catalog_.reset();
    hooks_.on_definition({.name = head.name, .made = creates});
  }
  for (auto& [code, message] : applied->notes) {
    tell({.severity = "info", .code = std::move(code), .message = std::move(message), .statement_index = index});
  }
  return {};
}

void QueryRun::tell(worker_protocol::Diagnostic diagnostic) {
  diagnostic.message = utf8_prefix(diagnostic.message, kLongestNote);
  bytes_left_ -= std::min(bytes_left_, bytes_in_answer(diagnostic));
  hooks_.on_diagnostic(diagnostic);
}

}  // namespace adit::worker
