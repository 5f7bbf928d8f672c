// A picture that a client may show beside a name (T6).
#pragma once

#include <string>
#include <vector>

namespace adit::mcp {

struct Icon {
  std::string src;                 // https: or data: address
  std::string mime_type;           // image/png, image/jpeg; image/svg+xml and image/webp not everywhere
  std::vector<std::string> sizes;  // "48x48", "any"
  std::string theme;               // "light", "dark"; empty: any
};

}  // namespace adit::mcp
