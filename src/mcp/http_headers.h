// What headers of a request say to MCP: what the client takes (H5), and that they mirror the body (H10, H11).
#pragma once

#include "adit/net/http_server.h"
#include "rpc_message.h"

#include <optional>
#include <string>
#include <string_view>

namespace adit::mcp {

constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";
constexpr std::string_view kMethodHeader = "Mcp-Method";
constexpr std::string_view kNameHeader = "Mcp-Name";
constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr std::string_view kLastEventHeader = "Last-Event-ID";

// H5. No Accept header accepts everything.
struct Accepted {
  bool json = false;
  bool stream = false;
};
Accepted read_accept(const std::optional<std::string>& accept);

bool is_json_content(const std::optional<std::string>& content_type);

// H11: blanks around it do not count, and =?base64?…?= carries what a header cannot. Nothing for broken base64.
std::optional<std::string> decode_header_value(std::string_view value);

// H10, H11: version, method and name of a modern request stand in its headers, too; whoever routes by them must see
// what we see. Code header_mismatch.
Result<void> check_mirrored_headers(const net::HttpRequest& request, const Message& message);

// A protocol version that only the modern era has, by its date.
bool is_modern_version(std::string_view version);

}  // namespace adit::mcp
