#include "uri_template.h"

#include "adit/base/json_text.h"

#include <algorithm>
#include <string>

namespace adit::mcp {
namespace {

constexpr std::size_t kLongestVariable = 1024;  // bytes; far beyond any name that is given out

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    decoded += static_cast<char>(*high << 4 | *low);
    i += 2;
  }
  return decoded;
}

bool is_harmless(std::string_view value) {
  if (value.empty() || value.size() > kLongestVariable || value == "." || value == "..") return false;
  const auto leads_away = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '/' || c == '\\';
  };
  return std::none_of(value.begin(), value.end(), leads_away) && is_valid_utf8(value);
}

}  // namespace

std::optional<UriVariables> match_uri(std::string_view uri_template, std::string_view uri) {
  UriVariables variables;
  while (!uri_template.empty()) {
    const auto open = uri_template.find('{');
    const auto literal = uri_template.substr(0, open);
    if (!uri.starts_with(literal)) return std::nullopt;
    uri.remove_prefix(literal.size());
    if (open == std::string_view::npos) return uri.empty() ? std::optional(variables) : std::nullopt;
    const auto close = uri_template.find('}', open);
    const auto name = uri_template.substr(open + 1, close - open - 1);
    uri_template.remove_prefix(close + 1);

    // A variable ends with its segment, or where the literal behind it stands last in the segment.
    auto segment = uri.substr(0, uri.find_first_of("/?#"));
    const auto behind = uri_template.substr(0, uri_template.find_first_of("{/?#"));
    if (!behind.empty()) {
      const auto end = segment.rfind(behind);
      if (end == std::string_view::npos) return std::nullopt;
      segment = segment.substr(0, end);
    }
    auto value = percent_decoded(segment);
    if (!value || !is_harmless(*value)) return std::nullopt;
    variables.emplace(name, std::move(*value));
    uri.remove_prefix(segment.size());
  }
  return uri.empty() ? std::optional(variables) : std::nullopt;
}

}  // namespace adit::mcp
