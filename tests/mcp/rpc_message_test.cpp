#include "rpc_message.h"

#include "adit/base/json_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace adit::mcp {
namespace json = boost::json;
namespace {

using namespace std::string_view_literals;

Message good(std::string_view text) {
  auto parsed = parse_message(text);
  if (parsed.message && !parsed.bad) return std::move(*parsed.message);
  ADD_FAILURE() << text << ": " << (parsed.bad ? parsed.bad->error.message : "neither");
  return {};
}

TEST(RpcMessage, ARequestHasAnIdANotificationNone) {
  const auto request = good(R"({"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"a":1}})");
  EXPECT_EQ(request.kind, MessageKind::request);
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.method, "tools/list");
  EXPECT_EQ(request.params, (json::object{{"a", 1}}));
  const auto notification = good(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(notification.kind, MessageKind::notification);
  EXPECT_EQ(notification.method, "notifications/initialized");
  EXPECT_TRUE(notification.params.empty());
}

TEST(RpcMessage, TheOrderOfMembersDoesNotMatter) {
  const auto request = good(R"({"params":{"a":1},"method":"m","id":"x","jsonrpc":"2.0"})");
  EXPECT_EQ(request.id, "\"x\"");
  EXPECT_EQ(request.method, "m");
  EXPECT_EQ(request.params, (json::object{{"a", 1}}));
}

TEST(RpcMessage, J1_AnIdKeepsItsTypeAndValue) {
  struct Case {
    std::string_view id, printed;
  };
  constexpr Case cases[] = {
      {"0", "0"},
      {"-1", "-1"},
      {"7", "7"},
      {"\"7\"", "\"7\""},
      {"\"\"", "\"\""},
      {"9007199254740993", "9007199254740993"},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"18446744073709551615", "18446744073709551615"},
      {"\"é 😀\"", "\"é 😀\""},
      {R"("a\"b\\c\nd")", R"("a\"b\\c\nd")"},
      {R"("\u0041")", R"("A")"},
  };
  for (const auto& [id, printed] : cases) {
    SCOPED_TRACE(id);
    const auto text = fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"m"}})", id);
    const auto message = good(text);
    EXPECT_EQ(message.kind, MessageKind::request);
    EXPECT_EQ(message.id, printed);
    // A reader of the answer gets the value that was sent.
    EXPECT_EQ(json::parse(success_response(message.id, "{}")).at("id"), json::parse(text).at("id"));
  }
}

struct Bad {
  std::string_view what, text;
  ErrorCode code;
  std::string_view id;  // "" = none
};

TEST(RpcMessage, J3_WhatIsNoMessageGetsTheRightCodeAndItsIdIfThatCouldBeRead) {
  constexpr auto kParse = ErrorCode::parse_error;
  constexpr auto kInvalid = ErrorCode::invalid_request;
  constexpr Bad cases[] = {
      {"no JSON", "hello", kParse, ""},
      {"blank", " ", kParse, ""},
      {"cut", R"({"jsonrpc":"2.0","id":1,"method":"m")", kParse, ""},
      {"two in a line", R"({"jsonrpc":"2.0","id":1,"method":"m"} {"jsonrpc":"2.0"})", kParse, ""},
      {"a single quote", "{'jsonrpc':'2.0'}", kParse, ""},
      {"bad UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}", kParse, ""},
      {"a lone surrogate", R"({"jsonrpc":"2.0","id":"\ud800","method":"m"})", kParse, ""},
      {"a NUL", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\0\"}"sv, kParse, ""},
      {"a batch", R"([{"jsonrpc":"2.0","id":1,"method":"m"}])", kInvalid, ""},
      {"an empty batch", "[]", kInvalid, ""},
      {"a text", R"("m")", kInvalid, ""},
      {"a number", "1", kInvalid, ""},
      {"null", "null", kInvalid, ""},
      {"an empty object", "{}", kInvalid, ""},
      {"no method", R"({"jsonrpc":"2.0","id":1})", kInvalid, "1"},
      {"method null", R"({"jsonrpc":"2.0","id":1,"method":null})", kInvalid, "1"},
      {"method a number", R"({"jsonrpc":"2.0","id":"x","method":1})", kInvalid, "\"x\""},
      {"method a list", R"({"jsonrpc":"2.0","id":1,"method":["m"]})", kInvalid, "1"},
      {"no jsonrpc", R"({"id":1,"method":"m"})", kInvalid, "1"},
      {"jsonrpc 1.0", R"({"jsonrpc":"1.0","id":1,"method":"m"})", kInvalid, "1"},
      {"jsonrpc a number", R"({"jsonrpc":2.0,"id":1,"method":"m"})", kInvalid, "1"},
      {"id null", R"({"jsonrpc":"2.0","id":null,"method":"m"})", kInvalid, ""},
      {"id a fraction", R"({"jsonrpc":"2.0","id":1.5,"method":"m"})", kInvalid, ""},
      {"id a float", R"({"jsonrpc":"2.0","id":1.0,"method":"m"})", kInvalid, ""},
      {"id with an exponent", R"({"jsonrpc":"2.0","id":1e3,"method":"m"})", kInvalid, ""},
      {"id true", R"({"jsonrpc":"2.0","id":true,"method":"m"})", kInvalid, ""},
      {"id a list", R"({"jsonrpc":"2.0","id":[1],"method":"m"})", kInvalid, ""},
      {"id an object", R"({"jsonrpc":"2.0","id":{},"method":"m"})", kInvalid, ""},
      {"params a list", R"({"jsonrpc":"2.0","id":1,"method":"m","params":[]})", ErrorCode::invalid_params, "1"},
      {"params a text", R"({"jsonrpc":"2.0","id":1,"method":"m","params":"{}"})", ErrorCode::invalid_params, "1"},
      {"params null", R"({"jsonrpc":"2.0","id":1,"method":"m","params":null})", ErrorCode::invalid_params, "1"},
  };
  for (const auto& [what, text, code, id] : cases) {
    SCOPED_TRACE(what);
    const auto parsed = parse_message(text);
    EXPECT_FALSE(parsed.message.has_value());
    ASSERT_TRUE(parsed.bad.has_value());
    EXPECT_EQ(parsed.bad->error.code, code);
    EXPECT_EQ(parsed.bad->id.value_or(""), id);
    EXPECT_FALSE(parsed.bad->error.message.empty());
  }
}

TEST(RpcMessage, J7_NestingOf128IsReadAndDeeperIsAParseError) {
  const auto nested = [](std::size_t depth) {
    return R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)" + std::string(depth - 2, '[') +
           std::string(depth - 2, ']') + "}}";
  };
  good(nested(128));
  for (const std::size_t depth : {129u, 1000u, 1'000'000u}) {
    const auto parsed = parse_message(nested(depth));
    ASSERT_TRUE(parsed.bad.has_value()) << depth;
    EXPECT_EQ(parsed.bad->error.code, ErrorCode::parse_error);
    EXPECT_EQ(parsed.bad->id, std::nullopt);
  }
}

TEST(RpcMessage, J5_UnknownMembersAreIgnored) {
  const auto request = good(R"({"jsonrpc":"2.0","id":1,"method":"m","extra":[1],"params":{"x":1},"auth":null})");
  EXPECT_EQ(request.params, (json::object{{"x", 1}}));
}

TEST(RpcMessage, ResponsesAreRecognised) {
  constexpr std::string_view kTexts[] = {
      R"({"jsonrpc":"2.0","id":1,"result":{}})",
      R"({"jsonrpc":"2.0","id":"a","error":{"code":-1,"message":"m"}})",
      R"({"jsonrpc":"2.0","error":{"code":-1,"message":"m"}})",
  };
  for (const auto text : kTexts) EXPECT_EQ(good(text).kind, MessageKind::response) << text;
}

// ---- Printing

TEST(RpcMessage, ASuccessSplicesTheResultAsItIs) {
  EXPECT_EQ(success_response("7", R"({"a":1.50})"), R"({"jsonrpc":"2.0","id":7,"result":{"a":1.50}})");
  EXPECT_EQ(success_response("\"7\"", "{}"), R"({"jsonrpc":"2.0","id":"7","result":{}})");
}

Error error_of(ErrorCode code, std::string message, std::string hint = "") {
  return {.code = code, .reason = "", .message = std::move(message), .hint = std::move(hint)};
}

TEST(RpcMessage, AnErrorCarriesItsCodeItsTextAndItsHint) {
  EXPECT_EQ(error_response("7", error_of(ErrorCode::invalid_params, "no")),
            R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}})");
  EXPECT_EQ(error_response("\"a\"", error_of(ErrorCode::method_not_found, "no", "do")),
            R"({"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no","data":{"hint":"do"}}})");
  EXPECT_EQ(error_response("7", error_of(ErrorCode::unsupported_version, "no"), {{"requested", "1"}}),
            R"({"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"no","data":{"requested":"1"}}})");
  const auto both =
      json::parse(error_response("7", error_of(ErrorCode::unsupported_version, "no", "do"), {{"requested", "1"}}));
  EXPECT_EQ(both.at("error").at("data"), (json::value{{"requested", "1"}, {"hint", "do"}}));
}

TEST(RpcMessage, J3_WithoutAnIdTheMemberIsLeftOut) {
  EXPECT_EQ(error_response(std::nullopt, error_of(ErrorCode::parse_error, "no")),
            R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}})");
}

TEST(RpcMessage, J8_WhateverTheTextHoldsAnErrorIsOneLineOfValidJson) {
  constexpr std::string_view kTexts[] = {"a\nb\r\n", "\"quoted\" \\", "\x01\x1f", "cut \xC3",
                                         "\xFF\xFE", "\xED\xA0\x80",  "\u2028",   "\0"sv};
  for (const auto text : kTexts) {
    const auto line = error_response("1", error_of(ErrorCode::internal, std::string(text)));
    EXPECT_TRUE(is_valid_utf8(line));
    EXPECT_EQ(line.find_first_of("\r\n"), std::string::npos);
    EXPECT_EQ(json::parse(line).at("error").at("message").as_string(), to_valid_utf8(text));
  }
}

TEST(RpcMessage, ANotificationHasNoId) {
  EXPECT_EQ(notification("notifications/progress", R"({"progressToken":"a","progress":1})"),
            R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"a","progress":1}})");
}

}  // namespace
}  // namespace adit::mcp
