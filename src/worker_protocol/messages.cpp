#include "adit/worker_protocol/messages.h"

#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace adit::worker_protocol {
namespace json = boost::json;

namespace {

// Names and values of any length get into messages; a proposal that is cut would be of no use.
constexpr std::size_t kLongestMessage = 2000;
constexpr std::size_t kLongestProposal = 200;

std::string shortened(const std::string& message) {
  if (message.size() <= kLongestMessage) return message;
  return fmt::format("{} … ({} bytes)", utf8_prefix(message, kLongestMessage), message.size());
}

std::vector<std::string> short_ones(const std::vector<std::string>& names) {
  std::vector<std::string> kept;
  std::copy_if(names.begin(), names.end(), std::back_inserter(kept),
               [](const std::string& name) { return name.size() <= kLongestProposal; });
  return kept;
}

}  // namespace

Failure to_failure(const Error& error) {
  return Failure{.code = static_cast<std::int64_t>(error.code),
                 .reason = error.reason,
                 .message = shortened(error.message),
                 .hint = error.hint,
                 .retryable = error.retryable,
                 .stage = error.stage,
                 .statement_index = error.statement_index,
                 .position = error.position,
                 .nearest = short_ones(error.nearest)};
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

std::size_t bytes_in_answer(const Diagnostic& diagnostic) {
  constexpr std::string_view kShell = R"({"severity":,"code":,"message":},)";
  const auto index =
      diagnostic.statement_index ? fmt::format(R"(,"statement_index":{})", *diagnostic.statement_index) : "";
  return kShell.size() + index.size() + json_string_size(diagnostic.severity) + json_string_size(diagnostic.code) +
         json_string_size(diagnostic.message);
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
ADIT_MESSAGE(Diagnostic);
ADIT_MESSAGE(DefinitionChange);
ADIT_MESSAGE(QueryDone);
ADIT_MESSAGE(ExportRows);
ADIT_MESSAGE(Exported);
ADIT_MESSAGE(WorkProgress);
ADIT_MESSAGE(Failure);

}  // namespace adit::worker_protocol
