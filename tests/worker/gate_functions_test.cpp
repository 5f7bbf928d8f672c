// The lists of the gate against the pinned engine: each of its functions and keywords has been looked at, and no list
// names one that is not there. With ADIT_REWRITE=1 the generated lists are written anew; read the difference.
#include "gate/functions.h"
#include "gate/gate.h"
#include "worker/opened_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

namespace adit::worker {
namespace {

constexpr std::string_view kAllowedFile = ADIT_SOURCE_DIR "/src/worker/gate/functions_allowed.inc";
constexpr std::string_view kKeywordsFile = ADIT_SOURCE_DIR "/src/worker/cells/keywords.inc";

struct Listed {
  std::string_view list;  // "scalar" or "table"
  std::string_view name;
};

struct Allowed : Listed {
  bool is_volatile;
};

constexpr Allowed kAllowed[] = {
#define ALLOWED(list, name) {{#list, name}, false},
#define VOLATILE(list, name) {{#list, name}, true},
#include "gate/functions_allowed.inc"
#undef ALLOWED
#undef VOLATILE
};

struct Refused : Listed {
  std::string_view reason;
};

constexpr Refused kRefused[] = {
#define REFUSED(list, name, reason) {{#list, name}, reason},
#include "gate/functions_refused.inc"
#undef REFUSED
};

constexpr std::string_view kKeywords[] = {
#include "cells/keywords.inc"
};

bool names_all(std::string_view name) { return name.ends_with('*'); }  // that begin so

bool covers(const Refused& refused, std::string_view list, std::string_view name) {
  if (refused.list != list) return false;
  if (!names_all(refused.name)) return refused.name == name;
  return name.starts_with(refused.name.substr(0, refused.name.size() - 1));
}

// What the engine's binder knows without having it in its catalog.
constexpr std::string_view kBuiltIntoBinder[] = {"unlist", "unnest"};

// List and lower-case name of each of the engine's functions, and whether it is volatile.
std::map<std::pair<std::string, std::string>, bool> functions_of_engine() {
  OpenedEngine engine;
  std::map<std::pair<std::string, std::string>, bool> functions;
  for (const auto& row : engine.rows("SELECT function_type, lower(function_name), stability FROM duckdb_functions()")) {
    const bool scalar = row[0] == "scalar" || row[0] == "aggregate" || row[0] == "macro";
    EXPECT_TRUE(scalar || row[0] == "table" || row[0] == "table_macro" || row[0] == "pragma")
        << row[1] << " is of the new type " << row[0] << ": say which list it belongs to";
    auto& is_volatile = functions[{scalar ? "scalar" : "table", row[1]}];
    // The time of the query is another one when its rows are counted by a second query.
    const bool tells_time = row[1].starts_with("current_local") || row[1] == "ago";
    is_volatile = is_volatile || row[2] == "VOLATILE" || row[2] == "CONSISTENT_WITHIN_QUERY" || tells_time;
  }
  for (const auto& name : kBuiltIntoBinder) {
    EXPECT_FALSE(functions.contains({"scalar", std::string(name)})) << name << " is a function like the others now";
    functions[{"scalar", std::string(name)}] = false;
  }
  return functions;
}

bool is_refused(const std::string& list, const std::string& name) {
  return std::any_of(std::begin(kRefused), std::end(kRefused),
                     [&](const Refused& refused) { return covers(refused, list, name); });
}

const Allowed* find_allowed(std::string_view list, std::string_view name) {
  const auto* found = std::find_if(std::begin(kAllowed), std::end(kAllowed),
                                   [&](const Allowed& one) { return one.list == list && one.name == name; });
  return found == std::end(kAllowed) ? nullptr : found;
}

std::string allowed_line(const std::string& list, const std::string& name, bool is_volatile) {
  std::string escaped;
  for (const char c : name) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return fmt::format("{}({}, \"{}\")", is_volatile ? "VOLATILE" : "ALLOWED", list, escaped);
}

// The comment that the file begins with.
std::string header_of(std::string_view path) {
  std::ifstream in{std::string(path)};
  std::string header;
  for (std::string line; std::getline(in, line) && line.starts_with("//");) header += line + "\n";
  return header;
}

bool rewrites() { return std::getenv("ADIT_REWRITE") != nullptr; }

void write_file(std::string_view path, const std::string& text) {
  std::ofstream(std::string(path), std::ios::trunc) << text;
  GTEST_SKIP() << path << " is written anew: read the difference";
}

TEST(GateFunctions, EveryFunctionOfTheEngineStandsInExactlyOneList) {
  const auto functions = functions_of_engine();
  ASSERT_GT(functions.size(), 500u);
  if (rewrites()) {
    auto text = header_of(kAllowedFile);
    for (const std::string list : {"scalar", "table"}) {
      text += '\n';
      for (const auto& [function, is_volatile] : functions) {
        if (function.first != list || is_refused(list, function.second)) continue;
        text += allowed_line(list, function.second, is_volatile) + "\n";
      }
    }
    write_file(kAllowedFile, text);
    return;
  }
  for (const auto& [function, is_volatile] : functions) {
    const auto& [list, name] = function;
    const auto* allowed = find_allowed(list, name);
    if (allowed == nullptr && !is_refused(list, name)) {
      ADD_FAILURE() << "In neither list. Look at what it does, then add one of\n  "
                    << allowed_line(list, name, is_volatile) << "\n  REFUSED(" << list << ", \"" << name
                    << "\", \"reason\")";
    }
    EXPECT_FALSE(allowed != nullptr && is_refused(list, name)) << "in both lists: " << list << " " << name;
    if (allowed == nullptr) continue;
    EXPECT_EQ(allowed->is_volatile, is_volatile) << "should be\n  " << allowed_line(list, name, is_volatile);
  }
}

TEST(GateFunctions, NoListNamesAFunctionThatTheEngineLacks) {
  const auto functions = functions_of_engine();
  const auto exists = [&](const Listed& one) {
    return functions.contains({std::string(one.list), std::string(one.name)});
  };
  for (const auto& one : kAllowed) EXPECT_TRUE(exists(one)) << "functions_allowed.inc: " << one.list << " " << one.name;
  for (const auto& refused : kRefused) {
    const bool found = std::any_of(functions.begin(), functions.end(), [&](const auto& function) {
      return covers(refused, function.first.first, function.first.second);
    });
    EXPECT_TRUE(found) << "functions_refused.inc: " << refused.list << " " << refused.name;
  }
}

TEST(GateFunctions, TheListsAreSortedWithoutRepetition) {
  const auto before = [](const Listed& a, const Listed& b) {
    return a.list != b.list ? a.list < b.list : a.name < b.name;
  };
  for (std::size_t i = 1; i < std::size(kAllowed); ++i) {
    EXPECT_TRUE(before(kAllowed[i - 1], kAllowed[i])) << "functions_allowed.inc: " << kAllowed[i].name;
  }
  for (std::size_t i = 1; i < std::size(kRefused); ++i) {
    EXPECT_TRUE(before(kRefused[i - 1], kRefused[i])) << "functions_refused.inc: " << kRefused[i].name;
  }
}

TEST(GateFunctions, ARefusalHasAReasonThatMakesASentence) {
  for (const auto& refused : kRefused) {
    EXPECT_FALSE(refused.reason.empty()) << refused.name;
    EXPECT_EQ(refused.reason.find_first_of(".\n"), std::string_view::npos) << refused.name;
    EXPECT_TRUE(refused.reason.front() >= 'a' && refused.reason.front() <= 'z') << refused.name;
  }
}

TEST(GateFunctions, TheRulesAreThoseOfTheLists) {
  const auto rule_of = [](const Listed& one) {
    return one.list == "scalar" ? scalar_function_rule(one.name) : table_function_rule(one.name);
  };
  for (const auto& one : kAllowed) {
    EXPECT_EQ(rule_of(one), one.is_volatile ? FunctionRule::allowed_volatile : FunctionRule::allowed) << one.name;
  }
  for (const auto& refused : kRefused) {
    EXPECT_EQ(rule_of(refused), FunctionRule::refused) << refused.name;
    if (!names_all(refused.name)) {
      EXPECT_FALSE(refusal_reason(refused.name).empty());
    }
  }
  EXPECT_EQ(scalar_function_rule("__internal_anything"), FunctionRule::refused);
  for (const std::string_view name : {"", "no_such_function", "ABS", "abs ", "read_csv", "range"}) {
    if (name != "range") {
      EXPECT_EQ(scalar_function_rule(name), FunctionRule::unknown) << name;
    }
  }
  for (const std::string_view name : {"", "no_such_function", "RANGE", "abs", "current_setting"}) {
    EXPECT_EQ(table_function_rule(name), FunctionRule::unknown) << name;
  }
}

// A name that stands in both kinds of lists with different reasons is told the reason of its own kind.
TEST(GateFunctions, AReasonIsThatOfTheFunctionsOwnKind) {
  std::set<std::string_view> scalar, table;
  for (const auto& refused : kRefused) (refused.list == "scalar" ? scalar : table).insert(refused.name);
  for (const auto& name : scalar) EXPECT_FALSE(table.contains(name)) << name << ": refusal_reason cannot tell which";
}

// A macro is SQL of the engine's own: it would carry a refused function past the walk, and a volatile one unmarked.
TEST(GateFunctions, NoAllowedMacroCallsWhatIsRefusedOrVolatile) {
  OpenedEngine engine;
  const auto catalog = engine.catalog();
  std::size_t macros = 0;
  for (const auto& row : engine.rows("SELECT lower(function_name), function_type, macro_definition FROM "
                                     "duckdb_functions() WHERE macro_definition IS NOT NULL ORDER BY 1")) {
    const auto list = row[1] == "macro" ? "scalar" : "table";
    const auto* allowed = find_allowed(list, row[0]);
    if (allowed == nullptr) continue;
    SCOPED_TRACE(row[0] + ": " + row[2]);
    const auto text = row[1] == "macro" ? "SELECT " + row[2] : row[2];
    const auto gated = pass_gate(*engine, text, catalog, GateSetting::query);
    ++macros;
    // A macro may end the query where its own arguments make no sense.
    if (!gated.ok() && gated.error().message.find("The function error ") == 0) continue;
    ASSERT_TRUE(gated.ok()) << gated.error().message;
    EXPECT_EQ(gated->is_volatile, allowed->is_volatile);
  }
  EXPECT_GT(macros, 50u);
}

// ---- Keywords

TEST(Keywords, AreThoseOfTheEngine) {
  OpenedEngine engine;
  std::vector<std::string> expected;
  for (const auto& row : engine.rows("SELECT DISTINCT keyword_name FROM duckdb_keywords() ORDER BY 1")) {
    expected.push_back(row[0]);
  }
  if (rewrites()) {
    auto text = header_of(kKeywordsFile);
    std::size_t width = 0;
    for (const auto& keyword : expected) {
      const auto item = fmt::format("\"{}\",", keyword);
      const bool fits = width + 1 + item.size() <= 120;
      if (width == 0) text += item;
      else text += (fits ? " " : "\n    ") + item;
      width = (width == 0 ? 0 : fits ? width + 1 : 4) + item.size();
    }
    write_file(kKeywordsFile, text + "\n");
    return;
  }
  const std::set<std::string> listed(std::begin(kKeywords), std::end(kKeywords));
  EXPECT_EQ(listed.size(), std::size(kKeywords)) << "keywords.inc names one twice";
  for (const auto& keyword : expected)
    EXPECT_TRUE(listed.contains(keyword)) << "keywords.inc lacks \"" << keyword << '"';
  for (const auto& keyword : listed) {
    EXPECT_TRUE(std::binary_search(expected.begin(), expected.end(), keyword)) << "no keyword: \"" << keyword << '"';
  }
}

}  // namespace
}  // namespace adit::worker
