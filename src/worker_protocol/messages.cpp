#include "adit/worker_protocol/messages.h"

#include "adit/base/json_fields.h"

#include <fmt/format.h>

namespace adit::worker_protocol {
namespace json = boost::json;

Failure to_failure(const Error& error) {
  return Failure{.code = static_cast<std::int64_t>(error.code),
                 .reason = error.reason,
                 .message = error.message,
                 .hint = error.hint,
                 .retryable = error.retryable,
                 .stage = error.stage,
                 .statement_index = error.statement_index,
                 .position = error.position,
                 .nearest = error.nearest};
}

Error to_error(const Failure& failure) {
  return Error{.code = static_cast<ErrorCode>(failure.code),
               .reason = failure.reason,
               .message = failure.message,
               .hint = failure.hint,
               .retryable = failure.retryable,
               .stage = failure.stage,
               .statement_index = failure.statement_index,
               .position = failure.position,
               .nearest = failure.nearest};
}

template <class Message>
std::string encode(const Message& message) {
  return json::serialize(json::value_from(message));
}

template <class Message>
Result<Message> decode(std::string_view payload) {
  ADIT_TRY(auto tree, parse_json(payload));
  auto message = json::try_value_to<Message>(tree);
  if (!message) {
    return internal_error(fmt::format("a message between the processes does not fit: {}", message.error().message()));
  }
  return std::move(*message);
}

#define ADIT_MESSAGE(Message)                           \
  template std::string encode<Message>(const Message&); \
  template Result<Message> decode<Message>(std::string_view)

ADIT_MESSAGE(OpenWorkspace);
ADIT_MESSAGE(Opened);
ADIT_MESSAGE(ImportFiles);
ADIT_MESSAGE(Imported);
ADIT_MESSAGE(Described);
ADIT_MESSAGE(RunQuery);
ADIT_MESSAGE(QueryDone);
ADIT_MESSAGE(ExportRows);
ADIT_MESSAGE(Exported);
ADIT_MESSAGE(WorkProgress);
ADIT_MESSAGE(Failure);

}  // namespace adit::worker_protocol
