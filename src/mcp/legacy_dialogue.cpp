#include "legacy_dialogue.h"

#include "client_question.h"

#include <fmt/format.h>

namespace adit::mcp {
namespace json = boost::json;

Task<Answers> LegacyDialogue::ask(RequestContext context, std::vector<Question> questions) {
  const auto missing = missing_capabilities(capabilities_, questions);
  if (!missing.empty()) co_return missing_capability_error(missing);
  if (!send_) {
    co_return Error{.code = ErrorCode::unavailable,
                    .reason = "no_client_answer",
                    .message = "The client takes a single answer here and cannot be asked",
                    .hint = "Accept text/event-stream."};
  }
  Answers answered;
  for (auto& question : questions) {
    auto asked = ClientRequests::ask(requests_, context, send_, question.method, question.params);
    ADIT_CO_TRY(auto answer, co_await std::move(asked));
    if (!answers(question, answer)) {
      co_return Error{.code = ErrorCode::unavailable,
                      .reason = "no_client_answer",
                      .message = fmt::format("The client's answer to {} does not fit the question", question.method),
                      .hint = ""};
    }
    answered.emplace(question.key, std::move(answer));
  }
  co_return answered;
}

void LegacyDialogue::log(LogLevel level, std::string_view logger, const json::value& data) {
  log_->write(level, logger, data);
}

}  // namespace adit::mcp
