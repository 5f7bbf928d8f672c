#include "gate/statement_head.h"

#include "adit/base/json_text.h"
#include "gate/sql_scanner.h"

#include <fmt/format.h>

namespace adit::worker {
namespace {

class HeadReader {
 public:
  explicit HeadReader(std::string_view sql) : sql_(sql), scanner_(sql), token_(scanner_.next()) {}

  Result<StatementHead> read() {
    StatementHead head;
    if (take("CREATE")) return create(std::move(head));
    if (take("DROP")) return drop(std::move(head));
    if (take("EXPLAIN")) return explain(std::move(head));
    return head;
  }

 private:
  bool at(std::string_view keyword) const { return is_word(token_, sql_, keyword); }
  bool at_symbol(std::string_view symbol) const {
    return token_.kind == SqlTokenKind::symbol && token_.in(sql_) == symbol;
  }
  void advance() { token_ = scanner_.next(); }
  bool take(std::string_view keyword) {
    if (!at(keyword)) return false;
    advance();
    return true;
  }

  Error expected(std::string_view what) const {
    return Error{.code = ErrorCode::validation,
                 .reason = "parse_error",
                 .message = token_.kind == SqlTokenKind::end
                                ? fmt::format("{} is expected at the end of the text", what)
                                : fmt::format("{} is expected at \"{}\"", what, utf8_prefix(token_.in(sql_), 50)),
                 .hint =
                     "The forms are CREATE [OR REPLACE] [TEMP] VIEW name AS SELECT …, CREATE [OR REPLACE] TEMP "
                     "TABLE name AS SELECT …, DROP VIEW|TABLE [IF EXISTS] name, EXPLAIN SELECT ….",
                 .stage = "parse",
                 .position = static_cast<std::int64_t>(token_.begin)};
  }
  Error refused(std::string_view kind, std::string message, std::string hint) const {
    return Error{.code = ErrorCode::validation,
                 .reason = std::string(kind),
                 .message = std::move(message),
                 .hint = std::move(hint),
                 .stage = "policy",
                 .position = static_cast<std::int64_t>(token_.begin)};
  }

  Result<std::string> name() {
    auto text = name_of(token_, sql_);
    if (token_.kind == SqlTokenKind::quoted_name && text.empty()) return expected("A name that is not empty");
    const bool number_or_parameter = text.empty() || text[0] == '$' || (text[0] >= '0' && text[0] <= '9');
    const bool named =
        token_.kind == SqlTokenKind::quoted_name || (token_.kind == SqlTokenKind::word && !number_or_parameter);
    if (!named) return expected("A name");
    advance();
    if (at_symbol(".")) {
      return refused("not_allowed", "A relation is named without schema or catalog", "Use the name alone.");
    }
    return text;
  }

  Result<StatementHead> create(StatementHead head) {
    head.kind = HeadKind::create;
    if (take("OR") && !take("REPLACE")) return expected("REPLACE");
    const bool temporary = take("TEMP") || take("TEMPORARY");
    if (take("VIEW")) {
      head.defined_as = temporary ? DefinedAs::temp_view : DefinedAs::view;
    } else if (at("TABLE")) {
      if (!temporary) {
        return refused("not_allowed", "CREATE TABLE would change the dataset",
                       "CREATE TEMP TABLE name AS SELECT … defines a relation for this dataset's session.");
      }
      advance();
      head.defined_as = DefinedAs::temp_table;
    } else {
      return refused("unsupported_statement", "Only views and temporary tables can be created",
                     "CREATE VIEW name AS SELECT …, or CREATE TEMP TABLE name AS SELECT ….");
    }
    if (take("IF")) {
      if (!take("NOT")) return expected("NOT EXISTS");
      if (!take("EXISTS")) return expected("EXISTS");
      head.if_exists = true;
    }
    ADIT_TRY(head.name, name());
    if (at_symbol("(")) ADIT_CHECK(column_names(head.columns));
    if (!take("AS")) return expected("AS, with a SELECT behind it,");
    head.body = token_.begin;
    return head;
  }

  Result<void> column_names(std::vector<std::string>& columns) {
    do {
      advance();
      ADIT_TRY(auto column, name());
      columns.push_back(std::move(column));
    } while (at_symbol(","));
    if (!at_symbol(")")) return expected("\",\" or \")\"");
    advance();
    return {};
  }

  Result<StatementHead> drop(StatementHead head) {
    head.kind = HeadKind::drop;
    if (!take("VIEW") && !take("TABLE")) {
      return refused("unsupported_statement", "Only definitions of this dataset's session can be dropped",
                     "DROP VIEW name, or DROP TABLE name.");
    }
    if (take("IF")) {
      if (!take("EXISTS")) return expected("EXISTS");
      head.if_exists = true;
    }
    ADIT_TRY(head.name, name());
    if (token_.kind != SqlTokenKind::end) return expected("Nothing more");
    return head;
  }

  Result<StatementHead> explain(StatementHead head) {
    head.kind = HeadKind::explain;
    head.analyze = take("ANALYZE");
    head.body = token_.begin;
    return head;
  }

  std::string_view sql_;
  SqlScanner scanner_;
  SqlToken token_;
};

}  // namespace

Result<StatementHead> read_statement_head(std::string_view sql) { return HeadReader(sql).read(); }

std::string_view kind_text(DefinedAs defined_as) {
  switch (defined_as) {
    case DefinedAs::view: return "create_view";
    case DefinedAs::temp_view: return "create_temp_view";
    case DefinedAs::temp_table: return "create_temp_table";
  }
  return "create_view";
}

}  // namespace adit::worker
