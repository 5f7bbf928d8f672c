// The walk over foreign JSON against Boost.JSON: what it passes is the same text on one line, parses and walks to
// itself; what it refuses the other one refuses, too.
#include "adit/base/json_text.h"
#include "fuzz/require.h"

#include <boost/json.hpp>

#include <cstdint>

namespace adit {
namespace json = boost::json;
namespace {

struct Parsed {
  json::value value;
  json::error_code error;
};

Parsed parse(std::string_view text) {
  json::parse_options options;
  options.max_depth = 2000;
  Parsed parsed;
  parsed.value = json::parse({text.data(), text.size()}, parsed.error, {}, options);
  return parsed;
}

// Numbers that JSON's grammar allows and no double holds.
bool is_range(const json::error_code& error) { return error == json::error::exponent_overflow; }

// REQUIRES: valid JSON
std::string without_space(std::string_view text) {
  std::string out;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!in_string && std::string_view(" \t\r\n").find(text[i]) != std::string_view::npos) continue;
    out += text[i];
    if (in_string && text[i] == '\\') out += text[++i];
    else if (text[i] == '"') in_string = !in_string;
  }
  return out;
}

void check(std::string_view text, BigIntegers big_integers) {
  const JsonWalkLimits limits{.depth = 128, .bytes = 1 << 20, .big_integers = big_integers};
  std::string out = "before";
  const auto kind = append_checked_json(out, text, limits);
  const auto parsed = parse(text);
  if (!kind.ok()) {
    FUZZ_REQUIRE(out == "before");
    FUZZ_REQUIRE(!kind.error().message.empty() && is_valid_utf8(kind.error().message));
    const bool too_deep = kind.error().message.find("nested") != std::string::npos;
    FUZZ_REQUIRE(parsed.error || too_deep || text.size() > limits.bytes);
    return;
  }
  out.erase(0, 6);
  FUZZ_REQUIRE(out.find_first_of("\r\n") == std::string::npos);
  FUZZ_REQUIRE(out.size() <= text.size() + 2 * text.size());
  const auto walked = parse(out);
  FUZZ_REQUIRE(!walked.error || is_range(walked.error));
  FUZZ_REQUIRE(!parsed.error || is_range(parsed.error));
  if (big_integers == BigIntegers::keep) FUZZ_REQUIRE(out == without_space(text));
  std::string again;
  const auto second = append_checked_json(again, out, limits);
  FUZZ_REQUIRE(second.ok() && again == out);
}

void check_strings(std::string_view text) {
  const auto valid = to_valid_utf8(text);
  FUZZ_REQUIRE(is_valid_utf8(valid) && (valid == text) == is_valid_utf8(text));
  const auto printed = json_string(valid);
  FUZZ_REQUIRE(printed.size() == json_string_size(valid));
  const auto parsed = parse(printed);
  FUZZ_REQUIRE(!parsed.error && std::string_view(parsed.value.get_string()) == valid);
  const auto prefix = utf8_prefix(valid, valid.size() / 2);
  FUZZ_REQUIRE(is_valid_utf8(prefix) && prefix.size() <= valid.size() / 2);
}

}  // namespace
}  // namespace adit

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  adit::check(text, adit::BigIntegers::keep);
  adit::check(text, adit::BigIntegers::quote);
  adit::check_strings(text);
  return 0;
}
