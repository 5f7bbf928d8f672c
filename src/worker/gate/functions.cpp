#include "gate/functions.h"

#include <algorithm>
#include <array>

namespace adit::worker {
namespace {

enum class Kind { scalar, table };

struct Rule {
  Kind kind;
  std::string_view name;
  FunctionRule rule;
};

constexpr Rule kRules[] = {
#define ALLOWED(kind, name) {Kind::kind, name, FunctionRule::allowed},
#define VOLATILE(kind, name) {Kind::kind, name, FunctionRule::allowed_volatile},
#include "gate/functions_allowed.inc"
#undef ALLOWED
#undef VOLATILE
};

struct Refusal {
  Kind kind;
  std::string_view name;
  std::string_view reason;
};

constexpr Refusal kRefusals[] = {
#define REFUSED(kind, name, reason) {Kind::kind, name, reason},
#include "gate/functions_refused.inc"
#undef REFUSED
};

bool matches(const Refusal& refusal, std::string_view name) {
  if (!refusal.name.ends_with('*')) return refusal.name == name;
  return name.starts_with(refusal.name.substr(0, refusal.name.size() - 1));
}

// Sorted once at first use: the files are sorted for people, who sort differently than bytes do.
FunctionRule rule_of(Kind kind, std::string_view name) {
  static const auto sorted = [] {
    auto rules = std::to_array(kRules);
    std::sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return a.name < b.name; });
    return rules;
  }();
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), Rule{kind, name, {}},
                                              [](const Rule& a, const Rule& b) { return a.name < b.name; });
  for (auto rule = first; rule != last; ++rule) {
    if (rule->kind == kind) return rule->rule;
  }
  const bool refused = std::any_of(std::begin(kRefusals), std::end(kRefusals), [&](const Refusal& refusal) {
    return refusal.kind == kind && matches(refusal, name);
  });
  return refused ? FunctionRule::refused : FunctionRule::unknown;
}

std::vector<std::string> allowed_names(Kind kind) {
  std::vector<std::string> names;
  for (const auto& rule : kRules) {
    if (rule.kind == kind) names.emplace_back(rule.name);
  }
  return names;
}

}  // namespace

FunctionRule scalar_function_rule(std::string_view name) { return rule_of(Kind::scalar, name); }

FunctionRule table_function_rule(std::string_view name) { return rule_of(Kind::table, name); }

const std::vector<std::string>& allowed_scalar_functions() {
  static const auto names = allowed_names(Kind::scalar);
  return names;
}

const std::vector<std::string>& allowed_table_functions() {
  static const auto names = allowed_names(Kind::table);
  return names;
}

std::string_view refusal_reason(std::string_view name) {
  for (const auto& refusal : kRefusals) {
    if (matches(refusal, name)) return refusal.reason;
  }
  return "is not needed to read data";
}

}  // namespace adit::worker
