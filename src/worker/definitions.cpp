#include "definitions.h"

#include "adit/base/nearest_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace adit::worker {
namespace {

Error refusal(std::string_view kind, std::string message, std::string hint) {
  return Error{.code = ErrorCode::validation,
               .reason = std::string(kind),
               .message = std::move(message),
               .hint = std::move(hint),
               .stage = kind == "not_allowed" ? "policy" : "bind"};
}

constexpr std::size_t kShownNames = 10;  // in a diagnostic

// The whole of CREATE, with a head of ours; the body keeps its place behind `prefix`.
struct CreateText {
  std::string sql;
  std::size_t prefix = 0;
};

CreateText create_text(const GatedStatement& statement) {
  std::string columns;
  for (const auto& column : statement.head.columns) {
    columns += (columns.empty() ? " (" : ", ") + quoted_identifier(column);
  }
  if (!columns.empty()) columns += ')';
  CreateText text{.sql =
                      fmt::format("CREATE OR REPLACE VIEW {}{} AS\n", quoted_identifier(statement.head.name), columns)};
  text.prefix = text.sql.size();
  text.sql += statement.text;
  return text;
}

Result<void> create_and_bind(Engine& engine, const GatedStatement& statement) {
  const auto text = create_text(statement);
  if (auto created = engine.execute(text.sql); !created.ok()) {
    auto error = std::move(created).error();
    error.stage = error.stage == "execute" ? "bind" : error.stage;
    if (error.position)
      *error.position += static_cast<std::int64_t>(statement.text_begin) - static_cast<std::int64_t>(text.prefix);
    if (error.position && *error.position < 0) error.position = {};
    return error;
  }
  if (auto bound = engine.prepare("SELECT * FROM " + quoted_identifier(statement.head.name)); !bound.ok()) {
    auto error = std::move(bound).error();
    error.position = {};  // it would count in our text
    return error;
  }
  const RelationRecord record{.name = statement.head.name,
                              .kind = std::string(kind_text(statement.head.defined_as)),
                              .source = {},
                              .file = {},
                              .uses = statement.uses,
                              .is_volatile = statement.is_volatile,
                              .sql = statement.text};
  return keep_record(engine, record, "VIEW");
}

std::vector<std::string> no_longer_binding(Engine& engine, const std::vector<std::string>& names) {
  std::vector<std::string> broken;
  for (const auto& name : names) {
    if (!engine.prepare("SELECT * FROM " + quoted_identifier(name)).ok()) broken.push_back(name);
  }
  return broken;
}

void note_broken(Engine& engine, const std::vector<std::string>& dependants, std::string_view name, Defined& defined) {
  auto broken = no_longer_binding(engine, dependants);
  if (broken.empty()) return;
  if (broken.size() > kShownNames) {
    broken.resize(kShownNames);
    broken.emplace_back("and others");
  }
  defined.notes.emplace_back(
      "dependants_broken",
      fmt::format("{} stay defined and do not bind any more without {} as it was", fmt::join(broken, ", "), name));
}

}  // namespace

Result<Defined> define(Engine& engine, const RelationCatalog& catalog, const GatedStatement& statement) {
  const auto& head = statement.head;
  const auto* existing = catalog.find(head.name);
  if (existing != nullptr && existing->is_source()) {
    return refusal("not_allowed", fmt::format("{} is a source of this dataset and cannot be replaced", existing->name),
                   fmt::format("Use another name, {} for example.", catalog.free_name(head.name)));
  }
  Defined defined;
  if (existing != nullptr && head.if_exists) {
    defined.notes.emplace_back("already_defined",
                               fmt::format("{} is defined already and stays as it is", existing->name));
    return defined;
  }
  // Also over a name that was dropped: what used it uses it again.
  if (const auto way = catalog.chain(statement.uses, head.name); !way.empty()) {
    return refusal("definition_cycle",
                   fmt::format("{} would be defined by itself: {} -> {}", head.name, head.name, way),
                   "Give the new definition another name.");
  }
  ADIT_CHECK(engine.execute("BEGIN TRANSACTION"));
  if (auto created = create_and_bind(engine, statement); !created.ok()) {
    ADIT_CHECK(engine.execute("ROLLBACK"));
    return std::move(created).error();
  }
  ADIT_CHECK(engine.execute("COMMIT"));
  defined.changed = true;
  if (existing != nullptr) note_broken(engine, catalog.dependants(head.name), head.name, defined);
  return defined;
}

Result<Defined> drop(Engine& engine, const RelationCatalog& catalog, const StatementHead& head) {
  const auto* existing = catalog.find(head.name);
  Defined defined;
  if (existing == nullptr && head.if_exists) {
    defined.notes.emplace_back("not_defined", fmt::format("There was no definition {}", head.name));
    return defined;
  }
  if (existing == nullptr) {
    auto error = refusal("unknown_relation", fmt::format("There is no definition {}", head.name),
                         "SHOW TABLES lists what there is; DROP VIEW IF EXISTS passes over a missing one.");
    error.nearest = nearest_names(head.name, catalog.names());
    return error;
  }
  if (existing->is_source()) {
    return refusal("not_allowed", fmt::format("{} is a source of this dataset and cannot be dropped", existing->name),
                   "close_dataset closes the whole dataset.");
  }
  ADIT_CHECK(engine.execute("DROP VIEW " + quoted_identifier(existing->name)));
  defined.changed = true;
  note_broken(engine, catalog.dependants(existing->name), existing->name, defined);
  return defined;
}

GatedStatement listing(GatedStatement statement, const RelationCatalog& catalog) {
  std::string names;
  for (const auto& name : catalog.names()) names += (names.empty() ? "(" : ", (") + quoted_literal(name) + ")";
  statement.text = names.empty() ? "SELECT '' AS name WHERE false"
                                 : fmt::format("SELECT name FROM (VALUES {}) t(name) ORDER BY name", names);
  statement.is_ordered = true;
  return statement;
}

Error naming_broken_definition(Engine& engine, const RelationCatalog& catalog, const std::vector<std::string>& uses,
                               Error error) {
  for (const auto* relation : catalog.reached_from(uses)) {
    if (relation->is_source()) continue;
    for (const auto& used : relation->uses) {
      if (catalog.find(used) != nullptr) continue;
      error.reason = "unknown_relation";
      error.stage = "bind";
      error.position = {};
      error.message =
          fmt::format("{} -> {}: {} does not exist any more", catalog.chain(uses, relation->name), used, used);
      error.hint = fmt::format("Define {} again, or drop or redefine {}.", used, relation->name);
      return error;
    }
  }
  // Everything is there, but a definition may use a column that its relation has lost. The innermost is named.
  const auto reached = catalog.reached_from(uses);
  for (auto relation = reached.rbegin(); relation != reached.rend(); ++relation) {
    if ((*relation)->is_source() || engine.prepare("SELECT * FROM " + quoted_identifier((*relation)->name)).ok())
      continue;
    error.position = {};
    error.message = fmt::format("The definition {} does not bind any more: {}", catalog.chain(uses, (*relation)->name),
                                error.message);
    error.hint = fmt::format("Redefine or drop {}.", (*relation)->name);
    return error;
  }
  return error;
}

Result<void> check_files_unchanged(const RelationCatalog& catalog, const std::vector<std::string>& uses) {
  for (const auto* relation : catalog.reached_from(uses)) {
    if (!relation->file) continue;
    const auto now = file_state(relation->file->path);
    const auto& then = *relation->file;
    if (now && now->size == then.size && now->modified_ns == then.modified_ns && now->inode == then.inode) continue;
    return Error{.code = ErrorCode::validation,
                 .reason = "source_changed",
                 .message = fmt::format("The file {} (relation {}) {} since it was opened", relation->source,
                                        relation->name, now ? "has changed" : "is gone"),
                 .hint = "Open it again with open_dataset; results of the two states are not mixed.",
                 .stage = "dataset"};
  }
  return {};
}

}  // namespace adit::worker
