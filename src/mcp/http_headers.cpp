#include "http_headers.h"

#include "adit/base/ascii_case.h"
#include "adit/base/base64.h"
#include "adit/base/json_fields.h"
#include "era.h"

#include <fmt/format.h>

#include <algorithm>

namespace adit::mcp {
namespace {

constexpr std::string_view kBase64Begin = "=?base64?", kBase64End = "?=";

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Takes the part before `separator` off `rest`.
std::string_view take_part(std::string_view& rest, char separator) {
  const auto end = std::min(rest.find(separator), rest.size());
  const auto part = trimmed(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

// A weight of zero is a refusal (RFC 9110 12.4.2).
bool is_refused(std::string_view parameters) {
  while (!parameters.empty()) {
    const auto parameter = ascii_lower_case(take_part(parameters, ';'));
    if (!parameter.starts_with("q=0")) continue;
    return parameter.find_first_not_of("0.", 2) == std::string::npos;
  }
  return false;
}

Error mismatch(std::string message) {
  return Error{.code = ErrorCode::header_mismatch,
               .reason = "",
               .message = std::move(message),
               .hint = fmt::format("Send {}, {} and, where the request has a name or uri, {} with the body's values.",
                                   kVersionHeader, kMethodHeader, kNameHeader)};
}

Result<void> check_mirror(const net::HttpRequest& request, std::string_view header, std::string_view field,
                          const std::string& expected) {
  const auto value = request.header(header);
  if (!value) return mismatch(fmt::format("The header {} is missing", header));
  const auto decoded = decode_header_value(*value);
  if (!decoded) return mismatch(fmt::format("The header {} holds broken base64", header));
  if (*decoded != expected) return mismatch(fmt::format("The header {} is not the request's {}", header, field));
  return {};
}

// The member of params that Mcp-Name mirrors; "" where the method has none.
std::string_view name_field(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel") return "taskId";
  return "";
}

}  // namespace

Accepted read_accept(const std::optional<std::string>& accept) {
  if (!accept) return {.json = true, .stream = true};
  Accepted accepted;
  std::string_view rest = *accept;
  while (!rest.empty()) {
    auto parameters = take_part(rest, ',');
    const auto type = ascii_lower_case(take_part(parameters, ';'));
    if (is_refused(parameters)) continue;
    const bool any = type == "*/*" || type == "*";
    accepted.json |= any || type == "application/json" || type == "application/*";
    accepted.stream |= any || type == "text/event-stream" || type == "text/*";
  }
  return accepted;
}

bool is_json_content(const std::optional<std::string>& content_type) {
  if (!content_type) return false;
  std::string_view rest = *content_type;
  return ascii_lower_case(take_part(rest, ';')) == "application/json";
}

std::optional<std::string> decode_header_value(std::string_view value) {
  value = trimmed(value);
  const bool encoded = value.size() >= kBase64Begin.size() + kBase64End.size() &&
                       ascii_lower_case(value.substr(0, kBase64Begin.size())) == kBase64Begin &&
                       value.ends_with(kBase64End);
  if (!encoded) return std::string(value);
  value.remove_prefix(kBase64Begin.size());
  value.remove_suffix(kBase64End.size());
  return decode_base64(value);
}

Result<void> check_mirrored_headers(const net::HttpRequest& request, const Message& message) {
  const auto* meta = find_meta(message.params);
  const auto version = meta != nullptr ? text_or(*meta, kMetaVersion, "") : "";
  ADIT_CHECK(check_mirror(request, kVersionHeader, "protocol version", version));
  ADIT_CHECK(check_mirror(request, kMethodHeader, "method", message.method));
  const auto field = name_field(message.method);
  if (field.empty()) return {};
  const auto* name = find_field(message.params, field);
  // A name that is missing, or no text, is the method's own error; but a header may not claim one.
  if ((name == nullptr || !name->is_string()) && !request.header(kNameHeader)) return {};
  const auto expected = name != nullptr && name->is_string() ? std::string(name->get_string()) : std::string();
  return check_mirror(request, kNameHeader, field, expected);
}

bool is_modern_version(std::string_view version) {
  version = trimmed(version);
  constexpr std::string_view kForm = "0000-00-00";
  const auto fits = [](char form, char c) { return form == '-' ? c == '-' : c >= '0' && c <= '9'; };
  const bool is_date = version.size() == kForm.size() && std::equal(kForm.begin(), kForm.end(), version.begin(), fits);
  return is_date && version >= revision_text(Revision::v2026_07_28);
}

}  // namespace adit::mcp
