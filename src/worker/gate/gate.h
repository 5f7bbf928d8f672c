// The one statement gate: every SQL text of a client passes it before the engine sees it. The engine's own parser
// makes the tree (json_serialize_sql), and the tree is walked against allow-lists; nothing is decided by searching
// the text.
#pragma once

#include "adit/base/result.h"
#include "engine.h"

#include <string>
#include <string_view>
#include <vector>

namespace adit::worker {

constexpr std::size_t kLargestStatement = 64 << 10;  // the parser is quadratic: 62 KB take 76 ms, 1.6 MB 47 s

struct GatedStatement {
  std::string
      text;  // the caller's own, without what follows the statement; safe inside parentheses on lines of its own
  std::string kind;  // "select", "describe", "show", "summarize"
  // The rows differ from run to run: random(), a sample. Such a statement is counted by running it once, to its end.
  bool is_volatile = false;
};

// `relations`: the names a statement may read. Errors: parse_error, unsupported_statement, not_allowed,
// unknown_relation, unknown_function, each with position and nearest names where they are known.
Result<GatedStatement> pass_gate(Engine& engine, std::string_view sql, const std::vector<std::string>& relations);

}  // namespace adit::worker
