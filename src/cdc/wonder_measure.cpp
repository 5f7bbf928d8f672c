#include "adit/cdc/wonder_measure.h"

#include <optional>
#include <utility>

namespace adit::cdc {
namespace {

struct Token {
  std::string_view word;
  MeasureKind kind;
};
constexpr Token kTokens[] = {
    {"Suppressed", MeasureKind::suppressed},
    {"Unreliable", MeasureKind::unreliable},
    {"Not Applicable", MeasureKind::not_applicable},
};

constexpr std::size_t kGroup = 3;  // digits between thousands commas

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::size_t leading_digits(std::string_view text) {
  const auto end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? text.size() : end;
}

// "1,215,947" or "1215947"; takes what it read off `rest`.
std::optional<std::string> read_integer(std::string_view& rest) {
  const auto first = leading_digits(rest);
  if (first == 0 || (first > 1 && rest[0] == '0')) return std::nullopt;
  std::string digits(rest.substr(0, first));
  rest.remove_prefix(first);
  if (rest.starts_with(',') && (first > kGroup || digits == "0")) return std::nullopt;
  while (rest.starts_with(',')) {
    rest.remove_prefix(1);
    if (leading_digits(rest) != kGroup) return std::nullopt;
    digits += rest.substr(0, kGroup);
    rest.remove_prefix(kGroup);
  }
  return digits;
}

// Sign, integer, fraction: what JSON takes as well. WONDER sends no exponents.
std::optional<std::string> read_number(std::string_view text) {
  const std::string sign = text.starts_with('-') ? "-" : "";
  text.remove_prefix(sign.size());
  const auto integer = read_integer(text);
  if (!integer) return std::nullopt;
  const bool whole = text.empty();
  const bool fraction = text.starts_with('.') && text.size() > 1 && leading_digits(text.substr(1)) == text.size() - 1;
  if (!whole && !fraction) return std::nullopt;
  return sign + *integer + std::string(text);
}

}  // namespace

WonderMeasure parse_measure(std::string_view text) {
  const auto inner = trimmed(text);
  if (inner.empty()) return {};
  if (auto number = read_number(inner)) return {.kind = MeasureKind::number, .text = std::move(*number)};
  for (const auto& [word, kind] : kTokens) {
    if (inner == word) return {.kind = kind, .text = std::string(word)};
  }
  return {.kind = MeasureKind::other, .text = std::string(text)};
}

std::string_view WonderMeasure::json() const {
  return kind == MeasureKind::number ? std::string_view(text) : std::string_view("null");
}

bool WonderMeasure::needs_note() const { return kind != MeasureKind::number && kind != MeasureKind::empty; }

}  // namespace adit::cdc
