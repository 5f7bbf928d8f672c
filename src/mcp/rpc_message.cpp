#include "rpc_message.h"

#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"

#include <fmt/format.h>

namespace adit::mcp {
namespace json = boost::json;
namespace {

BadMessage bad(ErrorCode code, std::string text, std::optional<RequestId> id = {}) {
  return {.id = std::move(id), .error = Error{.code = code, .reason = "", .message = std::move(text), .hint = ""}};
}

// J1: a string or an integer; everything else is no id.
std::optional<RequestId> read_id(const json::value& id) {
  if (id.is_string() || id.is_int64() || id.is_uint64()) return json::serialize(id);
  return std::nullopt;
}

Message read_response(json::object& object) {
  Message message{.kind = MessageKind::response, .id = "", .method = "", .params = {}};
  if (const auto* id = find_field(object, "id")) message.id = read_id(*id).value_or("");
  auto* result = object.if_contains("result");
  if (result != nullptr && result->is_object()) {
    message.result = std::move(result->get_object());
    return message;
  }
  const auto* error = find_field(object, "error");
  const bool told = error != nullptr && error->is_object();
  message.failure = told ? text_or(error->get_object(), "message", "no message") : "no result";
  return message;
}

}  // namespace

ParsedMessage parse_message(std::string_view text) {
  auto parsed = parse_json(text);
  if (!parsed.ok()) {
    // The framing of language servers, which clients try on servers of every kind.
    const auto what = text.starts_with("Content-Length:") ? "a message is one line, without headers before it"
                                                          : parsed.error().message;
    return {.message = {}, .bad = bad(ErrorCode::parse_error, "Not JSON: " + what)};
  }
  if (parsed->is_array()) {
    return {.message = {}, .bad = bad(ErrorCode::invalid_request, "Batches are not supported; send one message")};
  }
  if (!parsed->is_object()) return {.message = {}, .bad = bad(ErrorCode::invalid_request, "Not a JSON-RPC message")};
  auto& object = parsed->get_object();

  const auto* method = find_field(object, "method");
  if (method == nullptr && (object.contains("result") || object.contains("error"))) {
    return {.message = read_response(object), .bad = {}};
  }
  const auto* id_field = find_field(object, "id");
  std::optional<RequestId> id;
  if (id_field != nullptr) {
    id = read_id(*id_field);
    if (!id) return {.message = {}, .bad = bad(ErrorCode::invalid_request, "id must be a string or an integer")};
  }
  if (text_or(object, "jsonrpc", "") != "2.0") {
    return {.message = {}, .bad = bad(ErrorCode::invalid_request, "jsonrpc must be \"2.0\"", id)};
  }
  if (method == nullptr || !method->is_string()) {
    return {.message = {}, .bad = bad(ErrorCode::invalid_request, "method must be a string", id)};
  }
  Message message{.kind = id ? MessageKind::request : MessageKind::notification,
                  .id = id.value_or(""),
                  .method = std::string(method->get_string()),
                  .params = {}};
  if (auto* params = object.if_contains("params")) {
    // J2: a notification is not answered, whatever is wrong with it; without usable params it says nothing.
    if (params->is_object()) message.params = std::move(params->get_object());
    else if (id) return {.message = {}, .bad = bad(ErrorCode::invalid_params, "params must be an object", id)};
  }
  return {.message = std::move(message), .bad = {}};
}

std::string success_response(const RequestId& id, std::string_view result) {
  std::string text;
  text.reserve(result.size() + id.size() + 40);
  text.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"result":)").append(result).append("}");
  return text;
}

std::string error_response(const std::optional<RequestId>& id, const Error& error, json::object data) {
  std::string text = R"({"jsonrpc":"2.0",)";
  if (id) text.append(R"("id":)").append(*id).append(",");
  text += fmt::format(R"("error":{{"code":{},"message":)", static_cast<std::int32_t>(error.code));
  append_json_string(text, to_valid_utf8(error.message));
  if (!error.hint.empty()) data["hint"] = error.hint;
  if (!data.empty()) text.append(R"(,"data":)").append(json::serialize(data));
  return text + "}}";
}

std::string request(const RequestId& id, std::string_view method, std::string_view params) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id, method, params);
}

std::string notification(std::string_view method, std::string_view params) {
  return fmt::format(R"({{"jsonrpc":"2.0","method":"{}","params":{}}})", method, params);
}

}  // namespace adit::mcp
