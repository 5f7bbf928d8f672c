#include "adit/base/error.h"

namespace adit {

Error internal_error(std::string message) {
  return Error{.code = ErrorCode::internal,
               .reason = "internal_error",
               .message = std::move(message),
               .hint = "This is a defect of adit; please report it with the call that caused it.",
               .stage = "execute"};
}

}  // namespace adit
