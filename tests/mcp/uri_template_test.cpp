#include "uri_template.h"

#include <gtest/gtest.h>

#include <string>

namespace adit::mcp {
namespace {

TEST(UriTemplate, R3_AVariableIsOneSegment) {
  struct Case {
    std::string_view uri_template, uri;
    std::optional<UriVariables> variables;
  };
  const Case cases[] = {
      {"a://x/{id}", "a://x/1", UriVariables{{"id", "1"}}},
      {"a://x/{id}", "a://x/1/2", std::nullopt},
      {"a://x/{id}", "a://x/", std::nullopt},
      {"a://x/{id}", "a://y/1", std::nullopt},
      {"a://x/{id}", "a://x/1?q=2", std::nullopt},
      {"a://x/{id}", "a://x/1#f", std::nullopt},
      {"a://x/{id}/data", "a://x/1/data", UriVariables{{"id", "1"}}},
      {"a://x/{id}/data", "a://x/1/dat", std::nullopt},
      {"a://x/{id}/data", "a://x/1/data/", std::nullopt},
      {"a://{host}/{id}", "a://h/i", UriVariables{{"host", "h"}, {"id", "i"}}},
      {"a://x/{name}.json", "a://x/a.json", UriVariables{{"name", "a"}}},
      {"a://x/{name}.json", "a://x/a.json.json", UriVariables{{"name", "a.json"}}},
      {"a://x/{name}.json", "a://x/.json", std::nullopt},
      {"a://x", "a://x", UriVariables{}},
      {"a://x", "a://x/", std::nullopt},
  };
  for (const auto& [uri_template, uri, variables] : cases) {
    EXPECT_EQ(match_uri(uri_template, uri), variables) << uri_template << " and " << uri;
  }
}

TEST(UriTemplate, R3_C21_C26_ValuesAreDecodedOnceAndCheckedAfterwards) {
  const std::pair<std::string, std::optional<std::string>> cases[] = {
      {"hello%20world", "hello world"},
      {"caf%C3%A9", "café"},
      {"café", "café"},
      {"%2525", "%25"},
      {"a%2eb", "a.b"},
      {"...", "..."},
      {".", std::nullopt},
      {"..", std::nullopt},
      {"%2e%2E", std::nullopt},
      {"%2F", std::nullopt},
      {"..%2f..%2Fetc%2Fpasswd", std::nullopt},
      {"..%5Cx", std::nullopt},
      {"%00", std::nullopt},
      {"a%0Ab", std::nullopt},
      {"%7F", std::nullopt},
      {"%C0%AF", std::nullopt},     // a slash in too many bytes
      {"%ED%A0%80", std::nullopt},  // half of a pair
      {"%FF", std::nullopt},
      {"%", std::nullopt},
      {"%2", std::nullopt},
      {"%zz", std::nullopt},
      {std::string(1024, 'a'), std::string(1024, 'a')},
      {std::string(1025, 'a'), std::nullopt},
  };
  for (const auto& [raw, value] : cases) {
    const auto variables = match_uri("a://x/{id}", "a://x/" + raw);
    EXPECT_EQ(variables.has_value(), value.has_value()) << raw;
    if (variables && value) EXPECT_EQ(variables->at("id"), *value);
  }
}

}  // namespace
}  // namespace adit::mcp
