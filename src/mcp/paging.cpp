#include "paging.h"

#include "adit/base/base64.h"
#include "adit/base/json_fields.h"
#include "adit/base/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace adit::mcp {
namespace {

constexpr std::size_t kSignatureBytes = 16;

std::string signature(std::string_view key, std::string_view list, const std::vector<std::string>& entries,
                      std::size_t begin) {
  auto text = fmt::format("cursor\n{}\n{}\n", list, begin);
  for (const auto& entry : entries) text.append(entry).push_back('\n');
  return hmac_sha256(key, text).substr(0, kSignatureBytes);
}

std::optional<std::size_t> read_cursor(std::string_view cursor, std::string_view key, std::string_view list,
                                       const std::vector<std::string>& entries) {
  const auto decoded = decode_base64_url(cursor);
  if (!decoded || decoded->size() <= kSignatureBytes) return std::nullopt;
  const auto digits = std::string_view(*decoded).substr(kSignatureBytes);
  std::size_t begin = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), begin);
  if (error != std::errc() || end != digits.data() + digits.size() || begin >= entries.size()) return std::nullopt;
  const auto signed_part = std::string_view(*decoded).substr(0, kSignatureBytes);
  if (!equal_in_constant_time(signed_part, signature(key, list, entries, begin))) return std::nullopt;
  return begin;
}

}  // namespace

Result<Page> find_page(const boost::json::object& params, std::string_view key, std::string_view list,
                       const std::vector<std::string>& entries, std::size_t page_size) {
  Page page;
  if (const auto* cursor = find_field(params, "cursor"); cursor != nullptr && !cursor->is_null()) {
    const auto begin = cursor->is_string() ? read_cursor(cursor->get_string(), key, list, entries) : std::nullopt;
    if (!begin) {
      return Error{.code = ErrorCode::invalid_params,
                   .reason = "",
                   .message = "This cursor is not one of ours, or the list has changed since",
                   .hint = "Ask for the list without a cursor."};
    }
    page.begin = *begin;
  }
  page.end = std::min(entries.size(), page.begin + page_size);
  if (page.end < entries.size()) {
    page.next_cursor = base64_url(signature(key, list, entries, page.end) + std::to_string(page.end));
  }
  return page;
}

}  // namespace adit::mcp
