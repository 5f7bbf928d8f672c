// Base64 of RFC 4648: the common alphabet with padding (section 4), and the one for addresses without (section 5).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace adit {

std::string base64(std::string_view bytes);
std::string base64_url(std::string_view bytes);

// Strict: other characters, wrong padding and bits that are left over are refused.
std::optional<std::string> decode_base64(std::string_view text);
std::optional<std::string> decode_base64_url(std::string_view text);

}  // namespace adit
