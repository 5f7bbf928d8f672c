#include "no_proxy.h"

#include "adit/base/nearest_name.h"

namespace adit::net {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool matches(std::string_view host, std::string_view entry) {
  if (entry == "*") return true;
  if (entry.starts_with('.')) entry.remove_prefix(1);
  if (entry.empty() || entry.size() > host.size()) return false;
  const auto tail = host.substr(host.size() - entry.size());
  const bool at_label = tail.size() == host.size() || host[host.size() - tail.size() - 1] == '.';
  return at_label && same_name(tail, entry);
}

}  // namespace

bool bypasses_proxy(std::string_view host, std::string_view list) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    if (matches(host, trimmed(list.substr(0, comma)))) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
  return false;
}

}  // namespace adit::net
