// SHA-256 (FIPS 180-4) and HMAC-SHA-256 (RFC 2104), for texts that a client keeps for us and gives back.
#pragma once

#include <string>
#include <string_view>

namespace adit {

std::string sha256(std::string_view bytes);                             // 32 bytes
std::string hmac_sha256(std::string_view key, std::string_view bytes);  // 32 bytes

// Takes the same time wherever the texts differ; their lengths are no secret.
bool equal_in_constant_time(std::string_view a, std::string_view b);

// `count` bytes of the system's generator. Without one nothing may go on: ends the process.
std::string random_bytes(std::size_t count);

}  // namespace adit
