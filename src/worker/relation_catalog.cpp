#include "relation_catalog.h"

#include "adit/base/json_fields.h"
#include "adit/base/nearest_name.h"

#include <fmt/format.h>

#include <sys/stat.h>

#include <algorithm>

namespace adit::worker {
namespace json = boost::json;
namespace {

json::object to_json(const RelationRecord& record) {
  json::object object{{"kind", record.kind}};
  if (record.is_source()) {
    object["source"] = record.source;
  } else {
    object["uses"] = json::value_from(record.uses);
    object["volatile"] = record.is_volatile;
    object["sql"] = record.sql;
  }
  if (record.file) {
    object["path"] = record.file->path;
    object["size"] = record.file->size;
    object["modified_ns"] = record.file->modified_ns;
    object["inode"] = record.file->inode;
  }
  return object;
}

// A comment that cannot be read would be a defect; the relation then counts as a source, which nothing may change.
RelationRecord from_comment(std::string name, const std::string& comment) {
  RelationRecord record;
  record.name = std::move(name);
  record.kind = "source";
  const auto parsed = parse_json(comment);
  if (!parsed.ok() || !parsed->is_object()) return record;
  const auto& object = parsed->get_object();
  record.kind = text_or(object, "kind", "source");
  record.source = text_or(object, "source", "");
  record.sql = text_or(object, "sql", "");
  record.is_volatile = boolean_or(object, "volatile", false);
  if (const auto* uses = find_field(object, "uses"); uses != nullptr && uses->is_array()) {
    for (const auto& used : uses->get_array()) record.uses.emplace_back(used.as_string());
  }
  if (object.contains("path")) {
    record.file = FileState{.path = text_or(object, "path", ""),
                            .size = integer_or(object, "size", -1),
                            .modified_ns = integer_or(object, "modified_ns", -1),
                            .inode = integer_or(object, "inode", -1)};
  }
  return record;
}

}  // namespace

std::optional<FileState> file_state(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return FileState{.path = path,
                   .size = info.st_size,
                   .modified_ns = info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec,
                   .inode = static_cast<std::int64_t>(info.st_ino)};
}

Result<RelationCatalog> RelationCatalog::load(Engine& engine) {
  ADIT_TRY(auto rows,
           engine.rows_as_text("SELECT table_name, comment FROM duckdb_tables() WHERE NOT internal UNION ALL "
                               "SELECT view_name, comment FROM duckdb_views() WHERE NOT internal ORDER BY 1"));
  RelationCatalog catalog;
  for (auto& row : rows) {
    catalog.names_.push_back(row[0]);
    catalog.relations_.push_back(from_comment(std::move(row[0]), row[1]));
  }
  return catalog;
}

const RelationRecord* RelationCatalog::find(std::string_view name) const {
  const auto found = std::find_if(relations_.begin(), relations_.end(),
                                  [&](const RelationRecord& relation) { return same_name(relation.name, name); });
  return found == relations_.end() ? nullptr : &*found;
}

std::string RelationCatalog::free_name(const std::string& name) const {
  if (find(name) == nullptr) return name;
  int number = 2;
  while (find(fmt::format("{}_{}", name, number)) != nullptr) ++number;
  return fmt::format("{}_{}", name, number);
}

std::vector<const RelationRecord*> RelationCatalog::reached_from(const std::vector<std::string>& names) const {
  std::vector<const RelationRecord*> reached;
  const auto add = [&](const std::string& name) {
    const auto* relation = find(name);
    const bool is_new = relation != nullptr && std::find(reached.begin(), reached.end(), relation) == reached.end();
    if (is_new) reached.push_back(relation);
  };
  for (const auto& name : names) add(name);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const auto& used : reached[i]->uses) add(used);
  }
  return reached;
}

std::string RelationCatalog::chain(const std::vector<std::string>& from, std::string_view to) const {
  // Breadth first, with the way back: definitions may share what they use.
  std::vector<std::pair<std::string, std::size_t>> visited;  // name, index of the one that led here (own: a start)
  const auto add = [&](const std::string& name, std::size_t parent) {
    const bool seen =
        std::any_of(visited.begin(), visited.end(), [&](const auto& one) { return same_name(one.first, name); });
    if (!seen) visited.emplace_back(name, parent);
  };
  for (const auto& name : from) add(name, visited.size());
  for (std::size_t i = 0; i < visited.size(); ++i) {
    if (same_name(visited[i].first, to)) {
      std::string text = visited[i].first;
      for (std::size_t at = i; visited[at].second != at;) {
        at = visited[at].second;
        text = visited[at].first + " -> " + text;
      }
      return text;
    }
    if (const auto* relation = find(visited[i].first)) {
      for (const auto& used : relation->uses) add(used, i);
    }
  }
  return "";
}

std::vector<std::string> RelationCatalog::dependants(std::string_view name) const {
  std::vector<std::string> found;
  for (const auto& relation : relations_) {
    if (!same_name(relation.name, name) && !chain(relation.uses, name).empty()) found.push_back(relation.name);
  }
  return found;
}

Result<void> keep_record(Engine& engine, const RelationRecord& record, std::string_view object) {
  return engine.execute(fmt::format("COMMENT ON {} {} IS {}", object, quoted_identifier(record.name),
                                    quoted_literal(json::serialize(to_json(record)))));
}

}  // namespace adit::worker
