#include "adit/base/random_id.h"

#include "adit/base/base64.h"
#include "adit/base/sha256.h"

namespace adit {

std::string random_id() { return base64_url(random_bytes(16)); }

}  // namespace adit
