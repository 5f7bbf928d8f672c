#include "query_results.h"

#include "adit/base/json_text.h"
#include "adit/base/nearest_name.h"
#include "call_error.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::workspace {
namespace protocol = worker_protocol;

namespace {

constexpr std::size_t kShownNameBytes = 200;
constexpr std::size_t kNotesOfOne = 10;                    // diagnostics that one statement or definition may have
constexpr std::size_t kSlackBytes = std::size_t{1} << 20;  // over the budget that the worker keeps by itself

Diagnostic to_diagnostic(protocol::Diagnostic diagnostic) {
  return {.severity = std::move(diagnostic.severity),
          .code = std::move(diagnostic.code),
          .message = std::move(diagnostic.message),
          .statement_index = diagnostic.statement_index};
}

}  // namespace

bool QueryResults::take(protocol::MessageType type, std::string_view payload) {
  if (type == protocol::MessageType::statement) return take_statement(payload) && fits();
  if (type == protocol::MessageType::diagnostic) return take_diagnostic(payload) && fits();
  return take_definition(payload) && fits();
}

bool QueryResults::fits() const {
  const auto most_notes = (statements_ + definitions_) * kNotesOfOne;
  const bool in_budget = budget_bytes_ == 0 || bytes_ <= budget_bytes_ + kSlackBytes;
  return in_budget && outcome_.statements.size() <= statements_ && changes_.size() <= statements_ + definitions_ &&
         outcome_.diagnostics.size() <= most_notes;
}

bool QueryResults::take_statement(std::string_view payload) {
  std::string checked;
  checked.reserve(payload.size());
  const auto kind = append_checked_json(checked, payload);
  if (!kind.ok() || *kind != JsonKind::object) return false;
  bytes_ += checked.size() + 1;
  outcome_.statements.push_back(std::move(checked));
  return true;
}

bool QueryResults::take_diagnostic(std::string_view payload) {
  auto diagnostic = protocol::decode<protocol::Diagnostic>(payload);
  if (!diagnostic.ok()) return false;
  bytes_ += bytes_in_answer(*diagnostic);
  outcome_.diagnostics.push_back(to_diagnostic(std::move(*diagnostic)));
  return true;
}

bool QueryResults::take_definition(std::string_view payload) {
  auto change = protocol::decode<protocol::DefinitionChange>(payload);
  if (!change.ok()) return false;
  // The spelling is that of each statement.
  std::erase_if(made_, [&](const std::string& name) { return same_name(name, change->name); });
  if (change->made) made_.push_back(change->name);
  changes_.push_back(std::move(*change));
  return true;
}

QueryOutcome QueryResults::finish(Result<WorkerAnswer> answer, std::chrono::milliseconds limit) {
  const bool deadline_passed = answer.ok() && answer->deadline_passed;
  const bool begun = answer.ok() && answer->begun;
  Result<std::string> payload = answer.ok() ? std::move(answer->payload) : Result<std::string>(answer.error());
  if (payload.ok()) {
    auto done = protocol::decode<protocol::QueryDone>(*payload);
    if (!done.ok()) outcome_.failure = std::move(done).error();
    else if (done->failure) outcome_.failure = protocol::to_error(*done->failure);
    // The worker only knows that it was told to stop.
    if (outcome_.failure && outcome_.failure->reason == "cancelled" && deadline_passed) {
      auto timeout = timeout_error(limit);
      timeout.statement_index = outcome_.failure->statement_index;
      outcome_.failure = std::move(timeout);
    }
  } else {
    outcome_.failure = std::move(payload).error();
    // Without a word from the worker, the statement behind the last whole one was running, or a definition was.
    const bool definitions_made = changes_.size() >= definitions_;
    if (begun && definitions_made && outcome_.statements.size() < statements_) {
      outcome_.failure->statement_index = static_cast<std::int64_t>(outcome_.statements.size());
    }
  }
  if (outcome_.failure) note_kept_definitions();
  return std::move(outcome_);
}

void QueryResults::note_kept_definitions() {
  const auto note = [](std::string message) {
    return protocol::Diagnostic{
        .severity = "info", .code = "definition_kept", .message = std::move(message), .statement_index = {}};
  };
  std::vector<protocol::Diagnostic> notes;
  std::size_t bytes = bytes_;
  for (const auto& name : made_) {
    notes.push_back(note(fmt::format("The definition {} was made and stays", utf8_prefix(name, kShownNameBytes))));
    bytes += bytes_in_answer(notes.back());
  }
  if (budget_bytes_ != 0 && bytes > budget_bytes_ && notes.size() > 1) {
    notes = {note(fmt::format("{} definitions were made and stay; describe_dataset lists them", made_.size()))};
  }
  for (auto& one : notes) outcome_.diagnostics.push_back(to_diagnostic(std::move(one)));
}

}  // namespace adit::workspace
