#include "adit/soql/lexer.h"

#include "adit/base/json_text.h"
#include "identifier_characters.h"
#include "source_text.h"
#include "string_literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace adit::soql {
namespace {

constexpr std::string_view kReserved[] = {
    "AND",     "AS",    "ASC",   "BETWEEN", "DESC",   "DISTINCT", "EXCEPT",    "FALSE",  "FILTER",
    "FROM",    "FULL",  "GROUP", "HAVING",  "IN",     "INNER",    "INTERSECT", "IS",     "JOIN",
    "LATERAL", "LEFT",  "LIKE",  "LIMIT",   "MINUS",  "NOT",      "NULL",      "OFFSET", "ON",
    "OR",      "ORDER", "OUTER", "RIGHT",   "SEARCH", "SELECT",   "TRUE",      "UNION",  "WHERE",
};
static_assert(std::is_sorted(std::begin(kReserved), std::end(kReserved)));  // for the binary search

// A longer symbol stands before its own beginning. No rule of the grammar takes ~ and !.
constexpr std::string_view kSymbols[] = {
    "||", "|>", "==", "<>", "<=", ">=", "!=", "::", ":*", "+", "-", "*", "/",
    "%",  "^",  "=",  "<",  ">",  "!",  "~",  ".",  ",",  "(", ")", "[", "]",
};

constexpr std::string_view kBlanks = " \t\r\n";

enum class Dashes { refuse, allow };

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string upper_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

// What a writer meant by a character that begins no token.
std::string advice_on(std::string_view character) {
  if (character == "‘" || character == "’" || character == "“" || character == "”") {
    return "Put text values in straight single quotes: 'value'.";
  }
  if (character == ";") return "Pass one query, without a semicolon.";
  return "";
}

// A cursor over the text. Each read_* is called where its token begins and leaves the cursor behind it.
class Lexer {
 public:
  explicit Lexer(SourceText text) : text_(text) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> tokens;
    do {
      ADIT_CHECK(skip_blanks());
      ADIT_TRY(Token token, next());
      tokens.push_back(std::move(token));
    } while (tokens.back().kind != TokenKind::end);
    return tokens;
  }

 private:
  // White space, comments to the end of a line, and block comments, which do not nest.
  Result<void> skip_blanks() {
    for (;;) {
      at_ = text_.skip_any(kBlanks, at_);
      if (text_.has(at_, "--")) {
        at_ = text_.find_any("\r\n", at_);
      } else if (text_.has(at_, "/*")) {
        const auto close = text_.find("*/", at_ + 2);
        if (close == text_.size()) return text_.never_closed("comment", at_);
        at_ = close + 2;
      } else {
        return {};
      }
    }
  }

  Result<Token> next() {
    if (at_ == text_.size()) return token(TokenKind::end, at_, "");
    switch (text_[at_]) {
      case '\'': return string(read_single_quoted(text_, at_));
      case '"': return string(read_double_quoted(text_, at_));
      case '`': return read_quoted_name();
      case ':': return read_system_name();
      case '@': return read_prefixed_name(TokenKind::table, name_end(at_ + 1, Dashes::allow));
      case '?': return read_prefixed_name(TokenKind::hole, plain_name_end(at_ + 1));
      default: break;
    }
    if (is_digit(text_[at_])) return read_number();
    if (starts_name(at_)) return read_word();
    return read_symbol();
  }

  Result<Token> string(Result<StringLiteral> literal) {
    if (!literal.ok()) return std::move(literal).error();
    return token(TokenKind::string, literal->end, std::move(literal->value));
  }

  // `name` or `:name`; a dash may stand in either.
  Result<Token> read_quoted_name() {
    const auto begin = at_ + 1;
    const bool system = text_.has(begin, ":");
    auto end = begin;
    if (system) end = system_name_end(begin, Dashes::allow);
    else if (text_.has(begin, "-") || starts_name(begin)) end = name_end(begin, Dashes::allow);
    if (end == text_.size()) return text_.never_closed("quoted name", at_);
    if (end == begin || text_[end] != '`') {
      // The portals' lexer reads on to the end of the text here, hence its code.
      return text_.failure("unexpected-eof", end,
                           fmt::format("the quoted name is broken by {}", json_string(text_.character_at(end))),
                           "In back-ticks stands a field name: letters, digits, _, $ and -, no spaces.");
    }
    auto name = token(system ? TokenKind::system_identifier : TokenKind::identifier, end + 1,
                      std::string(text_.between(begin, end)));
    name.quoted = true;
    return name;
  }

  Result<Token> read_system_name() {
    const auto end = system_name_end(at_, Dashes::refuse);
    if (end == at_) return read_symbol();  // "::", ":*"
    return token(TokenKind::system_identifier, end, std::string(text_.between(at_, end)));
  }

  // A name behind one character that is not part of its value; without a name that character is a stranger.
  Result<Token> read_prefixed_name(TokenKind kind, std::size_t end) {
    if (end <= at_ + 1) return read_symbol();
    return token(kind, end, std::string(text_.between(at_ + 1, end)));
  }

  // 12 is an integer; 1.5, 5. and 1e3 are numbers; .5 is a symbol and an integer.
  Result<Token> read_number() {
    auto kind = TokenKind::integer;
    auto end = digits_end(at_);
    if (text_.has(end, ".")) {
      kind = TokenKind::number;
      end = digits_end(end + 1);
    }
    if (text_.has(end, "e") || text_.has(end, "E")) {
      const bool sign = text_.has(end + 1, "+") || text_.has(end + 1, "-");
      const auto exponent = end + (sign ? 2 : 1);
      if (const auto exponent_end = digits_end(exponent); exponent_end > exponent) {
        kind = TokenKind::number;
        end = exponent_end;
      }
    }
    return token(kind, end, std::string(text_.between(at_, end)));
  }

  Result<Token> read_word() {
    const auto end = plain_name_end(at_);
    const auto word = text_.between(at_, end);
    auto upper = upper_case(word);
    if (!std::binary_search(std::begin(kReserved), std::end(kReserved), upper)) {
      return token(TokenKind::identifier, end, std::string(word));
    }
    // UNION ALL, INTERSECT ALL and MINUS ALL are one token each; only white space may stand inside.
    if (upper == "UNION" || upper == "INTERSECT" || upper == "MINUS") {
      const auto all = text_.skip_any(kBlanks, end);
      const auto all_end = name_end(all, Dashes::refuse);
      if (all > end && upper_case(text_.between(all, all_end)) == "ALL") {
        return token(TokenKind::keyword, all_end, upper + " ALL");
      }
    }
    return token(TokenKind::keyword, end, std::move(upper));
  }

  Result<Token> read_symbol() {
    for (const auto symbol : kSymbols) {
      if (text_.has(at_, symbol)) return token(TokenKind::symbol, at_ + symbol.size(), std::string(symbol));
    }
    const auto character = text_.character_at(at_);
    return text_.failure("unexpected-character", at_, fmt::format("unexpected character {}", json_string(character)),
                         advice_on(character));
  }

  Token token(TokenKind kind, std::size_t end, std::string value) {
    const Span span{.begin = at_, .end = end};
    at_ = end;
    return Token{.kind = kind, .value = std::move(value), .span = span};
  }

  bool starts_name(std::size_t at) const { return at < text_.size() && is_identifier_start(text_.code_point_at(at)); }

  std::size_t digits_end(std::size_t at) const {
    while (at < text_.size() && is_digit(text_[at])) ++at;
    return at;
  }

  std::size_t name_end(std::size_t at, Dashes dashes) const {
    while (at < text_.size()) {
      const bool dash = dashes == Dashes::allow && text_[at] == '-';
      if (!dash && !is_identifier_part(text_.code_point_at(at))) break;
      at += text_.character_at(at).size();
    }
    return at;
  }

  // The end of a name that also begins as one must, or `at` itself.
  std::size_t plain_name_end(std::size_t at) const { return starts_name(at) ? name_end(at, Dashes::refuse) : at; }

  // The end of ":name" or ":@name", or `at` itself when none begins there.
  std::size_t system_name_end(std::size_t at, Dashes dashes) const {
    const auto name = at + (text_.has(at + 1, "@") ? 2 : 1);
    const auto end = name_end(name, dashes);
    return end > name ? end : at;
  }

  SourceText text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view text) {
  const SourceText source(text);
  if (is_valid_utf8(text)) return Lexer(source).run();
  return source.failure("unexpected-character", first_invalid_byte(text), "the text is not valid UTF-8");
}

}  // namespace adit::soql
