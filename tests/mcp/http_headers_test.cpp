#include "http_headers.h"

#include <gtest/gtest.h>

namespace adit::mcp {
namespace {

TEST(HttpHeaders, H5_AcceptIsReadWithItsWeights) {
  struct Case {
    std::optional<std::string> accept;
    bool json, stream;
  };
  const Case cases[] = {
      {std::nullopt, true, true},
      {"", false, false},
      {"*/*", true, true},
      {"*/*;q=0.1", true, true},
      {"*/*;q=0.0", false, false},
      {"application/*", true, false},
      {"text/*", false, true},
      {"Application/JSON ; q=0.3,\ttext/Event-Stream;q=1", true, true},
      {"application/json;q=0.001", true, false},
      {"application/json; charset=utf-8; q=0", false, false},
      {"application/jsonx, text/event-stream-x", false, false},
      {",, application/json ,,", true, false},
  };
  for (const auto& [accept, wants_json, wants_stream] : cases) {
    SCOPED_TRACE(accept.value_or("(none)"));
    const auto accepted = read_accept(accept);
    EXPECT_EQ(accepted.json, wants_json);
    EXPECT_EQ(accepted.stream, wants_stream);
  }
}

TEST(HttpHeaders, H11_ValuesAreTrimmedAndDecoded) {
  const std::pair<std::string, std::optional<std::string>> cases[] = {
      {"plain", "plain"},
      {"  plain\t", "plain"},
      {"", ""},
      {"=?base64?=", "=?base64?="},
      {"=?base64?w6k=?=", "é"},
      {"=?BASE64?YQ==?=", "a"},
      {" =?base64?YWI=?= ", "ab"},
      {"=?base64?YWJj?=", "abc"},
      {"=?base64?YWJ?=", std::nullopt},
      {"=?base64?YWI?=", std::nullopt},
      {"=?base64?YQ=a?=", std::nullopt},
      {"=?base64?Y===?=", std::nullopt},
      {"=?base64?Y Q=?=", std::nullopt},
      {"=?base64?YQ_-?=", std::nullopt},
      {"=?base64?", "=?base64?"},
      {"=?utf-8?YQ==?=", "=?utf-8?YQ==?="},
  };
  for (const auto& [value, decoded] : cases) {
    SCOPED_TRACE(value);
    EXPECT_EQ(decode_header_value(value), decoded);
  }
}

TEST(HttpHeaders, E2_AVersionOfTheModernEraIsKnownByItsDate) {
  const std::pair<std::string_view, bool> cases[] = {
      {"2026-07-28", true}, {" 2026-07-28 ", true}, {"2099-01-01", true},  {"2025-11-25", false},  {"", false},
      {"nonsense", false},  {"v2026-07-28", false}, {"2026-07-2x", false}, {"2026-07-281", false},
  };
  for (const auto& [version, modern] : cases) EXPECT_EQ(is_modern_version(version), modern) << version;
}

}  // namespace
}  // namespace adit::mcp
