// The reviewed list of the engine's functions, from data files beside this one (functions_*.inc), pinned to the
// engine's version: a function that stands in neither list fails the tests and is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace adit::worker {

enum class FunctionRule {
  allowed,
  allowed_volatile,  // another value each time: random(), uuid(), …
  refused,           // reviewed and refused: settings, files, logging, sleeping, sequences, sessions, …
  unknown,           // not in the lists
};

FunctionRule scalar_function_rule(std::string_view name);  // scalar, aggregate and window functions, and macros
FunctionRule table_function_rule(std::string_view name);

const std::vector<std::string>& allowed_scalar_functions();
const std::vector<std::string>& allowed_table_functions();

// Why a refused function is refused: "current_setting" + " " + reason is a sentence.
std::string_view refusal_reason(std::string_view name);

}  // namespace adit::worker
