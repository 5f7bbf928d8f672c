#include "sources/sources.h"

#include "adit/base/json_text.h"
#include "adit/base/nearest_name.h"
#include "cells/logical_type_text.h"
#include "definitions.h"
#include "sources/exact_numbers.h"

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>

#include <algorithm>
#include <charconv>

namespace adit::worker {
namespace {

constexpr std::size_t kLongestMessage = 600;  // of the engine's, which may quote a whole field

using worker_protocol::FileSource;
using worker_protocol::Issue;
using worker_protocol::Relation;

Result<std::vector<worker_protocol::Column>> columns_of_relation(Engine& engine, const std::string& name) {
  ADIT_TRY(auto statement, engine.prepare("SELECT * FROM " + quoted_identifier(name)));
  std::vector<worker_protocol::Column> columns;
  const idx_t count = duckdb_prepared_statement_column_count(statement.get());
  for (idx_t i = 0; i < count; ++i) {
    const LogicalType type(duckdb_prepared_statement_column_logical_type(statement.get(), i));
    columns.push_back(
        {.name = to_valid_utf8(take_text(const_cast<char*>(duckdb_prepared_statement_column_name(statement.get(), i)))),
         .type = to_valid_utf8(logical_type_text(type.get()))});
  }
  return columns;
}

Result<Relation> describe(Engine& engine, const std::string& name, const std::string& display) {
  Relation relation{.name = name, .source = display, .columns = {}, .row_count = {}};
  ADIT_TRY(relation.columns, columns_of_relation(engine, name));
  ADIT_TRY(auto rows, engine.rows_as_text("SELECT count(*)::VARCHAR FROM " + quoted_identifier(name)));
  std::int64_t row_count = 0;
  const auto& text = rows.front().front();
  std::from_chars(text.data(), text.data() + text.size(), row_count);
  relation.row_count = row_count;
  return relation;
}

Result<void> create_relation(Engine& engine, const FileSource& source, const Target& target, const std::string& scratch,
                             std::vector<Issue>& issues) {
  if (source.format == "csv" || source.format == "tsv") return import_csv(engine, source, target, scratch, issues);
  if (source.format == "json" || source.format == "ndjson") return import_json(engine, source, target, scratch, issues);
  if (source.format == "parquet") return import_parquet(engine, source, target.name);
  return internal_error(fmt::format("no reader for the format {}", source.format));
}

// A name that neither the workspace nor the new relation has: users may call theirs as they like.
std::string staging_name(const RelationCatalog& catalog, const std::string& name) {
  std::string staging = catalog.free_name("adit staging");
  while (same_name(staging, name) || catalog.find(staging) != nullptr) staging += '_';
  return staging;
}

Result<Relation> import_one(Engine& engine, const FileSource& source, const std::string& scratch,
                            std::vector<Issue>& issues) {
  ADIT_TRY(const auto catalog, RelationCatalog::load(engine));
  const auto name = catalog.free_name(source.name);
  if (name != source.name) {
    issues.push_back({.severity = "info",
                      .code = "relation_renamed",
                      .source = source.display,
                      .line = {},
                      .message = fmt::format("The name {} is taken; the relation is {}", source.name, name)});
  }
  const auto state = file_state(source.path);
  ADIT_CHECK(create_relation(engine, source, {.name = name, .staging = staging_name(catalog, name)}, scratch, issues));
  const bool in_place = source.format == "parquet";
  const RelationRecord record{.name = name,
                              .kind = "source",
                              .source = source.display,
                              .file = in_place ? state : std::nullopt,
                              .uses = {},
                              .is_volatile = false,
                              .sql = {}};
  ADIT_CHECK(keep_record(engine, record, in_place ? "VIEW" : "TABLE"));
  return describe(engine, name, source.display);
}

// The engine speaks of the path; the caller knows the file by the name it gave.
Error naming_the_source(Error error, const FileSource& source, const std::string& scratch) {
  boost::algorithm::replace_all(error.message, source.path, source.display);
  boost::algorithm::replace_all(error.message, scratch, source.display);
  if (error.message.size() > kLongestMessage) {
    const auto size = error.message.size();
    error.message = fmt::format("{}… ({} bytes)", utf8_prefix(error.message, kLongestMessage), size);
  }
  error.message = fmt::format("{} cannot be opened as {}: {}", source.display, source.format, error.message);
  if (error.reason == "memory_limit") {
    error.hint =
        "It has too many columns, or values too long, for the memory of one dataset: open a part of it, or turn it "
        "into "
        "Parquet, which is read in place.";
  }
  if (error.reason == "disk_limit") error.hint = "Open a part of it, or turn it into Parquet, which is read in place.";
  if (error.hint.empty()) error.hint = "Check that the file is what its name says, or name its format.";
  error.stage = "dataset";
  error.position = {};
  error.nearest = {};
  if (error.reason != "cancelled" && error.reason != "memory_limit" && error.reason != "disk_limit") {
    error.reason = "runtime_error";
  }
  return error;
}

}  // namespace

void tell_typing(const FileSource& source, const std::vector<TypingNote>& notes, std::vector<Issue>& issues) {
  for (const auto& note : notes) {
    const auto column = to_valid_utf8(note.column);
    Issue issue{.severity = "warning", .code = {}, .source = source.display, .line = {}, .message = {}};
    switch (note.what) {
      case TypingNote::What::rounded:
        issue.code = "numbers_rounded";
        issue.message = fmt::format(
            "Numbers of column {} with more digits than an exact type holds here: {}; the "
            "column is DOUBLE, and they are rounded",
            column, note.values);
        break;
      case TypingNote::What::too_large:
        issue.code = "numbers_too_large";
        issue.message = fmt::format(
            "Numbers of column {} larger than DOUBLE holds: {}; the column is text. "
            "TRY_CAST({} AS DOUBLE) makes Infinity of them",
            column, note.values, quoted_identifier(column));
        break;
      case TypingNote::What::ambiguous:
        issue.code = "dates_ambiguous";
        issue.message = fmt::format(
            "The dates of column {} can be read as {} and as {}, and no value tells which; the "
            "column is text. Read it with strptime({}, '{}') or strptime({}, '{}')",
            column, note.format, note.other, quoted_identifier(column), note.format, quoted_identifier(column),
            note.other);
        break;
      case TypingNote::What::ordered:
        issue.severity = "info";
        issue.code = "date_format";
        issue.message = fmt::format("The dates of column {} were read as {}", column, note.format);
        break;
    }
    issues.push_back(std::move(issue));
  }
}

Result<worker_protocol::Described> describe_workspace(Engine& engine, const RelationCatalog& catalog) {
  worker_protocol::Described described;
  for (const auto& record : catalog.relations()) {
    if (!record.is_source()) {
      described.definitions.push_back(
          {.name = record.name, .kind = record.kind, .sql = record.sql, .uses = record.uses});
      continue;
    }
    // A file that is gone or changed takes its columns along; the relation is listed all the same, and a query tells
    // why.
    const bool is_there = check_files_unchanged(catalog, {record.name}).ok();
    auto relation = is_there ? describe(engine, record.name, record.source) : Result<Relation>(Error{});
    if (relation.ok()) described.relations.push_back(std::move(*relation));
    else described.relations.push_back({.name = record.name, .source = record.source, .columns = {}, .row_count = {}});
  }
  return described;
}

Result<worker_protocol::Imported> import_files(Engine& engine, const worker_protocol::ImportFiles& request,
                                               const std::string& scratch) {
  worker_protocol::Imported imported;
  ADIT_CHECK(engine.execute("BEGIN TRANSACTION"));
  for (const auto& source : request.sources) {
    auto relation = import_one(engine, source, scratch, imported.issues);
    if (!relation.ok()) {
      auto error = naming_the_source(std::move(relation).error(), source, scratch);
      // A failed rollback leaves nothing to undo by: the transaction ends with the process.
      if (auto rolled_back = engine.execute("ROLLBACK"); !rolled_back.ok()) {
        error.code = rolled_back.error().code;
        error.reason = rolled_back.error().reason;
        error.message += fmt::format(" (and the dataset could not be set back: {})", rolled_back.error().message);
      }
      return error;
    }
    imported.relations.push_back(std::move(*relation));
  }
  ADIT_CHECK(engine.execute("COMMIT"));
  return imported;
}

}  // namespace adit::worker
