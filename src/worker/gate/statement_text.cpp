#include "gate/statement_text.h"

#include <cctype>
#include <cstddef>

namespace adit::worker {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Bytes beyond ASCII belong to names.
bool is_name_byte(char c) {
  return (static_cast<unsigned char>(c) & 0x80) != 0 || c == '_' || c == '$' ||
         std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// Each skip_* gets the position of the construct's first byte and gives the one behind it, or the text's end.
std::size_t skip_line_comment(std::string_view sql, std::size_t pos) {
  const auto end = sql.find('\n', pos);
  return end == std::string_view::npos ? sql.size() : end + 1;
}

std::size_t skip_block_comment(std::string_view sql, std::size_t pos) {
  std::size_t depth = 0;
  while (pos < sql.size()) {
    if (sql.substr(pos, 2) == "/*") {
      ++depth;
      pos += 2;
    } else if (sql.substr(pos, 2) == "*/") {
      pos += 2;
      if (--depth == 0) return pos;
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
  while (pos < sql.size() && is_name_byte(sql[pos])) ++pos;
  return pos;
}

}  // namespace

std::string_view statement_body(std::string_view sql) {
  std::size_t pos = 0;
  std::size_t end = 0;  // behind the last byte that is neither space nor comment
  while (pos < sql.size()) {
    const char c = sql[pos];
    if (is_space(c)) {
      ++pos;
      continue;
    }
    if (sql.substr(pos, 2) == "--") {
      pos = skip_line_comment(sql, pos);
      continue;
    }
    if (sql.substr(pos, 2) == "/*") {
      pos = skip_block_comment(sql, pos);
      continue;
    }
    if (c == ';') break;
    if (c == '\'' || c == '"') pos = skip_quoted(sql, pos, false);
    else if ((c == 'e' || c == 'E') && sql.substr(pos + 1, 1) == "'") pos = skip_quoted(sql, pos + 1, true);
    else if (c == '$') pos = skip_dollar(sql, pos);
    else if (is_name_byte(c)) pos = skip_name(sql, pos);
    else ++pos;
    end = pos;
  }
  return sql.substr(0, end > sql.size() ? sql.size() : end);
}

}  // namespace adit::worker
