#include "socrata_answer.h"

#include "adit/base/json_fields.h"
#include "adit/socrata/portals.h"

#include <fmt/format.h>

namespace adit::tools {
namespace json = boost::json;
namespace {

json::object error_schema(std::string_view reasons) {
  return {{"type", "object"},
          {"description", "There when the call failed, and only then."},
          {"properties",
           json::object{
               {"code", json::object{{"type", "integer"},
                                     {"minimum", -9007199254740991},
                                     {"maximum", 9007199254740991},
                                     {"description", "JSON-RPC number of the kind of failure."}}},
               {"message", json::object{{"type", "string"}, {"description", "What went wrong, for people."}}},
               {"data",
                json::object{
                    {"type", "object"},
                    {"properties",
                     json::object{
                         {"reason",
                          json::object{{"type", "string"},
                                       {"description",
                                        fmt::format("The failure as one word. This tool's own: {} "
                                                    "Others are possible, among them access_denied, upstream_error, "
                                                    "timeout, cancelled, invalid_arguments.",
                                                    reasons)}}},
                         {"recovery",
                          json::object{
                              {"type", "object"},
                              {"properties", json::object{{"hint", json::object{{"type", "string"},
                                                                                {"description", "What to do next."}}}}},
                              {"required", json::array{"hint"}},
                              {"additionalProperties", json::object{}}}},
                         {"retryable", json::object{{"type", "boolean"},
                                                    {"description", "Whether the same call may succeed later."}}}}},
                    {"additionalProperties", json::object{}}}}}},
          {"required", json::array{"code", "message"}},
          {"additionalProperties", json::object{}}};
}

}  // namespace

json::object socrata_output_schema(std::string_view properties, std::string_view required, std::string_view reasons) {
  return output_schema(properties, required, json::serialize(error_schema(reasons)));
}

mcp::ToolResult socrata_error_result(const Error& error) {
  json::object data{{"reason", error.reason}, {"retryable", error.retryable}};
  if (!error.hint.empty()) data["recovery"] = json::object{{"hint", error.hint}};
  if (!error.nearest.empty()) data["nearest"] = json::value_from(error.nearest);
  for (const auto& [name, value] : error.data) data[name] = value;
  json::object object{
      {"code", static_cast<std::int64_t>(error.code)}, {"message", error.message}, {"data", std::move(data)}};
  auto text = fmt::format("Error: {}", error.message);
  if (!error.hint.empty()) text += fmt::format("\nRecovery: {}", error.hint);
  return {.structured = json::serialize(json::object{{"error", std::move(object)}}),
          .text = std::move(text),
          .is_error = true};
}

Result<std::string> read_domain(const json::object& arguments, std::string_view fallback) {
  return socrata::parse_portal_host(optional_text(arguments, "domain").value_or(std::string(fallback)));
}

Result<socrata::DatasetId> read_dataset_id(const json::object& arguments) {
  auto id = socrata::DatasetId::parse(text_or(arguments, "dataset_id", ""));
  if (!id.ok()) {
    auto error = std::move(id).error();
    if (error.hint.empty())
      error.hint = "An id has nine characters, such as kzjm-xkqj: take it from socrata_find_datasets.";
    return error;
  }
  return id;
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) line += c;
    else if (!line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

std::string quoted_block(std::string_view text) {
  std::string block;
  while (!text.empty()) {
    const auto end = text.find('\n');
    block += fmt::format("> {}\n", one_line(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return block;
}

}  // namespace adit::tools
