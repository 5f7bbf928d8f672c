// Strings of DEX files: any bytes give valid UTF-8 of the length told, and reading stays inside the span.
#include "adit/dex/mutf8.h"
#include "fuzz/require.h"

#include "adit/base/json_text.h"

#include <cstdint>

namespace {

// A character of four bytes has two units of UTF-16, every other one unit.
std::size_t units_of(std::string_view utf8) {
  std::size_t units = 0;
  for (const char c : utf8) {
    const auto byte = static_cast<unsigned char>(c);
    units += byte >= 0xF0 ? 2 : (byte & 0xC0) != 0x80 ? 1 : 0;
  }
  return units;
}

void check_text(const adit::dex::Mutf8Text& text) {
  FUZZ_REQUIRE(adit::is_valid_utf8(text.text));
  FUZZ_REQUIRE(text.utf16_length == units_of(text.text));
  FUZZ_REQUIRE(text.lone_surrogates + text.damaged_parts <= text.utf16_length);
  FUZZ_REQUIRE(!text.ascii || (text.well_formed() && text.utf16_length == text.text.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  check_text(adit::dex::decode_mutf8(bytes));
  const auto item = adit::dex::read_string_data(bytes);
  if (!item.ok()) {
    FUZZ_REQUIRE(item.error().position && *item.error().position >= 0);
    FUZZ_REQUIRE(static_cast<std::size_t>(*item.error().position) <= size);
    return 0;
  }
  check_text(item->value);
  FUZZ_REQUIRE(item->text_offset + item->text_bytes < size);
  FUZZ_REQUIRE(data[item->text_offset + item->text_bytes] == 0);
  FUZZ_REQUIRE(adit::dex::decode_mutf8(bytes.subspan(item->text_offset, item->text_bytes)).text == item->value.text);
  return 0;
}
