// One measure cell of a CDC WONDER table: the text of its `v` attribute as a value. reference/behaviour.md section 3,
// "Response" and "Tokens".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace adit::cdc {

enum class MeasureKind : std::uint8_t {
  number,
  empty,           // nothing was sent
  suppressed,      // withheld: fewer than ten persons
  unreliable,      // a rate from fewer than twenty deaths
  not_applicable,  // there is no population to divide by
  other,           // text that WONDER's documents do not explain
};

struct WonderMeasure {
  MeasureKind kind = MeasureKind::empty;
  // A number without thousands commas, digits as WONDER sent them: a JSON number. Else the token as written.
  std::string text;

  // What a row shows: the number's exact digits, or "null".
  std::string_view json() const;

  // A null that is not simply an empty cell: the row needs a note that gives `text`.
  bool needs_note() const;
};

// Any text gives a measure. Commas count as thousands separators only where those stand; what is nearly a number
// becomes `other`, never another number.
WonderMeasure parse_measure(std::string_view text);

}  // namespace adit::cdc
