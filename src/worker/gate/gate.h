// The one statement gate: every SQL text of a client passes it before the engine sees it. The engine's own parser
// makes the tree (json_serialize_sql), and the tree is walked against allow-lists; nothing is decided by searching
// the text.
#pragma once

#include "adit/base/result.h"
#include "engine.h"
#include "gate/statement_head.h"
#include "relation_catalog.h"

#include <string>
#include <string_view>
#include <vector>

namespace adit::worker {

constexpr std::size_t kLargestStatement = 64 << 10;  // the parser is quadratic: 62 KB take 76 ms, 1.6 MB 47 s

enum class GateSetting {
  query,        // reading statements, definitions and their drops, EXPLAIN, DESCRIBE, SHOW TABLES, SUMMARIZE
  select_only,  // SELECT, VALUES, TABLE, WITH, FROM-first alone; everything else is "sql_rejected"
};

struct GatedStatement {
  StatementHead head;             // kind none: the text is the statement
  std::string text;               // the part that reads, as the caller wrote it, without what follows the statement
  std::size_t text_begin = 0;     // where it begins in the caller's text
  std::string kind;               // the contract's word
  std::vector<std::string> uses;  // relations it names, each once, as the workspace spells them
  bool is_ordered = false;        // it has an ORDER BY of its own
  bool may_fail_on_rows = false;  // it converts values: a row not read yet may still fail
  // Its rows differ from run to run: random(), a sample, a definition with either. Such a statement is counted by
  // running it once, to its end.
  bool is_volatile = false;
};

// `catalog`: what a statement may read. Errors: parse_error, unsupported_statement, not_allowed, unknown_relation,
// sql_rejected, each with position and nearest names where they are known.
Result<GatedStatement> pass_gate(Engine& engine, std::string_view sql, const RelationCatalog& catalog,
                                 GateSetting setting);

}  // namespace adit::worker
