#include "adit/soda_server/error_envelope.h"

#include "adit/base/json_text.h"

#include <fmt/format.h>
#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace adit::soda_server {
namespace json = boost::json;
namespace {

// The structure is ASCII, so that only the inside of strings can be repaired here.
ErrorReply reply(int status, const json::object& body) { return {status, to_valid_utf8(json::serialize(body))}; }

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// The line, and below it a caret under the column; a column behind the line's end points just behind it.
std::string with_caret(const QueryPosition& position) {
  const std::string line = to_valid_utf8(position.line);
  const auto characters = static_cast<std::size_t>(std::count_if(line.begin(), line.end(), begins_character));
  const auto column = std::clamp<std::size_t>(position.column, 1, characters + 1);
  return line + "\n" + std::string(column - 1, ' ') + "^";
}

// As a Scala map prints itself, the line being quoted like a JSON string.
std::string position_text(const QueryPosition& position, const std::string& marked_line) {
  return fmt::format("position: Map(row -> {}, column -> {}, line -> {})", position.row, position.column,
                     json_string(marked_line));
}

}  // namespace

ErrorReply print_error(const FrontEndError& error) {
  json::object body;
  if (!error.code.empty()) body["code"] = error.code;
  body["error"] = true;
  body["message"] = error.message;
  if (!error.data.empty()) body["data"] = error.data;
  return reply(error.status, body);
}

ErrorReply print_error(const CoordinatorError& error) {
  std::string message = fmt::format("Query coordinator error: {}; {}", error.code, error.description);
  json::object data = error.data;
  if (error.position) {
    const std::string marked_line = with_caret(*error.position);
    message += "; " + position_text(*error.position, marked_line);
    data["position"] =
        json::object{{"row", error.position->row}, {"column", error.position->column}, {"line", marked_line}};
  }
  return reply(error.status, json::object{{"message", message}, {"errorCode", error.code}, {"data", std::move(data)}});
}

FrontEndError malformed_query(std::string_view query, const QueryPosition& position, std::string_view expectation) {
  std::string message =
      fmt::format("Could not parse SoQL query \"{}\" at line {} character {}", query, position.row, position.column);
  if (!expectation.empty()) message += fmt::format(": {}", expectation);
  return FrontEndError{.code = "query.compiler.malformed",
                       .message = std::move(message),
                       .data = {{"query", std::string(query)}, {"position", json::object()}}};
}

}  // namespace adit::soda_server
