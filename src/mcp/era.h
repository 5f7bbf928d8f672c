// Which revision of the protocol a message belongs to (rules E1 to E8 of docs/protocol.md).
//
// Modern: 2026-07-28, stateless, every request carries its version in _meta. Legacy: 2025-11-25 and older, after
// initialize. Both may come over one stdio connection (E5).
#pragma once

#include "adit/mcp/log_level.h"
#include "rpc_message.h"

#include <optional>
#include <string>
#include <string_view>

namespace adit::mcp {

enum class Revision { v2024_11_05, v2025_03_26, v2025_06_18, v2025_11_25, v2026_07_28 };

std::string_view revision_text(Revision revision);
std::optional<Revision> revision_from_text(std::string_view text);

constexpr Revision kNewestLegacy = Revision::v2025_11_25;

constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kMetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";

// nullptr when params has no _meta object.
const boost::json::object* find_meta(const boost::json::object& params);

// E1, E2: the message marks itself as modern, or is one that only the modern era has.
bool is_modern(const Message& message);

// P4: the level of messages that a modern request asks for. REQUIRES: check_modern_meta() has let it pass.
std::optional<LogLevel> wanted_log_level(const boost::json::object& params);

// E2, E6, E8: what a modern message's _meta must hold. The error's data for E6 is in unsupported_version_data.
Result<void> check_modern_meta(const Message& message);
boost::json::object unsupported_version_data(const Message& message);

}  // namespace adit::mcp
