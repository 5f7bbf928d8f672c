// Which characters a SoQL name is made of: those of a Java identifier, as the portals' lexer has it.
#pragma once

namespace adit::soql {

bool is_identifier_start(char32_t c);
bool is_identifier_part(char32_t c);

}  // namespace adit::soql
