#include "gate/sql_scanner.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace adit::worker {
namespace {

// Bytes of the white space that begins at `pos`, 0 if there is none. Beside ASCII's, what the engine's parser takes for
// a space: the no-break space, U+2000 to U+200B, U+202F, U+205F, U+2060, U+3000 and the byte order mark.
std::size_t space_at(std::string_view sql, std::size_t pos) {
  const char c = sql[pos];
  if (c == ' ' || (c >= '\t' && c <= '\r')) return 1;
  if (sql.substr(pos, 2) == "\u00A0") return 2;
  const auto three = sql.substr(pos, 3);
  const auto last = three.size() == 3 ? static_cast<unsigned char>(three[2]) : 0;
  const bool typographic = three.starts_with("\xE2\x80") && ((last >= 0x80 && last <= 0x8B) || last == 0xAF);
  const bool other = three == "\u205F" || three == "\u2060" || three == "\u3000" || three == "\uFEFF";
  return typographic || other ? 3 : 0;
}

// Bytes beyond ASCII belong to names.
bool is_name_byte(char c) {
  return (static_cast<unsigned char>(c) & 0x80) != 0 || c == '_' || c == '$' ||
         std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Each skip_* gets the position of the construct's first byte and gives the one behind it, or the text's end.
std::size_t skip_line_comment(std::string_view sql, std::size_t pos) {
  const auto end = sql.find_first_of("\r\n", pos);
  return end == std::string_view::npos ? sql.size() : end + 1;
}

// Nested; `closed` tells whether its end was found.
std::size_t skip_block_comment(std::string_view sql, std::size_t pos, bool& closed) {
  std::size_t depth = 0;
  while (pos < sql.size()) {
    if (sql.substr(pos, 2) == "/*") {
      ++depth;
      pos += 2;
    } else if (sql.substr(pos, 2) == "*/") {
      pos += 2;
      closed = --depth == 0;
      if (closed) return pos;
    } else {
      ++pos;
    }
  }
  return pos;
}

std::size_t skip_quoted(std::string_view sql, std::size_t pos, bool backslash_escapes) {
  const char quote = sql[pos++];
  while (pos < sql.size()) {
    if (backslash_escapes && sql[pos] == '\\') pos += 2;
    else if (sql[pos] != quote) ++pos;
    else if (sql.substr(pos + 1, 1) == std::string_view(&quote, 1)) pos += 2;
    else return pos + 1;
  }
  return sql.size();
}

// $$…$$ or $tag$…$tag$; a lone $ (a parameter) is one byte.
std::size_t skip_dollar(std::string_view sql, std::size_t pos) {
  std::size_t end = pos + 1;
  while (end < sql.size() && sql[end] != '$' && is_name_byte(sql[end])) ++end;
  const bool digits_first = pos + 1 < sql.size() && std::isdigit(static_cast<unsigned char>(sql[pos + 1])) != 0;
  if (end >= sql.size() || sql[end] != '$' || digits_first) return pos + 1;
  const auto tag = sql.substr(pos, end - pos + 1);
  const auto close = sql.find(tag, end + 1);
  return close == std::string_view::npos ? sql.size() : close + tag.size();
}

std::size_t skip_name(std::string_view sql, std::size_t pos) {
  while (pos < sql.size() && is_name_byte(sql[pos]) && space_at(sql, pos) == 0) ++pos;
  return pos;
}

}  // namespace

SqlToken SqlScanner::next() {
  skip_space_and_comments();
  SqlToken token{.kind = SqlTokenKind::end, .begin = pos_, .end = pos_};
  if (pos_ >= sql_.size()) return token;
  const char c = sql_[pos_];
  if (c == '"') {
    token.kind = SqlTokenKind::quoted_name;
    pos_ = skip_quoted(sql_, pos_, false);
  } else if (c == '\'') {
    token.kind = SqlTokenKind::text;
    pos_ = skip_quoted(sql_, pos_, false);
  } else if ((c == 'e' || c == 'E') && sql_.substr(pos_ + 1, 1) == "'") {
    token.kind = SqlTokenKind::text;
    pos_ = skip_quoted(sql_, pos_ + 1, true);
  } else if (c == '$') {
    const auto end = skip_dollar(sql_, pos_);
    token.kind = end == pos_ + 1 ? SqlTokenKind::symbol : SqlTokenKind::text;
    pos_ = end;
  } else if (is_name_byte(c)) {
    token.kind = SqlTokenKind::word;
    pos_ = skip_name(sql_, pos_);
  } else {
    token.kind = SqlTokenKind::symbol;
    ++pos_;
  }
  pos_ = std::min(pos_, sql_.size());
  token.end = pos_;
  return token;
}

void SqlScanner::skip_space_and_comments() {
  while (pos_ < sql_.size()) {
    if (const auto space = space_at(sql_, pos_); space != 0) pos_ += space;
    else if (sql_.substr(pos_, 2) == "--") pos_ = skip_line_comment(sql_, pos_);
    else if (sql_.substr(pos_, 2) == "/*") {
      bool closed = false;
      pos_ = skip_block_comment(sql_, pos_, closed);
      open_comment_ = !closed;
    } else return;
  }
}

std::string name_of(const SqlToken& token, std::string_view sql) {
  const auto text = token.in(sql);
  if (token.kind != SqlTokenKind::quoted_name) return std::string(text);
  std::string name;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    name += text[i];
    if (text[i] == '"') ++i;  // doubled
  }
  return name;
}

bool is_word(const SqlToken& token, std::string_view sql, std::string_view keyword) {
  const auto text = token.in(sql);
  return token.kind == SqlTokenKind::word && text.size() == keyword.size() &&
         std::equal(text.begin(), text.end(), keyword.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         });
}

StatementBounds statement_bounds(std::string_view sql) {
  const auto is_semicolon = [&](const SqlToken& token) {
    return token.kind == SqlTokenKind::symbol && token.in(sql) == ";";
  };
  SqlScanner scanner(sql);
  auto token = scanner.next();
  while (is_semicolon(token)) token = scanner.next();
  StatementBounds bounds{.begin = token.begin, .end = token.begin, .next = {}};
  for (; token.kind != SqlTokenKind::end && !is_semicolon(token); token = scanner.next()) bounds.end = token.end;
  while (is_semicolon(token)) token = scanner.next();
  if (token.kind != SqlTokenKind::end) bounds.next = token.begin;
  if (scanner.in_open_comment()) bounds.end = sql.size();  // for the parser to find
  return bounds;
}

}  // namespace adit::worker
