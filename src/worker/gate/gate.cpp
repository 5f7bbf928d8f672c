#include "gate/gate.h"

#include "adit/base/ascii_case.h"
#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"
#include "adit/base/nearest_name.h"
#include "engine_error.h"
#include "gate/functions.h"
#include "gate/sql_scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace adit::worker {
namespace json = boost::json;
namespace {

// Nesting of the serialised tree; each level of an expression takes two. The engine's own limit (1,000 expressions)
// comes first for all that is not an attack on the walk below.
constexpr std::size_t kDeepestTree = 4000;

constexpr std::string_view kReadOnlyHint =
    "Send a statement that reads (SELECT, VALUES, TABLE, FROM …, WITH … SELECT, DESCRIBE, SHOW TABLES, SUMMARIZE, "
    "EXPLAIN), or define one: CREATE VIEW name AS SELECT …, CREATE TEMP TABLE name AS SELECT …, DROP VIEW name.";

// What may stand in a tree. Anything else is refused, so that a construct of a later engine is not let through unread.
constexpr std::array<std::string_view, 13> kExpressionClasses = {
    "CONSTANT",   "COLUMN_REF",  "FUNCTION", "WINDOW",   "STAR",    "CAST",   "CASE",
    "COMPARISON", "CONJUNCTION", "OPERATOR", "SUBQUERY", "BETWEEN", "COLLATE"};
constexpr std::array<std::string_view, 3> kSpecialExpressionClasses = {"LAMBDA", "LAMBDA_REF", "POSITIONAL_REFERENCE"};
constexpr std::array<std::string_view, 19> kNodeTypes = {"SELECT_NODE",
                                                         "SET_OPERATION_NODE",
                                                         "RECURSIVE_CTE_NODE",
                                                         "CTE_NODE",
                                                         "BASE_TABLE",
                                                         "SUBQUERY",
                                                         "JOIN",
                                                         "TABLE_FUNCTION",
                                                         "EXPRESSION_LIST",
                                                         "EMPTY",
                                                         "PIVOT",
                                                         "SHOW_REF",
                                                         "ORDER_MODIFIER",
                                                         "LIMIT_MODIFIER",
                                                         "LIMIT_PERCENT_MODIFIER",
                                                         "DISTINCT_MODIFIER",
                                                         "ORDER_DEFAULT",
                                                         "ASCENDING",
                                                         "DESCENDING"};

constexpr std::array<std::string_view, 6> kSessionWords = {"current_user", "session_user",   "user",
                                                           "current_role", "current_schema", "current_catalog"};

// Functions without parentheses whose value is the time of the query.
constexpr std::array<std::string_view, 5> kTimeWords = {"current_date", "current_time", "current_timestamp",
                                                        "localtime", "localtimestamp"};

struct SessionWord {
  std::string word;
  std::optional<std::int64_t> position;
};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<std::int64_t> location(const json::object& node) {
  const auto* field = find_field(node, "query_location");
  if (field == nullptr || !field->is_int64()) return std::nullopt;  // "unknown" is 2^64 − 1
  return field->get_int64();
}

Error refusal(std::string_view kind, std::string_view stage, std::string message, std::string_view hint,
              std::optional<std::int64_t> position = {}) {
  return Error{.code = ErrorCode::validation,
               .reason = std::string(kind),
               .message = std::move(message),
               .hint = std::string(hint),
               .stage = std::string(stage),
               .position = position};
}

bool looks_like_a_file(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.find('.') != std::string_view::npos;
}

// Visits every object of the tree once, with the names of the common table expressions in scope.
class TreeWalk {
 public:
  explicit TreeWalk(const RelationCatalog& catalog) : catalog_(catalog) {}

  Result<void> visit(const json::value& value) {
    if (value.is_array()) {
      for (const auto& element : value.get_array()) {
        ADIT_CHECK(visit(element));
      }
    } else if (value.is_object()) {
      return visit_object(value.get_object());
    }
    return {};
  }

  bool saw_volatile() const { return volatile_; }
  bool converts() const { return converts_; }
  std::vector<std::string> take_uses() { return std::move(uses_); }

  // Words that name the session and are no alias of the statement.
  std::vector<SessionWord> session_words() const {
    std::vector<SessionWord> words;
    for (const auto& word : session_words_) {
      if (std::find(named_.begin(), named_.end(), word.word) == named_.end()) words.push_back(word);
    }
    return words;
  }

 private:
  Result<void> visit_object(const json::object& node) {
    const auto* expression_class = find_field(node, "class");
    const auto* type = find_field(node, "type");
    const bool typed = type != nullptr && type->is_string();
    if (expression_class != nullptr && expression_class->is_string()) {
      ADIT_CHECK(check_expression(node, expression_class->get_string()));
    } else if (typed) {
      ADIT_CHECK(check_node(node, type->get_string()));
    }
    if (const auto* sample = find_field(node, "sample"); sample != nullptr && sample->is_object()) volatile_ = true;
    if (typed && std::string_view(type->get_string()) == "TABLE_FUNCTION") return visit_table_function(node);
    return visit_in_scope(node);
  }

  // WITH names are visible behind their own definition: in later ones and in the node that carries them.
  Result<void> visit_in_scope(const json::object& node) {
    const std::size_t outer = scope_.size();
    if (const auto* map = find_field(node, "cte_map"); map != nullptr && map->is_object()) {
      if (const auto* entries = find_field(map->get_object(), "map"); entries != nullptr && entries->is_array()) {
        for (const auto& entry : entries->get_array()) ADIT_CHECK(visit_cte(entry));
      }
    }
    ADIT_CHECK(visit_members(node));
    scope_.resize(outer);
    return {};
  }

  // A recursive expression's own name counts in its second part alone: in the first the engine looks outside for it.
  // The other node with a name of its own (an older form of WITH) has it in its child.
  Result<void> visit_members(const json::object& node) {
    const auto* own_name = find_field(node, "cte_name");
    const std::string_view scoped = text_or(node, "type", "") == "RECURSIVE_CTE_NODE" ? "right" : "child";
    for (const auto& member : node) {
      if (member.key() == "cte_map") continue;
      const bool in_own_scope =
          own_name != nullptr && own_name->is_string() && std::string_view(member.key()) == scoped;
      if (in_own_scope) scope_.push_back(ascii_lower_case(own_name->get_string()));
      ADIT_CHECK(visit(member.value()));
      if (in_own_scope) scope_.pop_back();
    }
    return {};
  }

  Result<void> visit_cte(const json::value& entry) {
    if (!entry.is_object()) return {};
    if (const auto* definition = find_field(entry.get_object(), "value")) ADIT_CHECK(visit(*definition));
    scope_.push_back(ascii_lower_case(text_or(entry.get_object(), "key", "")));
    return {};
  }

  Result<void> check_expression(const json::object& node, std::string_view expression_class) {
    if (expression_class == "PARAMETER") {
      return refusal("unsupported_statement", "policy", "Parameters ($1, ?, $name) have no values here",
                     "Write the value into the statement.", location(node));
    }
    if (!contains(kExpressionClasses, expression_class) && !contains(kSpecialExpressionClasses, expression_class)) {
      return refusal("unsupported_statement", "policy",
                     fmt::format("This kind of expression is not supported ({})", ascii_lower_case(expression_class)),
                     kReadOnlyHint, location(node));
    }
    if (expression_class == "CAST" && !boolean_or(node, "try_cast", false) && !casts_literal(node)) converts_ = true;
    if (expression_class == "COLUMN_REF") note_session_word(node);
    if (const auto alias = text_or(node, "alias", ""); !alias.empty()) named_.push_back(ascii_lower_case(alias));
    if (expression_class == "FUNCTION" || expression_class == "WINDOW") return check_scalar_function(node);
    return {};
  }

  // true is a cast of a text to the parser; such a cast fails for every row or for none.
  static bool casts_literal(const json::object& node) {
    const auto* child = find_field(node, "child");
    return child != nullptr && child->is_object() && text_or(child->get_object(), "class", "") == "CONSTANT";
  }

  // current_user and its like are functions without parentheses, unless a column has the name; so is current_date.
  void note_session_word(const json::object& node) {
    const auto* names = find_field(node, "column_names");
    if (names == nullptr || !names->is_array() || names->get_array().size() != 1) return;
    const auto word = ascii_lower_case(names->get_array().front().as_string());
    if (contains(kTimeWords, word)) volatile_ = true;
    if (contains(kSessionWords, word)) session_words_.push_back(SessionWord{.word = word, .position = location(node)});
  }

  // A name in front of a function may be a schema or, in a chained call, a column; the function's own name decides.
  Result<void> check_scalar_function(const json::object& node) {
    if (boolean_or(node, "export_state", false)) {
      return refusal("not_allowed", "policy", "EXPORT_STATE gives the inner state of an aggregate and is not available",
                     "Leave it out of the statement.", location(node));
    }
    const auto name = ascii_lower_case(text_or(node, "function_name", ""));
    switch (scalar_function_rule(name)) {
      case FunctionRule::allowed: return {};
      case FunctionRule::allowed_volatile: volatile_ = true; return {};
      case FunctionRule::refused:
        return refusal("not_allowed", "policy",
                       fmt::format("The function {} {} and is not available", name, refusal_reason(name)),
                       "Leave it out of the statement.", location(node));
      case FunctionRule::unknown: {
        auto error = refusal("unknown_function", "bind", fmt::format("There is no function {}", utf8_prefix(name, 100)),
                             "Names are those of DuckDB; see nearest.", location(node));
        error.nearest = nearest_names(name, allowed_scalar_functions());
        return error;
      }
    }
    return {};
  }

  Result<void> visit_table_function(const json::object& node) {
    const auto* function = find_field(node, "function");
    if (function == nullptr || !function->is_object()) {
      return refusal("unsupported_statement", "policy", "This table function cannot be read", kReadOnlyHint);
    }
    const auto& call = function->get_object();
    ADIT_CHECK(check_unqualified(call, "schema", "catalog", "table function"));
    const auto name = ascii_lower_case(text_or(call, "function_name", ""));
    if (table_function_rule(name) == FunctionRule::unknown) {
      auto error = refusal("unknown_function", "bind", fmt::format("There is no table function {}", name),
                           "range, generate_series, unnest and json_each are there.", location(call));
      error.nearest = nearest_names(name, allowed_table_functions());
      return error;
    }
    if (table_function_rule(name) != FunctionRule::allowed) {
      return refusal("not_allowed", "policy",
                     fmt::format("The table function {} is not available: it {}", name, refusal_reason(name)),
                     "Files are opened with open_dataset; in SQL use the relations of the dataset, range, unnest and "
                     "json_each.",
                     location(call));
    }
    for (const auto& member : node) {
      if (member.key() != "function") ADIT_CHECK(visit(member.value()));
    }
    for (const auto& member : call) ADIT_CHECK(visit(member.value()));
    return {};
  }

  Result<void> check_node(const json::object& node, std::string_view type) {
    // Inside a type's description ("DECIMAL_TYPE_INFO") nothing runs and nothing is named.
    if (type.ends_with("TYPE_INFO")) return {};
    if (!contains(kNodeTypes, type)) {
      return refusal("unsupported_statement", "policy",
                     fmt::format("This construct is not supported ({})", ascii_lower_case(type)), kReadOnlyHint,
                     location(node));
    }
    if (type == "BASE_TABLE") return check_base_table(node);
    if (type == "SHOW_REF") return check_show(node);
    return {};
  }

  Result<void> check_base_table(const json::object& node) {
    ADIT_CHECK(check_unqualified(node, "schema_name", "catalog_name", "relation"));
    if (const auto* at = find_field(node, "at_clause"); at != nullptr && !at->is_null()) {
      return refusal("unsupported_statement", "policy", "AT (…) is not supported", "Leave the AT clause out.",
                     location(node));
    }
    return check_relation(text_or(node, "table_name", ""), location(node));
  }

  Result<void> check_relation(const std::string& name, std::optional<std::int64_t> position) {
    if (std::find(scope_.begin(), scope_.end(), ascii_lower_case(name)) != scope_.end()) return {};
    if (const auto* relation = catalog_.find(name)) {
      if (std::find(uses_.begin(), uses_.end(), relation->name) == uses_.end()) uses_.push_back(relation->name);
      return {};
    }
    auto error = refusal("unknown_relation", "bind",
                         fmt::format("There is no relation {} in this dataset", json_string(utf8_prefix(name, 200))),
                         looks_like_a_file(name) ? "SQL reads no files: open the file with open_dataset and use the "
                                                   "relation name it answers."
                                                 : "SHOW TABLES lists the relations of this dataset.",
                         position);
    error.nearest = nearest_names(name, catalog_.names());
    return error;
  }

  // DESCRIBE and SUMMARIZE carry a query; SHOW carries a name.
  Result<void> check_show(const json::object& node) {
    ADIT_CHECK(check_unqualified(node, "schema_name", "catalog_name", "relation"));
    const auto shown = text_or(node, "table_name", "");
    if (shown.empty() || shown == "\"tables\"") return {};
    // Quoted: a word of SHOW's own; with two underscores: what the parser makes of SHOW ALL TABLES and a bare DESCRIBE.
    if (shown.starts_with('"') || shown.starts_with("__")) {
      return refusal("not_allowed", "policy", "This form of SHOW or DESCRIBE is not available",
                     "SHOW TABLES and DESCRIBE relation are.", location(node));
    }
    return check_relation(shown, location(node));
  }

  // The parser itself qualifies some functions with "main"; a caller who writes that means the same.
  Result<void> check_unqualified(const json::object& node, std::string_view schema, std::string_view catalog,
                                 std::string_view what) {
    const auto schema_name = text_or(node, schema, "");
    const bool function = what != "relation";
    if (text_or(node, catalog, "").empty() && (schema_name.empty() || (function && schema_name == "main"))) return {};
    return refusal("not_allowed", "policy", fmt::format("A {} is named without schema or catalog", what),
                   "Use the name alone.", location(node));
  }

  const RelationCatalog& catalog_;
  std::vector<std::string> scope_;  // lower-case names of WITH
  std::vector<std::string> uses_;
  std::vector<std::string> named_;  // lower-case aliases of expressions
  std::vector<SessionWord> session_words_;
  bool volatile_ = false;
  bool converts_ = false;
};

std::string kind_of(const json::object& node) {
  const auto* from = find_field(node, "from_table");
  if (from == nullptr || !from->is_object()) return "select";
  if (text_or(from->get_object(), "type", "") != "SHOW_REF") return "select";
  // DESCRIBE is a statement of its own only where nothing of a SELECT surrounds it: the parser then leaves no place.
  const auto show = text_or(from->get_object(), "show_type", "");
  if (show == "DESCRIBE") return "describe";
  if (show == "SUMMARY") return "summarize";
  return "show";
}

std::string upper(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return out;
}

// The word that makes the statement what it is: the first one, or the one that a WITH leads to.
std::string leading_word(std::string_view body) {
  SqlScanner scanner(body);
  auto token = scanner.next();
  const auto first = upper(token.in(body));
  if (first != "WITH") return token.kind == SqlTokenKind::word ? first : "";
  int depth = 0;
  for (; token.kind != SqlTokenKind::end; token = scanner.next()) {
    if (token.kind == SqlTokenKind::symbol) depth += token.in(body) == "(" ? 1 : token.in(body) == ")" ? -1 : 0;
    const auto word = upper(token.in(body));
    if (depth == 0 && (word == "INSERT" || word == "UPDATE" || word == "DELETE" || word == "MERGE")) return word;
  }
  return first;
}

bool has_word(std::string_view body, std::string_view keyword) {
  SqlScanner scanner(body);
  for (auto token = scanner.next(); token.kind != SqlTokenKind::end; token = scanner.next()) {
    if (is_word(token, body, keyword)) return true;
  }
  return false;
}

Error no_statement() {
  return refusal("parse_error", "parse", "The text contains no statement", "Send one SQL statement.", 0);
}

Error several_statements(std::size_t next) {
  return refusal("unsupported_statement", "parse", "The text contains more than one statement",
                 "Send each statement as an entry of its own of the sql array.", static_cast<std::int64_t>(next));
}

Error parser_refusal(const json::object& tree, std::string_view body) {
  const auto message = text_or(tree, "error_message", "the statement cannot be parsed");
  if (text_or(tree, "error_type", "") == "parser") {
    auto error = refusal("parse_error", "parse", cleaned_message(message), "");
    const auto position = text_or(tree, "position", "");
    if (!position.empty()) error.position = std::strtoll(position.c_str(), nullptr, 10);
    return error;
  }
  if (has_word(body, "PIVOT")) {
    return refusal("unsupported_statement", "policy", "PIVOT without a list of values needs two statements",
                   "Name the values: PIVOT … ON column IN ('a', 'b').");
  }
  const auto word = leading_word(body);
  constexpr std::array<std::string_view, 6> kReading = {"SELECT", "FROM", "WITH", "VALUES", "TABLE", ""};
  if (contains(kReading, word)) {
    return refusal("unsupported_statement", "policy", "The statement uses a form that this server does not read",
                   "Write it with the plain forms of SELECT.");
  }
  return refusal("unsupported_statement", "policy", fmt::format("{} is not a statement that only reads", word),
                 kReadOnlyHint);
}

bool has_order(const json::object& node) {
  const auto* modifiers = find_field(node, "modifiers");
  if (modifiers == nullptr || !modifiers->is_array()) return false;
  return std::any_of(modifiers->get_array().begin(), modifiers->get_array().end(), [](const json::value& modifier) {
    return modifier.is_object() && text_or(modifier.get_object(), "type", "") == "ORDER_MODIFIER";
  });
}

// A column of one of the relations, by name: then a session's word is that column.
Result<bool> is_column(Engine& engine, const std::vector<std::string>& relations, const std::string& word) {
  for (const auto& relation : relations) {
    ADIT_TRY(const auto rows,
             engine.rows_as_text(fmt::format("SELECT column_name FROM duckdb_columns() WHERE table_name = {} AND "
                                             "lower(column_name) = {}",
                                             quoted_literal(relation), quoted_literal(word))));
    if (!rows.empty()) return true;
  }
  return false;
}

// Takes one statement's text through the parser and the walk.
Result<GatedStatement> pass_body(Engine& engine, std::string_view body, const RelationCatalog& catalog) {
  ADIT_TRY(auto serialized, engine.parse_tree(body));
  auto parsed = parse_json(serialized, kDeepestTree);
  if (!parsed.ok() || !parsed->is_object()) {
    return refusal("parse_error", "parse", "The statement is nested too deeply or has a number beyond DOUBLE's range",
                   "Write it with fewer levels; infinity is 'inf'::DOUBLE.");
  }
  const auto& tree = parsed->get_object();
  if (boolean_or(tree, "error", true)) return parser_refusal(tree, body);
  const auto* statements = find_field(tree, "statements");
  if (statements == nullptr || !statements->is_array() || statements->get_array().empty()) {
    return no_statement();
  }
  // The bounds of the statement were read by our scanner, the count is the parser's: they must agree.
  if (statements->get_array().size() != 1) return several_statements(body.size());
  TreeWalk walk(catalog);
  ADIT_CHECK(walk.visit(*statements));
  const auto& statement = statements->get_array().front().get_object();
  const auto* node = find_field(statement, "node");
  const bool readable = node != nullptr && node->is_object();
  GatedStatement gated{.head = {},
                       .text = std::string(body),
                       .text_begin = 0,
                       .kind = readable ? kind_of(node->get_object()) : "select",
                       .uses = walk.take_uses(),
                       .is_ordered = readable && has_order(node->get_object()),
                       .may_fail_on_rows = walk.converts(),
                       .is_volatile = walk.saw_volatile()};
  for (const auto& word : walk.session_words()) {
    ADIT_TRY(const bool column, is_column(engine, gated.uses, word.word));
    if (!column) {
      return refusal("not_allowed", "policy",
                     fmt::format("{} {} and is not available", word.word, refusal_reason("current_user")),
                     "Leave it out of the statement.", word.position);
    }
  }
  for (const auto* relation : catalog.reached_from(gated.uses)) {
    gated.is_volatile = gated.is_volatile || relation->is_volatile;
    // What a definition converts is not looked at again.
    gated.may_fail_on_rows = gated.may_fail_on_rows || !relation->is_source();
  }
  return gated;
}

Error moved_by(Error error, std::size_t bytes) {
  if (error.position) *error.position += static_cast<std::int64_t>(bytes);
  return error;
}

// One statement without what surrounds it: a head of ours or none, and a body for the parser.
Result<GatedStatement> pass_one(Engine& engine, std::string_view statement, const RelationCatalog& catalog) {
  ADIT_TRY(auto head, read_statement_head(statement));
  if (head.kind == HeadKind::drop) {
    GatedStatement dropped;
    dropped.kind = "drop";
    dropped.head = std::move(head);
    return dropped;
  }
  auto gated = pass_body(engine, statement.substr(head.body), catalog);
  if (!gated.ok()) return moved_by(std::move(gated).error(), head.body);
  gated->text_begin = head.body;
  if (head.kind == HeadKind::explain) gated->kind = "explain";
  if (head.kind == HeadKind::create) gated->kind = kind_text(head.defined_as);
  gated->head = std::move(head);
  return gated;
}

// What `select_only` makes of a statement that the other setting takes or refuses.
Result<GatedStatement> only_select(Result<GatedStatement> gated) {
  Error error = refusal("unsupported_statement", "policy", "The statement is not a SELECT", "");
  if (gated.ok() && gated->kind == "select") return gated;
  if (!gated.ok()) error = std::move(gated).error();
  if (error.stage != "policy" && error.reason != "unsupported_statement") return error;
  error.reason = "sql_rejected";
  error.hint = "Only SELECT, VALUES, TABLE, WITH … SELECT and FROM-first are taken here; the query tool takes more.";
  return error;
}

}  // namespace

Result<GatedStatement> pass_gate(Engine& engine, std::string_view sql, const RelationCatalog& catalog,
                                 GateSetting setting) {
  if (sql.size() > kLargestStatement) {
    return refusal("invalid_argument", "input",
                   fmt::format("The statement has {} bytes; {} are allowed", sql.size(), kLargestStatement),
                   "Split the work into several statements.");
  }
  if (const auto nul = sql.find('\0'); nul != std::string_view::npos) {
    return refusal("parse_error", "parse", "The statement contains a NUL character", "Remove it.",
                   static_cast<std::int64_t>(nul));
  }
  const auto bounds = statement_bounds(sql);
  if (bounds.begin == bounds.end) return no_statement();
  Result<GatedStatement> gated = several_statements(bounds.next.value_or(0));
  if (!bounds.next) {
    gated = pass_one(engine, sql.substr(bounds.begin, bounds.end - bounds.begin), catalog);
    if (gated.ok()) gated->text_begin += bounds.begin;
    else gated = moved_by(std::move(gated).error(), bounds.begin);
  }
  return setting == GateSetting::select_only ? only_select(std::move(gated)) : std::move(gated);
}

}  // namespace adit::worker
