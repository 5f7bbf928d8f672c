// The two shapes in which Socrata portals send errors, printed. Which failure gets which status and code is decided by
// the caller: reference/soql.md 6.1 and 6.2.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace adit::soda_server {

struct ErrorReply {
  int status = 400;  // of HTTP
  std::string body;  // one JSON object on one line, valid UTF-8
};

// Shape A: {"code", "error": true, "message", "data"}. Sent for what fails before a query is understood: its syntax,
// the dataset's name, tokens. Some answers have no code and no data; empty ones are left out.
struct FrontEndError {
  int status = 400;
  std::string code;  // "dataset.missing"
  std::string message;
  boost::json::object data = {};
};

// Where a query is at fault, counted in characters from 1, and that line of it.
struct QueryPosition {
  std::size_t row = 1;
  std::size_t column = 1;
  std::string line;
};

// Shape B: {"message", "errorCode", "data"}. Sent for what fails when a query is checked against the dataset or run.
// The message repeats code, description and position, which also stands in `data`.
struct CoordinatorError {
  int status = 400;
  std::string code;         // "query.soql.no-such-column"
  std::string description;  // "No such column: colour"
  boost::json::object data = {};
  std::optional<QueryPosition> position = {};
};

// Parts that are not valid UTF-8 show U+FFFD: a query comes from a URL and may hold any bytes.
ErrorReply print_error(const FrontEndError& error);
ErrorReply print_error(const CoordinatorError& error);

// The shape A error for text that is not SoQL; `expectation` is the parser's sentence without a full stop, or empty.
FrontEndError malformed_query(std::string_view query, const QueryPosition& position, std::string_view expectation);

}  // namespace adit::soda_server
