#include "adit/net/host_name.h"

#include "adit/base/ascii_case.h"
#include "adit/base/json_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::net {
namespace {

constexpr std::size_t kLongestName = 253;  // characters without the root's dot (RFC 1035, 2.3.4: 255 octets)
constexpr std::size_t kLongestLabel = 63;  // RFC 1035, 2.3.4
constexpr std::size_t kLongestPort = 5;    // digits of 65535
constexpr std::size_t kShownBytes = 80;    // of a refused host in a message
constexpr std::string_view kPunycodePrefix = "xn--";

// Never delegated to the public: RFC 6761 6.3, RFC 6762, RFC 8375, and ICANN's reservation of .internal (2024).
constexpr std::string_view kLocalZones[] = {"localhost", "local", "internal", "home.arpa"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

Error invalid_domain(std::string message) {
  return Error{.code = ErrorCode::validation,
               .reason = "invalid_domain",
               .message = std::move(message),
               .hint = "Pass the portal's bare host name, such as data.example.org, or its https address."};
}

std::string shown(std::string_view host) {
  const std::string clean = to_valid_utf8(host);
  const auto prefix = utf8_prefix(clean, kShownBytes);
  return json_string(prefix.size() == clean.size() ? clean : std::string(prefix) + "…");
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// What stands before the path; the scheme, if there is one, must be http or https.
Result<std::string_view> authority_of(std::string_view text) {
  constexpr std::string_view kDelimiters = "/?#";
  const auto head = text.substr(0, text.find_first_of(kDelimiters));
  if (!head.ends_with(':') || !text.substr(head.size()).starts_with("//")) return head;
  if (const auto scheme = ascii_lower_case(head); scheme != "https:" && scheme != "http:") {
    return invalid_domain(fmt::format("{} is not the scheme of a portal's address.", shown(head)));
  }
  const auto rest = text.substr(head.size() + 2);
  return rest.substr(0, rest.find_first_of(kDelimiters));
}

Result<std::string_view> without_port(std::string_view authority) {
  const auto colon = authority.find(':');
  if (colon == std::string_view::npos) return authority;
  const auto port = authority.substr(colon + 1);
  if (authority.starts_with('[') || port.find(':') != std::string_view::npos) {
    return invalid_domain(fmt::format("{} is an IP address; a portal is named by its host name.", shown(authority)));
  }
  if (port.size() > kLongestPort || !std::all_of(port.begin(), port.end(), is_digit)) {
    return invalid_domain(fmt::format("{} does not end in a port number.", shown(authority)));
  }
  return authority.substr(0, colon);
}

Result<void> check_characters(std::string_view host) {
  if (!std::all_of(host.begin(), host.end(), is_ascii)) {
    return invalid_domain(
        fmt::format("{} has characters outside ASCII; write an internationalised name in its xn-- form.", shown(host)));
  }
  const auto stranger = std::find_if(host.begin(), host.end(),
                                     [](char c) { return !is_letter(c) && !is_digit(c) && c != '-' && c != '.'; });
  if (stranger == host.end()) return {};
  const std::string_view character(&*stranger, 1);
  return invalid_domain(fmt::format("{} is not a host name: it holds {}.", shown(host), shown(character)));
}

Result<void> check_label(std::string_view label, std::string_view host) {
  if (label.empty()) return invalid_domain(fmt::format("{} has an empty part between dots.", shown(host)));
  if (label.size() > kLongestLabel) {
    return invalid_domain(
        fmt::format("{} has a part of {} characters; {} are allowed.", shown(host), label.size(), kLongestLabel));
  }
  if (label.starts_with('-') || label.ends_with('-')) {
    return invalid_domain(fmt::format("In {} a part begins or ends with a hyphen.", shown(host)));
  }
  return {};
}

// A last label that is not a word could be read as (part of) an IPv4 address: 10.0.0.1, 0x7f.1, 127.0.0.0x1.
Result<void> check_last_label(std::string_view label, std::string_view host) {
  if (label.starts_with(kPunycodePrefix) && label.size() > kPunycodePrefix.size()) return {};
  if (std::all_of(label.begin(), label.end(), is_letter)) return {};
  return invalid_domain(
      fmt::format("{} does not end in a top-level domain; no IP address or number names a portal.", shown(host)));
}

bool is_local(std::string_view host) {
  return std::any_of(std::begin(kLocalZones), std::end(kLocalZones), [&](std::string_view zone) {
    if (!host.ends_with(zone)) return false;
    return host.size() == zone.size() || host[host.size() - zone.size() - 1] == '.';
  });
}

// REQUIRES: lower case
Result<void> check_name(std::string_view host) {
  if (host.empty()) return invalid_domain("The domain holds no host name.");
  ADIT_CHECK(check_characters(host));
  if (host.size() > kLongestName) {
    return invalid_domain(
        fmt::format("{} has {} characters; a host name has at most {}.", shown(host), host.size(), kLongestName));
  }
  std::size_t begin = 0;
  for (auto dot = host.find('.'); dot != std::string_view::npos; dot = host.find('.', begin)) {
    ADIT_CHECK(check_label(host.substr(begin, dot - begin), host));
    begin = dot + 1;
  }
  const auto last = host.substr(begin);
  ADIT_CHECK(check_label(last, host));
  ADIT_CHECK(check_last_label(last, host));
  if (is_local(host)) return invalid_domain(fmt::format("{} is a name of this machine or network.", shown(host)));
  if (begin == 0) return invalid_domain(fmt::format("{} has no dot; a full host name is needed.", shown(host)));
  return {};
}

}  // namespace

Result<HostName> HostName::parse(std::string_view text) {
  ADIT_TRY(const auto authority, authority_of(trimmed(text)));
  // What stands before '@' may be a password, so that the text is not shown.
  if (authority.find('@') != std::string_view::npos) {
    return invalid_domain("The domain holds a user name; only the host may be given.");
  }
  ADIT_TRY(auto host, without_port(authority));
  if (host.ends_with('.')) host.remove_suffix(1);
  auto name = ascii_lower_case(host);
  ADIT_CHECK(check_name(name));
  return HostName(std::move(name));
}

}  // namespace adit::net
