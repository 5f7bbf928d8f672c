#include "era.h"

#include "adit/base/json_fields.h"

#include <fmt/format.h>

namespace adit::mcp {
namespace json = boost::json;
namespace {

constexpr std::pair<Revision, std::string_view> kRevisions[] = {
    {Revision::v2024_11_05, "2024-11-05"}, {Revision::v2025_03_26, "2025-03-26"}, {Revision::v2025_06_18, "2025-06-18"},
    {Revision::v2025_11_25, "2025-11-25"}, {Revision::v2026_07_28, "2026-07-28"},
};

Error meta_error(std::string message) {
  return Error{.code = ErrorCode::invalid_params,
               .reason = "",
               .message = std::move(message),
               .hint = fmt::format("Put {} and {} into params._meta.", kMetaVersion, kMetaClientCapabilities)};
}

}  // namespace

std::string_view revision_text(Revision revision) {
  for (const auto& [known, text] : kRevisions) {
    if (known == revision) return text;
  }
  return "";
}

std::optional<Revision> revision_from_text(std::string_view text) {
  for (const auto& [revision, known] : kRevisions) {
    if (known == text) return revision;
  }
  return std::nullopt;
}

const json::object* find_meta(const json::object& params) {
  const auto* meta = find_field(params, "_meta");
  return meta != nullptr && meta->is_object() ? &meta->get_object() : nullptr;
}

bool is_modern(const Message& message) {
  const auto* meta = find_meta(message.params);
  if (meta != nullptr && find_field(*meta, kMetaVersion) != nullptr) return true;
  return message.method == "server/discover" || message.method == "subscriptions/listen";
}

Result<void> check_modern_meta(const Message& message) {
  const auto* meta = find_meta(message.params);
  const auto* version = meta != nullptr ? find_field(*meta, kMetaVersion) : nullptr;
  if (version == nullptr || !version->is_string()) return meta_error(fmt::format("_meta lacks {}", kMetaVersion));
  if (std::string_view(version->get_string()) != revision_text(Revision::v2026_07_28)) {
    return Error{.code = ErrorCode::unsupported_version,
                 .reason = "",
                 .message = "This protocol version is not supported",
                 .hint = "Use one of data.supported, or initialize for an older revision."};
  }
  const auto* capabilities = find_field(*meta, kMetaClientCapabilities);
  if (capabilities == nullptr || !capabilities->is_object()) {
    return meta_error(fmt::format("_meta lacks {}", kMetaClientCapabilities));
  }
  if (meta->contains(kMetaLogLevel) && !wanted_log_level(message.params)) {
    return Error{.code = ErrorCode::invalid_params,
                 .reason = "",
                 .message = fmt::format("{} is not a level of messages", kMetaLogLevel),
                 .hint = "Use debug, info, notice, warning, error, critical, alert or emergency, or leave it out."};
  }
  return {};
}

std::optional<LogLevel> wanted_log_level(const json::object& params) {
  const auto* meta = find_meta(params);
  return meta != nullptr ? log_level_from_text(text_or(*meta, kMetaLogLevel, "")) : std::nullopt;
}

json::object unsupported_version_data(const Message& message) {
  const auto* meta = find_meta(message.params);
  const auto* version = meta != nullptr ? find_field(*meta, kMetaVersion) : nullptr;
  json::object data{{"supported", json::array{json::string(revision_text(Revision::v2026_07_28))}}};
  if (version != nullptr) data["requested"] = *version;
  return data;
}

}  // namespace adit::mcp
