// How large an answer may be.
#pragma once

#include <cstddef>

namespace adit::tools {

struct AnswerBudget {
  std::size_t bytes = 56'000;  // of structuredContent, about 18,000 tokens; 0 = none
};

}  // namespace adit::tools
