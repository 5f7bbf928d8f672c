#include "sources/sources.h"

#include "adit/base/json_text.h"
#include "cells/logical_type_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace adit::worker {
namespace {

using worker_protocol::FileSource;
using worker_protocol::Issue;
using worker_protocol::Relation;

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// `wanted`, or the first of wanted_2, wanted_3, … that no relation has.
std::string free_name(const std::string& wanted, const std::vector<std::string>& taken) {
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(taken.begin(), taken.end(), [&](const auto& other) { return lower(other) == lower(name); });
  };
  if (!is_taken(wanted)) return wanted;
  int number = 2;
  while (is_taken(fmt::format("{}_{}", wanted, number))) ++number;
  return fmt::format("{}_{}", wanted, number);
}

Result<Relation> describe(Engine& engine, const std::string& name, const std::string& display) {
  Relation relation{.name = name, .source = display, .columns = {}, .row_count = {}};
  ADIT_TRY(auto statement, engine.prepare("SELECT * FROM " + quoted_identifier(name)));
  const idx_t count = duckdb_prepared_statement_column_count(statement.get());
  for (idx_t i = 0; i < count; ++i) {
    const LogicalType type(duckdb_prepared_statement_column_logical_type(statement.get(), i));
    relation.columns.push_back(
        {.name = to_valid_utf8(take_text(const_cast<char*>(duckdb_prepared_statement_column_name(statement.get(), i)))),
         .type = to_valid_utf8(logical_type_text(type.get()))});
  }
  ADIT_TRY(auto rows, engine.rows_as_text("SELECT count(*)::VARCHAR FROM " + quoted_identifier(name)));
  std::int64_t row_count = 0;
  const auto& text = rows.front().front();
  std::from_chars(text.data(), text.data() + text.size(), row_count);
  relation.row_count = row_count;
  return relation;
}

Result<Relation> import_one(Engine& engine, const FileSource& source, std::vector<Issue>& issues) {
  ADIT_TRY(auto taken, engine.relation_names());
  const auto name = free_name(source.name, taken);
  if (name != source.name) {
    issues.push_back({.severity = "info",
                      .code = "relation_renamed",
                      .source = source.display,
                      .line = {},
                      .message = fmt::format("The name {} is taken; the relation is {}", source.name, name)});
  }
  if (source.format == "csv") {
    ADIT_CHECK(import_csv(engine, source, name, issues));
  } else if (source.format == "parquet") {
    ADIT_CHECK(import_parquet(engine, source, name));
  } else {
    return internal_error(fmt::format("no reader for the format {}", source.format));
  }
  return describe(engine, name, source.display);
}

// The engine speaks of the path; the caller knows the file by the name it gave.
Error naming_the_source(Error error, const FileSource& source) {
  for (auto at = error.message.find(source.path); at != std::string::npos; at = error.message.find(source.path, at)) {
    error.message.replace(at, source.path.size(), source.display);
    at += source.display.size();
  }
  error.message = fmt::format("{} cannot be opened as {}: {}", source.display, source.format, error.message);
  if (error.hint.empty()) error.hint = "Check that the file is what its name says, or name its format.";
  error.stage = "dataset";
  error.position = {};
  if (error.reason != "cancelled" && error.reason != "memory_limit" && error.reason != "disk_limit") {
    error.reason = "runtime_error";
  }
  return error;
}

}  // namespace

Result<worker_protocol::Imported> import_files(Engine& engine, const worker_protocol::ImportFiles& request) {
  worker_protocol::Imported imported;
  ADIT_CHECK(engine.execute("BEGIN TRANSACTION"));
  for (const auto& source : request.sources) {
    auto relation = import_one(engine, source, imported.issues);
    if (!relation.ok()) {
      // A failed rollback leaves nothing to undo by: the transaction ends with the process.
      if (auto rolled_back = engine.execute("ROLLBACK"); !rolled_back.ok()) return rolled_back.error();
      return naming_the_source(std::move(relation).error(), source);
    }
    imported.relations.push_back(std::move(*relation));
  }
  ADIT_CHECK(engine.execute("COMMIT"));
  return imported;
}

}  // namespace adit::worker
