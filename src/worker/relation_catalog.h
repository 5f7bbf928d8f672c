// What a workspace holds: its source relations and the session's definitions, with what each definition uses. The facts
// stand in the workspace's file, as comments on its tables and views, and so outlive the worker.
#pragma once

#include "adit/base/result.h"
#include "engine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adit::worker {

// A file that is read in place, as it was when it was opened.
struct FileState {
  std::string path;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t inode = 0;
};

// The file as it is now; nothing when it is gone.
std::optional<FileState> file_state(const std::string& path);

// What is kept of one relation beside its columns.
struct RelationRecord {
  std::string name;
  std::string kind;               // "source", or a definition's: create_view, create_temp_view, create_temp_table
  std::string source;             // of a source: how the caller named it
  std::optional<FileState> file;  // of a source that is read in place
  std::vector<std::string> uses;  // of a definition: the relations its text names
  bool is_volatile = false;       // of a definition: its rows differ from run to run
  std::string sql;                // of a definition: its text

  bool is_source() const { return kind == "source"; }
};

class RelationCatalog {
 public:
  static Result<RelationCatalog> load(Engine& engine);

  // nullptr when there is none of that name; names are compared as the engine does, without case.
  const RelationRecord* find(std::string_view name) const;
  const std::vector<RelationRecord>& relations() const { return relations_; }
  const std::vector<std::string>& names() const { return names_; }

  // `name`, name_2, name_3, …: the first that is free.
  std::string free_name(const std::string& name) const;

  // Everything that the named relations reach through definitions, themselves included, each once.
  std::vector<const RelationRecord*> reached_from(const std::vector<std::string>& names) const;

  // The path by which `from` reaches `to` ("a -> b -> c"), or "".
  std::string chain(const std::vector<std::string>& from, std::string_view to) const;

  // Definitions that use `name`, directly or not.
  std::vector<std::string> dependants(std::string_view name) const;

 private:
  std::vector<RelationRecord> relations_;
  std::vector<std::string> names_;
};

// Writes the record to the relation that the engine holds under record.name.
Result<void> keep_record(Engine& engine, const RelationRecord& record, std::string_view object /* TABLE or VIEW */);

}  // namespace adit::worker
