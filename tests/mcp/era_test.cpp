#include "era.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace adit::mcp {
namespace json = boost::json;
namespace {

Message request(std::string_view method, std::string_view params) {
  return {.kind = MessageKind::request,
          .id = "1",
          .method = std::string(method),
          .params = json::parse({params.data(), params.size()}).as_object()};
}

constexpr std::string_view kGoodMeta =
    R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}})";

TEST(Revision, HasOneTextEach) {
  constexpr std::string_view kTexts[] = {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"};
  for (const auto text : kTexts) {
    const auto revision = revision_from_text(text);
    ASSERT_TRUE(revision.has_value()) << text;
    EXPECT_EQ(revision_text(*revision), text);
  }
  for (const auto* text : {"", "2026-07-29", "2099-01-01", "2025-11-25 ", "latest", "2025-11"}) {
    EXPECT_EQ(revision_from_text(text), std::nullopt) << text;
  }
  EXPECT_EQ(revision_text(kNewestLegacy), "2025-11-25");
  EXPECT_LT(Revision::v2024_11_05, Revision::v2025_03_26);
  EXPECT_LT(kNewestLegacy, Revision::v2026_07_28);
}

TEST(IsModern, E1_E2_E3_TheMarkOrTheMethodDecides) {
  struct Case {
    std::string_view method, params;
    bool modern;
  };
  constexpr Case cases[] = {
      // E1: the key, whatever the method and the value
      {"tools/list", kGoodMeta, true},
      {"initialize", kGoodMeta, true},
      {"ping", kGoodMeta, true},
      {"unknown/method", kGoodMeta, true},
      {"tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}})", true},
      {"tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}})", true},
      {"tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":null}})", true},
      // E2: methods that only the modern era has
      {"server/discover", "{}", true},
      {"subscriptions/listen", "{}", true},
      // E3 and the rest
      {"initialize", R"({"protocolVersion":"2026-07-28"})", false},
      {"tools/list", "{}", false},
      {"tools/call", R"({"_meta":{"progressToken":1}})", false},
      {"tools/call", R"({"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}})", false},
      {"tools/call", R"({"_meta":{"protocolVersion":"2026-07-28"}})", false},
      {"tools/call", R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"})", false},
      {"tools/call", R"({"_meta":"io.modelcontextprotocol/protocolVersion"})", false},
      {"tools/call", R"({"_meta":["io.modelcontextprotocol/protocolVersion"]})", false},
      {"tools/call", R"({"_meta":null})", false},
  };
  for (const auto& [method, params, modern] : cases) {
    SCOPED_TRACE(fmt::format("{} {}", method, params));
    EXPECT_EQ(is_modern(request(method, params)), modern);
  }
}

TEST(CheckModernMeta, E2_E6_E8_NamesWhatIsMissingOrWrong) {
  struct Case {
    std::string_view params;
    ErrorCode code;  // internal = none
    std::string_view names;
  };
  constexpr auto kNone = ErrorCode::internal;
  constexpr Case cases[] = {
      {kGoodMeta, kNone, ""},
      {R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
           "io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},
           "io.modelcontextprotocol/clientInfo":{"name":"n","version":"1"},"other":1}})",
       kNone, ""},
      {"{}", ErrorCode::invalid_params, "protocolVersion"},
      {R"({"_meta":{}})", ErrorCode::invalid_params, "protocolVersion"},
      {R"({"_meta":[]})", ErrorCode::invalid_params, "protocolVersion"},
      {R"({"_meta":{"io.modelcontextprotocol/protocolVersion":20260728}})", ErrorCode::invalid_params,
       "protocolVersion"},
      {R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})", ErrorCode::invalid_params,
       "clientCapabilities"},
      {R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
           "io.modelcontextprotocol/clientCapabilities":null}})",
       ErrorCode::invalid_params, "clientCapabilities"},
      {R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
           "io.modelcontextprotocol/clientCapabilities":[]}})",
       ErrorCode::invalid_params, "clientCapabilities"},
      {R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01",
           "io.modelcontextprotocol/clientCapabilities":{}}})",
       ErrorCode::unsupported_version, ""},
      {R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}})", ErrorCode::unsupported_version, ""},
      {R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25",
           "io.modelcontextprotocol/clientCapabilities":{}}})",
       ErrorCode::unsupported_version, ""},
      {R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"",
           "io.modelcontextprotocol/clientCapabilities":{}}})",
       ErrorCode::unsupported_version, ""},
  };
  for (const auto& [params, code, names] : cases) {
    SCOPED_TRACE(params);
    const auto result = check_modern_meta(request("tools/list", params));
    EXPECT_EQ(result.ok(), code == kNone);
    if (result.ok() || code == kNone) continue;
    EXPECT_EQ(result.error().code, code);
    EXPECT_NE(result.error().message.find(names), std::string::npos) << result.error().message;
  }
}

TEST(UnsupportedVersion, E6_TellsWhatIsSupportedAndWhatWasAsked) {
  const auto asked = request("tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}})");
  EXPECT_EQ(unsupported_version_data(asked),
            (json::object{{"supported", json::array{"2026-07-28"}}, {"requested", "2099-01-01"}}));
}

}  // namespace
}  // namespace adit::mcp
