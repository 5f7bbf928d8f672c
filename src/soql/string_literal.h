// SoQL's two kinds of string literals; both are text values.
#pragma once

#include "adit/base/result.h"
#include "source_text.h"

#include <cstddef>
#include <string>

namespace adit::soql {

struct StringLiteral {
  std::string value;    // decoded, valid UTF-8
  std::size_t end = 0;  // behind the closing quote
};

// 'it''s': a doubled quote is the only escape, a backslash is an ordinary character, lines may break.
// REQUIRES: the quote stands at `begin`
Result<StringLiteral> read_single_quoted(const SourceText& text, std::size_t begin);

// "it's\n" with the escapes \/ \n \t \b \f \r \" \\ \uXXXX \UXXXXXX, on one line.
// REQUIRES: the quote stands at `begin`
Result<StringLiteral> read_double_quoted(const SourceText& text, std::size_t begin);

}  // namespace adit::soql
