// The heads of the statements that the engine's parser does not serialise: CREATE … AS, DROP, EXPLAIN. Only the head is
// read here; the body goes through the same gate as every SELECT, and the engine gets a head that we write.
#pragma once

#include "adit/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace adit::worker {

enum class HeadKind { none, create, drop, explain };
enum class DefinedAs { view, temp_view, temp_table };

struct StatementHead {
  HeadKind kind = HeadKind::none;
  DefinedAs defined_as = DefinedAs::view;  // of a create
  bool if_exists = false;                  // IF NOT EXISTS of a create, IF EXISTS of a drop
  bool analyze = false;                    // of an explain
  std::string name;                        // of a create or drop
  std::vector<std::string> columns;        // of a create; empty: the body's own names
  std::size_t body = 0;                    // where the body begins; of a create or explain
};

// `none` for everything that does not begin with one of the three words. An error for a head that does: with the way
// that works, or the place where another word was expected.
Result<StatementHead> read_statement_head(std::string_view sql);

// "create_view", "create_temp_view", "create_temp_table": the contract's words.
std::string_view kind_text(DefinedAs defined_as);

}  // namespace adit::worker
