#include "adit/mcp/json_schema.h"

#include "adit/base/json_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace adit::mcp {
namespace json = boost::json;
namespace {

json::value parse(std::string_view text) { return json::parse({text.data(), text.size()}); }

// Most schemas below are about one field, so that its name can be looked for in the message.
json::object with_field(std::string_view schema) {
  return {{"type", "object"}, {"properties", json::object{{"field", parse(schema)}}}, {"additionalProperties", false}};
}

Result<void> validate_field(std::string_view value, std::string_view schema) {
  return validate(json::object{{"field", parse(value)}}, with_field(schema));
}

struct Fit {
  std::string_view schema, value;
};

struct Misfit {
  std::string_view schema, value, message;
};

void expect_misfit(const Result<void>& result, std::string_view message) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::invalid_params);
  EXPECT_EQ(result.error().reason, "invalid_arguments");
  EXPECT_EQ(result.error().message, message);
  EXPECT_EQ(result.error().stage, "input");
  EXPECT_FALSE(result.error().hint.empty());
  EXPECT_FALSE(result.error().retryable);
}

// ---- One keyword at a time

TEST(JsonSchema, TakesWhatFitsEachKeyword) {
  constexpr Fit cases[] = {
      {"{}", "null"},
      {"{}", "[1,{}]"},
      {R"({"type":"string"})", R"("")"},
      {R"({"type":"integer"})", "0"},
      {R"({"type":"integer"})", "-5"},
      {R"({"type":"integer"})", "18446744073709551615"},
      {R"({"type":"integer"})", "3.0"},
      {R"({"type":"integer"})", "1e3"},
      {R"({"type":"number"})", "1"},
      {R"({"type":"number"})", "-1.5"},
      {R"({"type":"number"})", "18446744073709551615"},
      {R"({"type":"boolean"})", "true"},
      {R"({"type":"boolean"})", "false"},
      {R"({"type":"null"})", "null"},
      {R"({"type":"array"})", "[]"},
      {R"({"type":"object"})", "{}"},
      {R"({"type":["integer","null"]})", "null"},
      {R"({"type":["integer","null"]})", "7"},
      {R"({"enum":["a","b",1,null,[1]]})", R"("b")"},
      {R"({"enum":["a","b",1,null,[1]]})", "1"},
      {R"({"enum":["a","b",1,null,[1]]})", "null"},
      {R"({"enum":["a","b",1,null,[1]]})", "[1]"},
      {R"({"const":{"a":1,"b":2}})", R"({"b":2,"a":1})"},
      {R"({"minLength":2})", R"("ab")"},
      {R"({"pattern":"^[a-z]{2}$"})", R"("ab")"},
      {R"({"pattern":"[0-9]"})", R"("a1b")"},
      {R"({"pattern":"^x$"})", "1"},
      {R"({"maxLength":2})", R"("ab")"},
      {R"({"maxLength":2})", R"("€😀")"},
      {R"({"maxLength":0})", R"("")"},
      {R"({"minimum":5})", "5"},
      {R"({"minimum":5})", "5.5"},
      {R"({"maximum":5})", "5"},
      {R"({"maximum":5})", "-1e300"},
      {R"({"minimum":-0.5,"maximum":0.5})", "0"},
      {R"({"minItems":1})", "[0]"},
      {R"({"maxItems":1})", "[0]"},
      {R"({"maxItems":0})", "[]"},
      {R"({"items":{"type":"string"}})", R"(["a","b"])"},
      {R"({"items":{"type":"string"}})", "[]"},
      {R"({"anyOf":[{"type":"string"},{"type":"integer"}]})", "1"},
      {R"({"anyOf":[{"type":"string"},{"type":"integer"}]})", R"("a")"},
      {R"({"required":["a"]})", R"({"a":null})"},
      {R"({"properties":{"a":{"type":"string"}}})", R"({"b":1})"},
      {R"({"properties":{"a":{"type":"string"}},"additionalProperties":{}})", R"({"b":1})"},
      {R"({"properties":{"a":{"type":"string"}},"additionalProperties":true})", R"({"b":1})"},
      {R"({"properties":{"a":{"type":"string"}},"additionalProperties":{"type":"integer"}})", R"({"a":"x","b":1})"},
      {R"({"properties":{"a":{"type":"string"}},"additionalProperties":false})", "{}"},
      // A keyword says nothing about values of other types.
      {R"({"minLength":5,"maxLength":0,"minItems":5,"maxItems":0,"minimum":5,"maximum":0})", "null"},
      {R"({"minLength":5,"minItems":5})", "1"},
      {R"({"minimum":5,"minItems":5})", R"("a")"},
      {R"({"minLength":5,"minimum":5})", "[]"},
      {R"({"required":["a"],"properties":{"b":{}},"additionalProperties":false})", "[]"},
      {R"({"items":{"type":"string"}})", "1"},
      // Annotations constrain nothing.
      {R"({"title":"t","description":"d","default":1,"examples":[2],"format":"date","$schema":"s"})", R"("x")"},
  };
  for (const auto& [schema, value] : cases) {
    SCOPED_TRACE(fmt::format("{} {}", schema, value));
    const auto result = validate_field(value, schema);
    EXPECT_TRUE(result.ok()) << result.error().message;
  }
}

// T8: the field, the value and the rule are named.
TEST(JsonSchema, T8_TheMessageNamesFieldValueAndRule) {
  constexpr Misfit cases[] = {
      {R"({"type":"string"})", "5", "field is 5; string is wanted"},
      {R"({"type":"string"})", "null", "field is null; string is wanted"},
      {R"({"type":"string"})", R"(["a"])", R"(field is ["a"]; string is wanted)"},
      {R"({"type":"integer"})", R"("5")", R"(field is "5"; integer is wanted)"},
      {R"({"type":"integer"})", "1.5", "field is 1.5E0; integer is wanted"},
      {R"({"type":"integer"})", "true", "field is true; integer is wanted"},
      {R"({"type":"number"})", R"("1")", R"(field is "1"; number is wanted)"},
      {R"({"type":"boolean"})", R"("true")", R"(field is "true"; boolean is wanted)"},
      {R"({"type":"boolean"})", "0", "field is 0; boolean is wanted"},
      {R"({"type":"null"})", "0", "field is 0; null is wanted"},
      {R"({"type":"array"})", R"("[1]")", R"(field is "[1]"; array is wanted)"},
      {R"({"type":"array"})", "{}", "field is {}; array is wanted"},
      {R"({"type":"object"})", "[]", "field is []; object is wanted"},
      {R"({"type":["integer","null"]})", R"("x")", R"(field is "x"; integer or null is wanted)"},
      {R"({"enum":["csv","parquet"]})", R"("json")", R"(field is "json"; one of "csv", "parquet" is wanted)"},
      {R"({"enum":["1",2]})", "1", R"(field is 1; one of "1", 2 is wanted)"},
      {R"({"enum":["csv"]})", R"("CSV")", R"(field is "CSV"; one of "csv" is wanted)"},
      {R"({"const":"a"})", R"("b")", R"(field is "b"; "a" is wanted)"},
      {R"({"const":false})", "0", "field is 0; false is wanted"},
      {R"({"minLength":1})", R"("")", "field has 0 characters; at least 1 is allowed"},
      {R"({"pattern":"^[a-z]{2}$"})", R"("abc")", "field is \"abc\", which has not the form ^[a-z]{2}$"},
      {R"({"pattern":"^[a-z]{2}$"})", R"("a\nb")", "field is \"a\\nb\", which has not the form ^[a-z]{2}$"},
      {R"({"minLength":3})", R"("€😀")", "field has 2 characters; at least 3 is allowed"},
      {R"({"maxLength":2})", R"("abc")", "field has 3 characters; at most 2 is allowed"},
      {R"({"maxLength":1})", R"("€😀")", "field has 2 characters; at most 1 is allowed"},
      {R"({"minimum":1})", "0", "field is 0; at least 1 is allowed"},
      {R"({"minimum":0})", "-1", "field is -1; at least 0 is allowed"},
      {R"({"minimum":0})", "-0.5", "field is -0.5; at least 0 is allowed"},
      {R"({"maximum":1000})", "1001", "field is 1001; at most 1000 is allowed"},
      {R"({"maximum":99999})", "123456789", "field is 123456789; at most 99999 is allowed"},
      {R"({"minItems":1})", "[]", "field has 0 entries; at least 1 is allowed"},
      {R"({"maxItems":2})", "[1,2,3]", "field has 3 entries; at most 2 is allowed"},
      {R"({"items":{"type":"string"}})", R"(["a",2,"c"])", "field[1] is 2; string is wanted"},
      {R"({"items":{"items":{"type":"string"}}})", R"([[],["a",2]])", "field[1][1] is 2; string is wanted"},
      {R"({"items":{"minLength":1}})", R"(["a",""])", "field[1] has 0 characters; at least 1 is allowed"},
      {R"({"required":["a"]})", R"({"b":1})", "field.a is required"},
      {R"({"required":["b","a"]})", R"({"b":1})", "field.a is required"},
      {R"({"properties":{"a":{"type":"string"}}})", R"({"a":1})", "field.a is 1; string is wanted"},
      {R"({"additionalProperties":{"type":"string"}})", R"({"a":1})", "field.a is 1; string is wanted"},
      {R"({"items":{"properties":{"path":{"type":"string"}},"required":["path"]}})", R"([{"path":"x"},{}])",
       "field[1].path is required"},
      {R"({"anyOf":[{"type":"string"},{"type":"integer"}]})", "1.5", "field is 1.5E0; integer is wanted"},
      // What is said first: the type before the range, the range before nothing.
      {R"({"type":"integer","minimum":1})", R"("x")", R"(field is "x"; integer is wanted)"},
      {R"({"type":"integer","minimum":1})", "0", "field is 0; at least 1 is allowed"},
  };
  for (const auto& [schema, value, message] : cases) {
    SCOPED_TRACE(fmt::format("{} {}", schema, value));
    expect_misfit(validate_field(value, schema), message);
  }
}

TEST(JsonSchema, TheRootIsCalledArguments) {
  expect_misfit(validate(parse("[]"), with_field("{}")), "arguments is []; object is wanted");
  expect_misfit(validate(parse("\"{}\""), with_field("{}")), R"(arguments is "{}"; object is wanted)");
  expect_misfit(validate(parse("{}"), parse(R"({"required":["sql"]})").as_object()), "sql is required");
}

// ---- Unknown fields

TEST(JsonSchema, T8_AnUnknownFieldIsToldWithTheNearestKnownName) {
  struct Case {
    std::string_view name;
    std::vector<std::string> nearest;
    std::string_view hint;
  };
  const auto schema =
      parse(R"({"type":"object","properties":{"sql":{},"limit":{},"offset":{}},"additionalProperties":false})")
          .as_object();
  const Case cases[] = {
      {"limt", {"limit"}, "Did you mean limit? Known: sql, limit, offset."},
      {"LIMIT", {"limit"}, "Did you mean limit? Known: sql, limit, offset."},
      {"ofset", {"offset"}, "Did you mean offset? Known: sql, limit, offset."},
      {"sqls", {"sql"}, "Did you mean sql? Known: sql, limit, offset."},
      {"temperature", {}, "Known: sql, limit, offset."},
  };
  for (const auto& [name, nearest, hint] : cases) {
    SCOPED_TRACE(name);
    const auto result = validate(json::object{{name, 1}}, schema);
    expect_misfit(result, fmt::format("{} is not known here", name));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().nearest, nearest);
    EXPECT_EQ(result.error().hint, hint);
  }
}

TEST(JsonSchema, AnUnknownFieldBelowNamesItsPathAndTheNamesKnownThere) {
  const auto schema = parse(R"({"properties":{"sources":{"items":{"properties":{"path":{},"name":{}},
                                "additionalProperties":false}}}})")
                          .as_object();
  const auto result = validate(parse(R"({"sources":[{"path":1},{"paht":1}]})"), schema);
  expect_misfit(result, "sources[1].paht is not known here");
  EXPECT_EQ(result.error().nearest, std::vector<std::string>{"path"});
  EXPECT_EQ(result.error().hint, "Did you mean path? Known: path, name.");
}

TEST(JsonSchema, AValueNextToOneOfTheChoicesIsToldTheChoice) {
  const auto result = validate_field(R"("parqet")", R"({"enum":["csv","parquet",1]})");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().nearest, std::vector<std::string>{"parquet"});
  EXPECT_TRUE(validate_field("7", R"({"enum":["csv",1]})").error().nearest.empty());
}

TEST(JsonSchema, T8_ALongValueIsShortenedBetweenCharacters) {
  for (const std::string character : {"x", "é", "€", "😀"}) {
    for (std::size_t shift = 0; shift < 4; ++shift) {
      std::string text(shift, '.');
      while (text.size() < 100'000) text += character;
      const auto result = validate(json::object{{"field", json::string(text)}}, with_field(R"({"type":"integer"})"));
      ASSERT_FALSE(result.ok());
      const auto& message = result.error().message;
      EXPECT_LT(message.size(), 150u);
      EXPECT_TRUE(is_valid_utf8(message));
      EXPECT_TRUE(message.starts_with("field is \"" + std::string(shift, '.') + character)) << message;
      EXPECT_TRUE(message.ends_with("…; integer is wanted")) << message;
    }
  }
}

TEST(JsonSchema, T8_ALongNameOfAnUnknownFieldIsShortened) {
  std::string name;
  while (name.size() < 100'000) name += "é";
  const auto result = validate(json::object{{name, 1}}, with_field("{}"));
  ASSERT_FALSE(result.ok());
  EXPECT_LT(result.error().message.size(), 150u);
  EXPECT_TRUE(is_valid_utf8(result.error().message));
}

TEST(JsonSchema, NumbersAreEqualByValueNotBySpelling) {
  // JSON Schema core 2020-12, 4.2.2: 1 and 1.0 are the same number.
  EXPECT_TRUE(validate_field("1.0", R"({"const":1})").ok());
  EXPECT_TRUE(validate_field("1", R"({"enum":[1.0,2.0]})").ok());
  EXPECT_FALSE(validate_field("1.5", R"({"const":1})").ok());
}

// ---- Schemas that use what is not implemented

TEST(UnsupportedKeyword, EveryKeywordThatIsUsedIsKnown) {
  const auto schema = parse(R"({"$schema":"s","title":"t","description":"d","default":{},"examples":[],"format":"f",
      "type":"object","enum":[],"const":{},"required":[],"additionalProperties":{"type":"string"},
      "minItems":1,"maxItems":1,"minLength":1,"maxLength":1,"minimum":1,"maximum":1,
      "properties":{"patternProperties":{"items":{"type":"string"}},"not":{"additionalProperties":false}},
      "anyOf":[{"required":["x"]}]})")
                          .as_object();
  EXPECT_EQ(unsupported_keyword(schema), std::nullopt) << "names of properties are no keywords";
}

TEST(UnsupportedKeyword, TrueAndFalseAreSchemas) {
  EXPECT_EQ(unsupported_keyword(
                parse(R"({"properties":{"a":true,"b":false},"items":true,"additionalProperties":true,"anyOf":[false]})")
                    .as_object()),
            std::nullopt);
}

TEST(Validate, EverythingFitsTrueAndNothingFitsFalse) {
  struct Case {
    std::string_view schema, instance;
    bool fits;
  };
  constexpr Case cases[] = {
      {R"({"properties":{"a":true}})", R"({"a":[1,{}]})", true},
      {R"({"properties":{"a":false}})", R"({"a":null})", false},
      {R"({"properties":{"a":false}})", R"({"b":1})", true},
      {R"({"items":true})", "[1,null]", true},
      {R"({"items":false})", "[1]", false},
      {R"({"items":false})", "[]", true},
      {R"({"anyOf":[false,true]})", "1", true},
      {R"({"anyOf":[false]})", "1", false},
  };
  for (const auto& [schema, instance, fits] : cases) {
    SCOPED_TRACE(schema);
    EXPECT_EQ(validate(parse(instance), parse(schema).as_object()).ok(), fits) << instance;
  }
}

TEST(UnsupportedKeyword, TheFirstUnknownOneIsToldByItsPath) {
  struct Case {
    std::string_view schema, path;
  };
  constexpr Case cases[] = {
      {R"({"patternProperties":"x"})", "patternProperties"},
      {R"({"type":"object","oneOf":[]})", "oneOf"},
      {R"({"not":{}})", "not"},
      {R"({"$ref":"#"})", "$ref"},
      {R"({"minimun":1})", "minimun"},
      {R"({"exclusiveMinimum":1})", "exclusiveMinimum"},
      {R"({"properties":{"a":{},"b":{"patternProperties":"x"}}})", "properties/b/patternProperties"},
      {R"({"items":{"uniqueItems":true}})", "items/uniqueItems"},
      {R"({"additionalProperties":{"multipleOf":2}})", "additionalProperties/multipleOf"},
      {R"({"anyOf":[{"type":"string"},{"allOf":[]}]})", "anyOf/allOf"},
      {R"({"properties":{"a":{"items":{"properties":{"b":{"if":{}}}}}}})", "properties/a/items/properties/b/if"},
      {R"({"properties":{"a":true,"b":7}})", "properties/b"},
      {R"({"items":"string"})", "items"},
      {R"({"additionalProperties":null})", "additionalProperties"},
      {R"({"anyOf":[true,[]]})", "anyOf"},
  };
  for (const auto& [schema, path] : cases) {
    SCOPED_TRACE(schema);
    EXPECT_EQ(unsupported_keyword(parse(schema).as_object()), path);
  }
}

}  // namespace
}  // namespace adit::mcp
