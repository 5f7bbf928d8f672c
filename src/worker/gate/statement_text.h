// Reads only the outside of a statement's text: where it ends and what follows it. White space, both kinds of
// comments, quoted texts and names are skipped as the engine's lexer does; nothing is decided about the SQL itself.
#pragma once

#include <string_view>

namespace adit::worker {

// The text up to the `;` that ends the statement, without white space, comments and `;` behind it.
std::string_view statement_body(std::string_view sql);

}  // namespace adit::worker
