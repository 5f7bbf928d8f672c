#include "client_question.h"

#include "adit/base/json_fields.h"
#include "adit/mcp/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace adit::mcp {
namespace json = boost::json;
namespace {

constexpr std::string_view kElicit = "elicitation/create", kSample = "sampling/createMessage", kRoots = "roots/list";

bool wants_address(const Question& question) { return text_or(question.params, "mode", "form") == "url"; }

// An empty elicitation capability stands for forms.
bool can_elicit(const json::object& declared, const Question& question) {
  const auto* elicitation = find_field(declared, "elicitation");
  if (elicitation == nullptr || !elicitation->is_object()) return false;
  const auto& modes = elicitation->get_object();
  return wants_address(question) ? modes.contains("url") : modes.contains("form") || !modes.contains("url");
}

bool fits_form(const Question& question, const json::object& answer) {
  constexpr std::array<std::string_view, 3> kActions = {"accept", "decline", "cancel"};
  const auto action = text_or(answer, "action", "");
  if (std::find(kActions.begin(), kActions.end(), action) == kActions.end()) return false;
  const auto* schema = find_field(question.params, "requestedSchema");
  if (action != "accept" || wants_address(question) || schema == nullptr) return true;
  const auto* content = find_field(answer, "content");
  return content != nullptr && content->is_object() && validate(*content, schema->get_object()).ok();
}

}  // namespace

json::object missing_capabilities(const json::object& declared, const std::vector<Question>& questions) {
  json::object missing;
  for (const auto& question : questions) {
    if (question.method == kElicit && !can_elicit(declared, question)) {
      missing["elicitation"] = wants_address(question) ? json::object{{"url", json::object()}} : json::object();
    }
    if (question.method == kSample && !declared.contains("sampling")) missing["sampling"] = json::object();
    if (question.method == kRoots && !declared.contains("roots")) missing["roots"] = json::object();
  }
  return missing;
}

Error missing_capability_error(const json::object& missing) {
  std::string names;
  for (const auto& capability : missing) names.append(names.empty() ? "" : " and ").append(capability.key());
  return Error{.code = ErrorCode::missing_capability,
               .reason = "missing_capability",
               .message = fmt::format("The client does not declare {}", names),
               .hint = "Call from a client that declares it."};
}

bool answers(const Question& question, const json::value& answer) {
  if (!answer.is_object()) return false;
  const auto& object = answer.get_object();
  if (question.method == kElicit) return fits_form(question, object);
  if (question.method == kSample) return object.contains("content") && object.contains("role");
  const auto* roots = find_field(object, "roots");
  return roots != nullptr && roots->is_array();
}

}  // namespace adit::mcp
