// The gate over the real engine: whatever text comes, an answer in the text's bounds; our count of statements is the
// parser's; and what passes meets no lock of the engine's when it is bound, since the locks are the second line, not
// the first.
#include "fuzz/require.h"
#include "gate/gate.h"
#include "gate/sql_scanner.h"

#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>

namespace adit::worker {
namespace {

struct Workspace {
  std::string directory;
  std::unique_ptr<Engine> engine;
  RelationCatalog catalog;

  ~Workspace() {
    engine.reset();
    std::error_code ignored;
    std::filesystem::remove_all(directory, ignored);
  }
};

std::unique_ptr<Workspace> open_workspace() {
  auto workspace = std::make_unique<Workspace>();
  std::string pattern = (std::filesystem::temp_directory_path() / "adit-fuzz-XXXXXX").string();
  FUZZ_REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  workspace->directory = pattern;
  std::filesystem::create_directory(pattern + "/spill");
  const worker_protocol::OpenWorkspace open{.directory = pattern,
                                            .files = {},
                                            .memory_bytes = std::int64_t{256} << 20,
                                            .disk_bytes = std::int64_t{64} << 20,
                                            .threads = 1};
  auto engine = Engine::open(open, [] { return Result<void>(); });
  FUZZ_REQUIRE(engine.ok());
  workspace->engine = std::move(*engine);
  for (const char* sql : {"CREATE TABLE people (id INTEGER, name VARCHAR, age INTEGER)",
                          "CREATE TABLE sales (id INTEGER, person INTEGER, amount DECIMAL(10,2))",
                          "CREATE VIEW adults AS SELECT * FROM people WHERE age > 17"}) {
    FUZZ_REQUIRE(workspace->engine->execute(sql).ok());
  }
  auto catalog = RelationCatalog::load(*workspace->engine);
  FUZZ_REQUIRE(catalog.ok());
  workspace->catalog = std::move(*catalog);
  return workspace;
}

Workspace& workspace() {
  static const auto opened = open_workspace();
  return *opened;
}

void check_error(const Error& error, std::string_view sql) {
  FUZZ_REQUIRE(!error.reason.empty() && !error.message.empty() && !error.stage.empty());
  FUZZ_REQUIRE(is_valid_utf8(error.message) && is_valid_utf8(error.hint));
  for (const auto& name : error.nearest) FUZZ_REQUIRE(is_valid_utf8(name));
  if (error.position) FUZZ_REQUIRE(*error.position >= 0 && static_cast<std::size_t>(*error.position) <= sql.size());
}

// The parser takes Unicode's spaces for spaces; our scanner does not, and refuses what it cannot tell.
bool has_unicode_space(std::string_view sql) {
  for (const std::string_view bytes : {"\xC2\xA0", "\xE2\x80", "\xE2\x81", "\xE3\x80\x80", "\xEF\xBB\xBF"}) {
    if (sql.find(bytes) != std::string_view::npos) return true;
  }
  return false;
}

void check_count(std::string_view sql) {
  if (has_unicode_space(sql)) return;
  const auto serialized = workspace().engine->parse_tree(sql);
  if (!serialized.ok()) return;
  const auto tree = parse_json(*serialized, 4000);
  if (!tree.ok() || boolean_or(tree->get_object(), "error", true)) return;
  const auto count = find_field(tree->get_object(), "statements")->get_array().size();
  const auto bounds = statement_bounds(sql);
  const std::size_t ours = bounds.begin == bounds.end ? 0 : bounds.next ? 2 : 1;
  FUZZ_REQUIRE(ours == std::min<std::size_t>(count, 2));
}

// Binding takes exponential time in the depth of some constructs.
bool is_bound_soon(std::string_view sql) { return std::count(sql.begin(), sql.end(), '(') < 12; }

void check(std::string_view sql) {
  if (!is_valid_utf8(sql)) return;  // a client's text arrives as JSON
  auto& [directory, engine, catalog] = workspace();
  const auto gated = pass_gate(*engine, sql, catalog, GateSetting::query);
  const auto only_select = pass_gate(*engine, sql, catalog, GateSetting::select_only);
  if (!only_select.ok()) check_error(only_select.error(), sql);
  if (!gated.ok()) {
    check_error(gated.error(), sql);
    FUZZ_REQUIRE(!only_select.ok());
  }
  if (sql.find('\0') == std::string_view::npos && sql.size() <= kLargestStatement) check_count(sql);
  if (!gated.ok()) return;

  FUZZ_REQUIRE(!gated->kind.empty());
  FUZZ_REQUIRE(gated->text_begin + gated->text.size() <= sql.size());
  FUZZ_REQUIRE(sql.substr(gated->text_begin, gated->text.size()) == gated->text);
  for (const auto& used : gated->uses) FUZZ_REQUIRE(catalog.find(used) != nullptr);
  if (gated->head.kind == HeadKind::drop || !is_bound_soon(sql)) return;

  for (const auto& text : {"SELECT * FROM (\n" + gated->text + "\n)", "EXPLAIN " + gated->text}) {
    const auto bound = engine->prepare(text);
    if (bound.ok()) continue;
    FUZZ_REQUIRE(bound.error().reason != "not_allowed");
    FUZZ_REQUIRE(is_valid_utf8(bound.error().message));
  }
}

}  // namespace
}  // namespace adit::worker

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  adit::worker::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
