#include "support/portal_request.h"

#include <algorithm>

namespace adit::test {
namespace {

char in_lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = in_lower_case(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low >= 0) i += 2;
    out += low >= 0 ? static_cast<char>(high * 16 + low) : text[i] == '+' ? ' ' : text[i];
  }
  return out;
}

}  // namespace

bool CaseBlindLess::operator()(std::string_view a, std::string_view b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](char x, char y) { return in_lower_case(x) < in_lower_case(y); });
}

std::string PortalRequest::parameter(std::string_view name) const {
  const auto found = std::find_if(query.begin(), query.end(), [name](const auto& pair) { return pair.first == name; });
  return found == query.end() ? "" : found->second;
}

std::string PortalRequest::header(std::string_view name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

QueryParameters parse_query(std::string_view query) {
  QueryParameters parameters;
  while (!query.empty()) {
    const auto pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const auto equals = std::min(pair.size(), pair.find('='));
    if (pair.empty()) continue;
    parameters.emplace_back(decoded(pair.substr(0, equals)), decoded(pair.substr(std::min(pair.size(), equals + 1))));
  }
  return parameters;
}

std::string sorted_query(QueryParameters query) {
  std::sort(query.begin(), query.end());
  std::string text;
  for (const auto& [name, value] : query) text.append(text.empty() ? "" : "&").append(name).append("=").append(value);
  return text;
}

std::string sorted_query(std::string_view query) { return sorted_query(parse_query(query)); }

}  // namespace adit::test
