// The outside of SQL text as tokens: white space and both kinds of comments skipped, quoted texts and names taken
// whole, as the engine's lexer does. For heads and ends of statements only; what a statement means, the engine's parser
// says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace adit::worker {

enum class SqlTokenKind { word, quoted_name, text, symbol, end };

struct SqlToken {
  SqlTokenKind kind = SqlTokenKind::end;
  std::size_t begin = 0, end = 0;  // bytes in the scanned text

  std::string_view in(std::string_view sql) const { return sql.substr(begin, end - begin); }
};

class SqlScanner {
 public:
  explicit SqlScanner(std::string_view sql) : sql_(sql) {}

  SqlToken next();
  bool in_open_comment() const { return open_comment_; }  // the text ended inside one

 private:
  void skip_space_and_comments();

  std::string_view sql_;
  std::size_t pos_ = 0;
  bool open_comment_ = false;
};

// A word or quoted name as the name it is: quotes removed and undoubled.
std::string name_of(const SqlToken& token, std::string_view sql);

// A word compared without case.
bool is_word(const SqlToken& token, std::string_view sql, std::string_view keyword);

// The first statement of a text, without `;`, white space and comments around it.
struct StatementBounds {
  std::size_t begin = 0, end = 0;
  std::optional<std::size_t> next;  // where a second statement begins
};

StatementBounds statement_bounds(std::string_view sql);

}  // namespace adit::worker
