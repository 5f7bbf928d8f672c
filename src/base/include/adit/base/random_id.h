// Names that cannot be guessed: 128 bits of the system's generator.
#pragma once

#include <string>

namespace adit {

// 22 characters of base64url (RFC 4648 5, without padding).
std::string random_id();

}  // namespace adit
