#include "modern_dialogue.h"

#include "adit/base/json_fields.h"
#include "client_question.h"

namespace adit::mcp {
namespace json = boost::json;

Task<Answers> ModernDialogue::ask(RequestContext, std::vector<Question> questions) { co_return answer(questions); }

void ModernDialogue::log(LogLevel level, std::string_view logger, const json::value& data) {
  log_->write(level, logger, data);
}

Result<Answers> ModernDialogue::answer(const std::vector<Question>& questions) {
  missing_ = missing_capabilities(capabilities_, questions);
  if (!missing_.empty()) return missing_capability_error(missing_);
  Answers answered;
  for (const auto& question : questions) {
    // I5: an answer that does not fit is as good as none; keys that nobody asked for are not looked at.
    const auto* given = find_field(given_, question.key);
    if (given != nullptr && answers(question, *given)) state_.answers[question.key] = given->get_object();
    const auto known = state_.answers.find(question.key);
    if (known == state_.answers.end()) open_.push_back(question);
    else answered.insert(*known);
  }
  if (open_.empty()) return answered;
  ++state_.round;
  return Error{.code = ErrorCode::invalid_request,
               .reason = "input_required",
               .message = "The client's input is needed",
               .hint = ""};
}

}  // namespace adit::mcp
