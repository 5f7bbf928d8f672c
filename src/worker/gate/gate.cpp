#include "gate/gate.h"

#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"
#include "adit/base/nearest_name.h"
#include "gate/functions.h"
#include "gate/statement_text.h"

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
    "Send a statement that reads: SELECT, VALUES, TABLE, FROM …, WITH … SELECT, DESCRIBE, SHOW TABLES or SUMMARIZE.";

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

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
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
  explicit TreeWalk(const std::vector<std::string>& relations) : relations_(relations) {}

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
    const auto* own_name = find_field(node, "cte_name");
    if (own_name != nullptr && own_name->is_string()) scope_.push_back(lower(own_name->get_string()));
    for (const auto& member : node) {
      if (member.key() != "cte_map") ADIT_CHECK(visit(member.value()));
    }
    scope_.resize(outer);
    return {};
  }

  // A recursive expression sees itself by its node's cte_name; any other sees only those before it.
  Result<void> visit_cte(const json::value& entry) {
    if (!entry.is_object()) return {};
    if (const auto* definition = find_field(entry.get_object(), "value")) ADIT_CHECK(visit(*definition));
    scope_.push_back(lower(text_or(entry.get_object(), "key", "")));
    return {};
  }

  Result<void> check_expression(const json::object& node, std::string_view expression_class) {
    if (expression_class == "PARAMETER") {
      return refusal("unsupported_statement", "policy", "Parameters ($1, ?, $name) have no values here",
                     "Write the value into the statement.", location(node));
    }
    if (!contains(kExpressionClasses, expression_class) && !contains(kSpecialExpressionClasses, expression_class)) {
      return refusal("unsupported_statement", "policy",
                     fmt::format("This kind of expression is not supported ({})", lower(expression_class)),
                     kReadOnlyHint, location(node));
    }
    if (expression_class == "FUNCTION" || expression_class == "WINDOW") return check_scalar_function(node);
    return {};
  }

  Result<void> check_scalar_function(const json::object& node) {
    ADIT_CHECK(check_unqualified(node, "schema", "catalog", "function"));
    const auto name = lower(text_or(node, "function_name", ""));
    switch (scalar_function_rule(name)) {
      case FunctionRule::allowed: return {};
      case FunctionRule::allowed_volatile: volatile_ = true; return {};
      case FunctionRule::refused:
        return refusal("not_allowed", "policy",
                       fmt::format("The function {} {} and is not available", name, refusal_reason(name)),
                       "Leave it out of the statement.", location(node));
      case FunctionRule::unknown: return {};  // binding fails with the engine's own proposal of names
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
    const auto name = lower(text_or(call, "function_name", ""));
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
                     fmt::format("This construct is not supported ({})", lower(type)), kReadOnlyHint, location(node));
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
    const auto wanted = lower(name);
    const bool known = std::find(scope_.begin(), scope_.end(), wanted) != scope_.end() ||
                       std::any_of(relations_.begin(), relations_.end(),
                                   [&](const std::string& relation) { return lower(relation) == wanted; });
    if (known) return {};
    auto error = refusal("unknown_relation", "bind",
                         fmt::format("There is no relation {} in this dataset", json_string(utf8_prefix(name, 200))),
                         looks_like_a_file(name) ? "SQL reads no files: open the file with open_dataset and use the "
                                                   "relation name it answers."
                                                 : "SHOW TABLES lists the relations of this dataset.",
                         position);
    error.nearest = nearest_names(name, relations_);
    return error;
  }

  // DESCRIBE and SUMMARIZE carry a query; SHOW carries a name.
  Result<void> check_show(const json::object& node) {
    ADIT_CHECK(check_unqualified(node, "schema_name", "catalog_name", "relation"));
    const auto shown = text_or(node, "table_name", "");
    if (shown.empty() || shown == "\"tables\"") return {};
    if (shown.starts_with('"')) {
      return refusal("not_allowed", "policy", fmt::format("SHOW {} is not available", lower(shown)),
                     "SHOW TABLES and DESCRIBE are.", location(node));
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

  const std::vector<std::string>& relations_;
  std::vector<std::string> scope_;  // lower-case names of WITH
  bool volatile_ = false;
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

std::string first_word(std::string_view body) {
  std::size_t end = 0;
  while (end < body.size() && ((body[end] | 0x20) >= 'a' && (body[end] | 0x20) <= 'z')) ++end;
  std::string word(body.substr(0, end));
  for (char& c : word) c = static_cast<char>(c & ~0x20);
  return word;
}

Error parser_refusal(const json::object& tree, std::string_view body) {
  const auto message = text_or(tree, "error_message", "the statement cannot be parsed");
  if (text_or(tree, "error_type", "") == "parser") {
    auto error = refusal("parse_error", "parse", message, "");
    const auto position = text_or(tree, "position", "");
    if (!position.empty()) error.position = std::strtoll(position.c_str(), nullptr, 10);
    return error;
  }
  const auto word = first_word(body);
  if (word == "PIVOT") {
    return refusal("unsupported_statement", "policy", "PIVOT without a list of values needs two statements",
                   "Name the values: PIVOT … ON column IN ('a', 'b').");
  }
  return refusal("unsupported_statement", "policy",
                 word.empty() ? "This statement is not one that only reads"
                              : fmt::format("{} is not a statement that only reads", word),
                 kReadOnlyHint);
}

}  // namespace

Result<GatedStatement> pass_gate(Engine& engine, std::string_view sql, const std::vector<std::string>& relations) {
  if (sql.size() > kLargestStatement) {
    return refusal("invalid_argument", "input",
                   fmt::format("The statement has {} bytes; {} are allowed", sql.size(), kLargestStatement),
                   "Split the work into several statements.");
  }
  if (sql.find('\0') != std::string_view::npos) {
    return refusal("parse_error", "parse", "The statement contains a NUL character", "Remove it.",
                   static_cast<std::int64_t>(sql.find('\0')));
  }
  ADIT_TRY(auto serialized, engine.parse_tree(sql));
  auto parsed = parse_json(serialized, kDeepestTree);
  if (!parsed.ok() || !parsed->is_object()) {
    return refusal("parse_error", "parse", "The statement is nested too deeply or has a number beyond DOUBLE's range",
                   "Write it with fewer levels; infinity is 'inf'::DOUBLE.");
  }
  const auto& tree = parsed->get_object();
  const auto body = statement_body(sql);
  if (boolean_or(tree, "error", true)) return parser_refusal(tree, body);
  const auto* statements = find_field(tree, "statements");
  if (statements == nullptr || !statements->is_array() || statements->get_array().empty()) {
    return refusal("parse_error", "parse", "The text contains no statement", "Send one SQL statement.", 0);
  }
  if (statements->get_array().size() != 1) {
    return refusal("unsupported_statement", "parse", "The text contains more than one statement",
                   "Send each statement as an entry of its own of the sql array.",
                   static_cast<std::int64_t>(body.size()));
  }
  TreeWalk walk(relations);
  ADIT_CHECK(walk.visit(*statements));
  const auto& statement = statements->get_array().front().get_object();
  const auto* node = find_field(statement, "node");
  return GatedStatement{.text = std::string(body),
                        .kind = node != nullptr && node->is_object() ? kind_of(node->get_object()) : "select",
                        .is_volatile = walk.saw_volatile()};
}

}  // namespace adit::worker
