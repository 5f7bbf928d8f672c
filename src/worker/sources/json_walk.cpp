#include "sources/json_walk.h"

#include "sources/text_facts.h"

#include <fmt/format.h>

#include <utility>

namespace adit::worker {
namespace {

constexpr std::size_t kWrittenDigits = 17;    // that programs write to give a DOUBLE exactly
constexpr std::size_t kLongestNumber = 4096;  // of which the rest is not looked at

Error refused(std::string message, std::string hint) {
  return Error{.code = ErrorCode::validation,
               .reason = "runtime_error",
               .message = std::move(message),
               .hint = std::move(hint),
               .stage = "dataset"};
}

constexpr std::size_t kMostKeys = 100'000;

// The types within nested values have 64 bits; a larger number becomes DOUBLE.
bool is_beyond_64_bits(std::string_view number) {
  constexpr std::string_view kLargest = "18446744073709551615";
  const auto digits = number.substr(number.starts_with('-') ? 1 : 0);
  const bool larger = digits.size() > kLargest.size() || (digits.size() == kLargest.size() && digits > kLargest);
  return larger && significant_digits(digits) > kWrittenDigits;
}

bool is_number_byte(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
}

}  // namespace

Result<void> JsonWalk::add(std::string_view piece) {
  for (const char c : piece) {
    if (c == '\n') ++line_;
    if (in_string_) {
      if (after_backslash_) after_backslash_ = false;
      else if (c == '\\') after_backslash_ = true;
      else if (c == '"') in_string_ = false;
      if (in_string_ && is_outermost()) text_ += c;
      continue;
    }
    if (is_number_byte(c)) {
      // The e of true and false begins none.
      if (!number_.empty() || (c != 'e' && c != 'E')) {
        if (number_.size() < kLongestNumber) number_ += c;
      }
      continue;
    }
    if (!number_.empty()) end_number();
    if (c == '"') {
      in_string_ = true;
      text_.clear();
    } else if (c == ':') {
      if (is_outermost() && keys_.size() < kMostKeys) keys_.insert(text_);
    } else if (c == '{' || c == '[') {
      if (!std::exchange(any_value_, true)) in_list_ = c == '[';
      if (++depth_ > kDeepestJson) {
        return refused(fmt::format("line {} nests objects and lists more than {} deep", line_, kDeepestJson),
                       "Flatten the file, or write the deep part as a text.");
      }
    } else if (c == '}' || c == ']') {
      if (depth_ > 0) --depth_;
    } else if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') {
      return refused(fmt::format("it is not JSON: line {} has a control character outside a text", line_),
                     "Check that it is the file you mean, or name its format.");
    }
  }
  return {};
}

void JsonWalk::end_number() {
  TextFacts facts;
  if (!number_.empty()) facts.add(number_);
  const bool is_whole = number_.find_first_of(".eE") == std::string::npos;
  if (facts.too_large() > 0) ++infinite_;
  else if (is_whole
               ? facts.number_type(true, kWrittenDigits) == "DOUBLE" || (!is_outermost() && is_beyond_64_bits(number_))
               : significant_digits(number_.substr(0, number_.find_first_of("eE"))) > kWrittenDigits) {
    ++rounded_;
  }
  number_.clear();
}

}  // namespace adit::worker
