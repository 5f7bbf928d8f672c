// A public DNS name that a user or an agent gave as a portal's host. The rules are about names only; the addresses a
// name resolves to are checked where a connection is opened.
#pragma once

#include "adit/base/result.h"

#include <compare>
#include <string>
#include <string_view>
#include <utility>

namespace adit::net {

// Lower case, two or more labels of letters, digits and hyphens, the last one not a number; no dot at the end.
class HostName {
 public:
  // Takes a bare host or an http(s) URL and keeps the host: white space around, scheme, port, path, query, fragment
  // and the root's dot are dropped (requests go to https on port 443, whatever was written). Everything that makes two
  // readers see two hosts is refused: user names, percent-encoding, backslashes, addresses in any notation, characters
  // outside ASCII. So are names that by definition stay on the machine or its network.
  // Error: validation, "invalid_domain". It shows the host at most, never the path or the query.
  static Result<HostName> parse(std::string_view text);

  const std::string& text() const { return text_; }

  friend bool operator==(const HostName&, const HostName&) = default;
  friend auto operator<=>(const HostName&, const HostName&) = default;

 private:
  explicit HostName(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace adit::net
