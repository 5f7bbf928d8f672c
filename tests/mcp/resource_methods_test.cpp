// resources/list, resources/templates/list, resources/read in both eras.
#include "mcp_client.h"

#include <map>

namespace adit::mcp {
namespace json = boost::json;
namespace {

Task<ResourceContents> give(ResourceContents contents) { co_return contents; }

Task<ResourceContents> give_error(Error error) { co_return error; }

Error error_with(ErrorCode code) {
  return Error{.code = code, .reason = "", .message = "It is not to be had", .hint = "Take another"};
}

Resource text_resource(std::string uri, std::string text) {
  Resource resource{
      .uri = uri, .name = "text", .title = "A text", .description = "For tests", .mime_type = "text/plain", .size = 4};
  resource.annotations = {.audience = {"user"}, .priority = 0.5};
  resource.icons = {{.src = "https://icons.test/i.png", .mime_type = "image/png", .sizes = {"48x48"}, .theme = "dark"}};
  resource.cache = {.ttl_ms = 5000, .same_for_everyone = true};
  resource.read = [uri, text](RequestContext) { return give({{.uri = uri, .mime_type = "text/plain", .text = text}}); };
  return resource;
}

class ResourceMethods : public McpClient {
 protected:
  void SetUp() override {
    Offer offer;
    offer.tools = {};
    offer.resources = {text_resource("test://text", "text"), binary(), failing("test://gone", ErrorCode::not_found),
                       failing("test://slow", ErrorCode::timeout)};
    ResourceTemplate family{.uri_template = "test://things/{id}/data",
                            .name = "thing",
                            .title = "A thing",
                            .description = "For tests",
                            .mime_type = "application/json"};
    family.read = [this](RequestContext, std::string uri, UriVariables variables) {
      variables_ = variables;
      return give({{.uri = std::move(uri), .mime_type = "application/json", .text = "{}"}});
    };
    offer.resource_templates = {family};
    serve(std::move(offer));
  }

  static Resource binary() {
    Resource resource{
        .uri = "test://binary", .name = "binary", .title = "", .description = "", .mime_type = "image/png"};
    resource.read = [](RequestContext) {
      return give({{.uri = "test://binary", .mime_type = "image/png", .text = "", .bytes = std::string("\0\xFF", 2)}});
    };
    return resource;
  }

  static Resource failing(std::string uri, ErrorCode code) {
    Resource resource{.uri = std::move(uri), .name = "failing", .title = "", .description = "", .mime_type = ""};
    resource.read = [code](RequestContext) { return give_error(error_with(code)); };
    return resource;
  }

  static std::string uri_member(std::string_view uri) { return fmt::format(R"("uri":{})", json_string(uri)); }

  UriVariables variables_;
};

TEST_F(ResourceMethods, R1_TheListHoldsDirectResourcesWithWhatIsKnownOfThem) {
  const auto resources = result_of(modern("resources/list")).at("resources").as_array();
  ASSERT_EQ(resources.size(), 4u);
  EXPECT_EQ(json::serialize(resources[0]),
            R"({"uri":"test://text","name":"text","title":"A text","description":"For tests",)"
            R"("icons":[{"src":"https://icons.test/i.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}],)"
            R"("mimeType":"text/plain","annotations":{"audience":["user"],"priority":5E-1},"size":4})");
  EXPECT_EQ(json::serialize(resources[1]), R"({"uri":"test://binary","name":"binary","mimeType":"image/png"})");
}

TEST_F(ResourceMethods, D4_MembersNewerThanTheRevisionAreLeftOut) {
  struct Case {
    std::string_view version;
    bool title, icons;
  };
  constexpr Case cases[] = {{"2024-11-05", false, false},
                            {"2025-03-26", false, false},
                            {"2025-06-18", true, false},
                            {"2025-11-25", true, true}};
  for (const auto& [version, title, icons] : cases) {
    SCOPED_TRACE(version);
    initialize("{}", version);
    const auto result = result_of(legacy("resources/list"));
    EXPECT_FALSE(result.contains("ttlMs"));
    EXPECT_FALSE(result.contains("resultType"));
    const auto& first = result.at("resources").as_array().at(0).as_object();
    EXPECT_EQ(first.contains("title"), title);
    EXPECT_EQ(first.contains("icons"), icons);
  }
}

TEST_F(ResourceMethods, R2_ATextComesAsTextAndBytesAsBase64) {
  const auto text = result_of(modern("resources/read", uri_member("test://text")));
  EXPECT_EQ(json::serialize(text.at("contents")), R"([{"uri":"test://text","mimeType":"text/plain","text":"text"}])");
  const auto bytes = result_of(modern("resources/read", uri_member("test://binary")));
  EXPECT_EQ(json::serialize(bytes.at("contents")), R"([{"uri":"test://binary","mimeType":"image/png","blob":"AP8="}])");
}

TEST_F(ResourceMethods, R3_ATemplatesVariablesAreDecodedOnce) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"test://things/123/data", "123"},
      {"test://things/hello%20world/data", "hello world"},
      {"test://things/caf%C3%A9/data", "café"},
      {"test://things/100%2525/data", "100%25"},
  };
  for (const auto& [uri, id] : cases) {
    SCOPED_TRACE(uri);
    const auto result = result_of(modern("resources/read", uri_member(uri)));
    EXPECT_EQ(result.at("contents").at(0).at("uri").as_string(), uri);
    EXPECT_EQ(variables_, (UriVariables{{"id", std::string(id)}}));
  }
}

// R3: what leads elsewhere is as unknown as what does not exist.
TEST_F(ResourceMethods, R4_WhatIsNotThereIsToldByItsCodeAndAddressInBothEras) {
  const std::string_view unknown[] = {"test://nothing",
                                      "test://gone",
                                      "test://things/a/b/data",
                                      "test://things//data",
                                      "test://things/../data",
                                      "test://things/..%2F..%2Fetc%2Fpasswd/data",
                                      "test://things/%00/data",
                                      "test://things/%C0%AF/data",
                                      "",
                                      "file:///etc/passwd"};
  initialize();
  for (const auto uri : unknown) {
    SCOPED_TRACE(uri);
    const auto modern_error = error_of(modern("resources/read", uri_member(uri)));
    EXPECT_EQ(modern_error.at("code"), -32602);
    EXPECT_EQ(modern_error.at("data").at("uri").as_string(), uri);
    const auto legacy_error = error_of(legacy("resources/read", fmt::format("{{{}}}", uri_member(uri))));
    EXPECT_EQ(legacy_error.at("code"), -32002);
    EXPECT_EQ(legacy_error.at("data").at("uri").as_string(), uri);
  }
}

TEST_F(ResourceMethods, J3_AnAddressThatIsNoTextIsABadParameter) {
  for (const auto* members : {"", R"("uri":7)", R"("uri":null)", R"("uri":["test://text"])"}) {
    EXPECT_EQ(error_of(modern("resources/read", members)).at("code"), -32602) << members;
  }
}

TEST_F(ResourceMethods, J4_AFailureToReadHasACodeThatTheProtocolKnows) {
  const auto error = error_of(modern("resources/read", uri_member("test://slow")));
  EXPECT_EQ(error.at("code"), -32603);
  EXPECT_EQ(error.at("message"), "It is not to be had");
  EXPECT_EQ(error.at("data").at("hint"), "Take another");
}

TEST_F(ResourceMethods, R10_ListsAndReadsTellHowLongTheyMayBeKept) {
  for (const auto* method : {"resources/list", "resources/templates/list"}) {
    const auto list = result_of(modern(method));
    EXPECT_EQ(list.at("ttlMs"), 3'600'000) << method;
    EXPECT_EQ(list.at("cacheScope"), "public") << method;
  }
  const auto text = result_of(modern("resources/read", uri_member("test://text")));
  EXPECT_EQ(text.at("ttlMs"), 5000);
  EXPECT_EQ(text.at("cacheScope"), "public");
  const auto thing = result_of(modern("resources/read", uri_member("test://things/1/data")));
  EXPECT_EQ(thing.at("ttlMs"), 0);
  EXPECT_EQ(thing.at("cacheScope"), "private");
}

TEST_F(ResourceMethods, R1_TemplatesHaveAListOfTheirOwn) {
  const auto templates = result_of(modern("resources/templates/list")).at("resourceTemplates").as_array();
  ASSERT_EQ(templates.size(), 1u);
  EXPECT_EQ(json::serialize(templates[0]),
            R"({"uriTemplate":"test://things/{id}/data","name":"thing","title":"A thing",)"
            R"("description":"For tests","mimeType":"application/json"})");
}

// The members of a template are the caller's own: the list is made anew for each request.
TEST_F(ResourceMethods, R10_AListWithMembersOfATemplateIsPrivateAndNotKept) {
  Offer offer;
  ResourceTemplate family{
      .uri_template = "test://mine/{id}", .name = "mine", .title = "", .description = "", .mime_type = "text/plain"};
  int made = 0;
  family.list = [&made](RequestContext) {
    return std::vector<Resource>{text_resource(fmt::format("test://mine/{}", ++made), "")};
  };
  family.read = [](RequestContext, std::string uri, UriVariables) {
    return give({{.uri = std::move(uri), .mime_type = "text/plain", .text = "mine"}});
  };
  offer.resource_templates = {family};
  serve(std::move(offer));
  for (const auto* uri : {"test://mine/1", "test://mine/2"}) {
    const auto list = result_of(modern("resources/list"));
    EXPECT_EQ(list.at("resources").at(0).at("uri").as_string(), uri);
    EXPECT_EQ(list.at("ttlMs"), 0);
    EXPECT_EQ(list.at("cacheScope"), "private");
    EXPECT_EQ(result_of(modern("resources/read", uri_member(uri))).at("contents").at(0).at("text"), "mine")
        << "T14: what is listed can be read";
  }
}

TEST_F(ResourceMethods, D3_WithoutResourcesTheMethodsAreUnknownAndNothingIsDeclared) {
  serve(Offer());
  for (const auto* method :
       {"resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get",
        "completion/complete", "tools/list", "tools/call", "subscriptions/listen"}) {
    EXPECT_EQ(error_of(modern(method)).at("code"), -32601) << method;
  }
  EXPECT_TRUE(result_of(modern("server/discover")).at("capabilities").as_object().empty());
}

}  // namespace
}  // namespace adit::mcp
