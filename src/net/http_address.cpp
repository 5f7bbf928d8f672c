#include "adit/net/http_address.h"

#include "adit/base/json_text.h"

#include <boost/asio/ip/address.hpp>

#include <fmt/format.h>
#include <sys/un.h>

#include <charconv>

namespace adit::net {
namespace asio = boost::asio;
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::size_t kLongestUnixPath = sizeof(sockaddr_un::sun_path) - 1;

Error invalid_address(std::string message) {
  return Error{.code = ErrorCode::validation,
               .reason = "invalid_address",
               .message = std::move(message),
               .hint = "Write 127.0.0.1:8080, [::1]:8080 or unix:/path/of/socket; port 0 takes a free one."};
}

Result<HttpAddress> parse_unix(std::string_view path) {
  if (path.empty()) return invalid_address("The path of the Unix socket is missing");
  if (path.find('\0') != std::string_view::npos || path.size() > kLongestUnixPath) {
    return invalid_address(fmt::format("The path of a Unix socket has at most {} bytes", kLongestUnixPath));
  }
  return HttpAddress{.ip = "", .port = 0, .unix_path = std::string(path)};
}

}  // namespace

Result<HttpAddress> HttpAddress::parse(std::string_view text) {
  if (text.starts_with(kUnixPrefix)) return parse_unix(text.substr(kUnixPrefix.size()));
  const auto shown = json_string(utf8_prefix(to_valid_utf8(text), 100));
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return invalid_address(fmt::format("The address {} has no port", shown));
  auto host = text.substr(0, colon);
  const auto digits = text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (digits.empty() || failed != std::errc() || end != digits.data() + digits.size()) {
    return invalid_address(fmt::format("The port of {} is not a number from 0 to 65535", shown));
  }
  if (host == "localhost") host = "127.0.0.1";
  const bool in_brackets = host.starts_with('[') && host.ends_with(']');
  if (in_brackets) host = host.substr(1, host.size() - 2);
  boost::system::error_code error;
  const auto address = asio::ip::make_address(std::string(host), error);
  if (error || address.is_v6() != in_brackets) {
    return invalid_address(fmt::format("The host of {} is not an IP address", shown));
  }
  return HttpAddress{.ip = address.to_string(), .port = port, .unix_path = ""};
}

bool HttpAddress::is_loopback() const { return is_unix() || asio::ip::make_address(ip).is_loopback(); }

std::string HttpAddress::text() const {
  if (is_unix()) return std::string(kUnixPrefix) + unix_path;
  return ip.find(':') == std::string::npos ? fmt::format("{}:{}", ip, port) : fmt::format("[{}]:{}", ip, port);
}

}  // namespace adit::net
