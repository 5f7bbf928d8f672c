// The real engine in this process, on a workspace of its own: opened and locked as a worker's is, but not confined.
#pragma once

#include "engine.h"
#include "relation_catalog.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace adit::worker {

inline worker_protocol::OpenWorkspace workspace_in(const std::string& directory) {
  return {.directory = directory,
          .files = {},
          .memory_bytes = std::int64_t{512} << 20,
          .disk_bytes = std::int64_t{1} << 30,
          .threads = 2};
}

class OpenedEngine {
 public:
  explicit OpenedEngine(const std::vector<std::string>& statements = {}, std::int64_t memory_bytes = 512 << 20,
                        std::int64_t disk_bytes = 1 << 30) {
    auto workspace = workspace_in(directory_.path());
    workspace.memory_bytes = memory_bytes;
    workspace.disk_bytes = disk_bytes;
    std::filesystem::create_directory(directory_.path() + "/spill");
    auto opened = Engine::open(workspace, [] { return Result<void>(); });
    if (!opened.ok()) throw std::runtime_error(opened.error().message);
    engine_ = std::move(*opened);
    for (const auto& statement : statements) run(statement);
  }

  Engine& operator*() { return *engine_; }
  Engine* operator->() { return engine_.get(); }

  void run(const std::string& sql) {
    const auto done = engine_->execute(sql);
    EXPECT_TRUE(done.ok()) << sql << ": " << (done.ok() ? "" : done.error().message);
  }

  std::vector<std::vector<std::string>> rows(const std::string& sql) {
    auto rows = engine_->rows_as_text(sql);
    EXPECT_TRUE(rows.ok()) << sql << ": " << (rows.ok() ? "" : rows.error().message);
    return rows.ok() ? std::move(*rows) : std::vector<std::vector<std::string>>();
  }

  // The single value of a statement that gives one text.
  std::string value(const std::string& sql) {
    const auto all = rows(sql);
    EXPECT_EQ(all.size(), 1u) << sql;
    return all.empty() ? "" : all.front().front();
  }

  RelationCatalog catalog() {
    auto loaded = RelationCatalog::load(*engine_);
    EXPECT_TRUE(loaded.ok());
    return loaded.ok() ? std::move(*loaded) : RelationCatalog();
  }

  const test::TemporaryDirectory& directory() const { return directory_; }

 private:
  test::TemporaryDirectory directory_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace adit::worker
