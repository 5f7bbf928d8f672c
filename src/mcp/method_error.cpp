#include "method_error.h"

#include "adit/base/json_text.h"
#include "adit/base/log.h"

namespace adit::mcp {

Error method_error(Error error) {
  switch (error.code) {
    case ErrorCode::invalid_params:
    case ErrorCode::not_found:
    case ErrorCode::resource_not_found:
    case ErrorCode::validation:
    case ErrorCode::missing_capability: error.code = ErrorCode::invalid_params; break;
    case ErrorCode::internal: log::error("{}", error.message); break;
    case ErrorCode::parse_error:
    case ErrorCode::invalid_request:
    case ErrorCode::method_not_found:
    case ErrorCode::unavailable:
    case ErrorCode::forbidden:
    case ErrorCode::unauthorized:
    case ErrorCode::configuration:
    case ErrorCode::rate_limited:
    case ErrorCode::timeout:
    case ErrorCode::header_mismatch:
    case ErrorCode::unsupported_version: error.code = ErrorCode::internal; break;
  }
  return error;
}

std::string shown_name(std::string_view name) {
  constexpr std::size_t kShownBytes = 100;
  return json_string(utf8_prefix(name, kShownBytes));
}

}  // namespace adit::mcp
