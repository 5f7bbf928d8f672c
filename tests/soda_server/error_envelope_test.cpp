#include "adit/soda_server/error_envelope.h"

#include "adit/base/json_text.h"

#include <gtest/gtest.h>

#include <string>

namespace adit::soda_server {
namespace {

TEST(FrontEndError, PrintsCodeFlagMessageAndData) {
  const auto reply = print_error(
      FrontEndError{.status = 404, .code = "dataset.missing", .message = "Not found", .data = {{"id", "zzzz-zzzz"}}});
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.body, R"({"code":"dataset.missing","error":true,"message":"Not found","data":{"id":"zzzz-zzzz"}})");
}

TEST(FrontEndError, LeavesOutWhatItHasNot) {
  struct Case {
    FrontEndError error;
    std::string_view body;
  };
  const Case cases[] = {
      {{.status = 404, .code = "", .message = "Not found"}, R"({"error":true,"message":"Not found"})"},
      {{.status = 403, .code = "permission_denied", .message = "Invalid app_token specified"},
       R"({"code":"permission_denied","error":true,"message":"Invalid app_token specified"})"},
      {{.code = "", .message = "Unrecognized arguments [foo]"},
       R"({"error":true,"message":"Unrecognized arguments [foo]"})"},
  };
  for (const auto& [error, body] : cases) EXPECT_EQ(print_error(error).body, body);
  EXPECT_EQ(print_error(cases[2].error).status, 400);
}

TEST(MalformedQuery, SaysLineCharacterAndWhatWasExpected) {
  const auto error = malformed_query("select `name` where", {.row = 1, .column = 20, .line = "select `name` where"},
                                     "Expected an expression, but got end of input");
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.code, "query.compiler.malformed");
  EXPECT_EQ(error.message,
            "Could not parse SoQL query \"select `name` where\" at line 1 character 20: "
            "Expected an expression, but got end of input");
  EXPECT_EQ(error.data.at("query"), "select `name` where");
}

TEST(MalformedQuery, WithoutAnExpectationTheMessageEndsAtThePlace) {
  const auto error = malformed_query("select $", {.row = 2, .column = 8, .line = "select $"}, "");
  EXPECT_TRUE(error.message.ends_with("at line 2 character 8")) << error.message;
}

TEST(CoordinatorError, RepeatsThePositionInMessageAndData) {
  const auto reply = print_error(CoordinatorError{.code = "query.soql.no-such-column",
                                                  .description = "No such column: colour",
                                                  .data = {{"column", "colour"}, {"dataset", "alpha.1234"}},
                                                  .position = {{.row = 1, .column = 8, .line = "SELECT `colour`"}}});
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body, R"({"message":"Query coordinator error: query.soql.no-such-column; No such column: colour; )"
                        R"~(position: Map(row -> 1, column -> 8, line -> \"SELECT `colour`\\n       ^\")",)~"
                        R"("errorCode":"query.soql.no-such-column",)"
                        R"("data":{"column":"colour","dataset":"alpha.1234",)"
                        R"("position":{"row":1,"column":8,"line":"SELECT `colour`\n       ^"}}})");
}

TEST(CoordinatorError, WithoutAPlaceHasNone) {
  const auto reply =
      print_error(CoordinatorError{.status = 408, .code = "request-timeout", .description = "the query ran too long"});
  EXPECT_EQ(reply.status, 408);
  EXPECT_EQ(reply.body, R"({"message":"Query coordinator error: request-timeout; the query ran too long",)"
                        R"("errorCode":"request-timeout","data":{}})");
}

TEST(CoordinatorError, TheCaretCountsCharactersAndStaysAtTheLine) {
  struct Case {
    std::string_view line;
    std::size_t column;
    std::string_view marked;
  };
  constexpr Case cases[] = {
      {"abc", 1, "abc\n^"},     {"abc", 3, "abc\n  ^"},
      {"abc", 4, "abc\n   ^"},  {"abc", 0, "abc\n^"},
      {"abc", 9, "abc\n   ^"},  {"", 1, "\n^"},
      {"é€x", 3, "é€x\n  ^"},   {"é€x", 99, "é€x\n   ^"},
      {"\xff", 1, "\uFFFD\n^"}, {"abc", ~std::size_t{0}, "abc\n   ^"},
  };
  for (const auto& [line, column, marked] : cases) {
    SCOPED_TRACE(marked);
    const auto reply = print_error(CoordinatorError{
        .code = "c", .description = "d", .position = {{.row = 1, .column = column, .line = std::string(line)}}});
    EXPECT_NE(reply.body.find(R"("line":)" + json_string(marked)), std::string::npos) << reply.body;
  }
}

TEST(ErrorEnvelope, AnyBytesOfAQueryGiveOneLineOfValidJson) {
  constexpr std::string_view kTexts[] = {"\"\\\n\t", "\x01\x1f", "\xff\xc3(", "\xed\xa0\x80", "😀", "{} {0}"};
  for (const auto text : kTexts) {
    SCOPED_TRACE(json_string(to_valid_utf8(text)));
    const std::string any(text);
    const QueryPosition position{.row = 1, .column = 1, .line = any};
    const std::string bodies[] = {
        print_error(malformed_query(any, position, any)).body,
        print_error(FrontEndError{.code = any, .message = any, .data = {{any, any}}}).body,
        print_error(CoordinatorError{.code = any, .description = any, .data = {{any, any}}, .position = position}).body,
    };
    for (const auto& body : bodies) {
      std::string checked;
      EXPECT_TRUE(append_checked_json(checked, body).ok()) << body;
      EXPECT_EQ(checked, body);
    }
  }
}

}  // namespace
}  // namespace adit::soda_server
