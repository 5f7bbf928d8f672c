// Files made to break a reader, opened through the real worker: each is answered in time, with a dataset or with an
// error that a client can act upon, and the server is none the worse for it (design 8).
#include "support/dataset_calls.h"
#include "support/gzip.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>

namespace adit::test {
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

// Far more than any of these small files needs. A call that takes longer is cancelled, so that the test ends.
constexpr auto kAnswerTime = 30s;

struct HostileFile {
  std::string name;
  std::string bytes;
};

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

std::string utf16(std::string_view text, bool big_endian) {
  std::string bytes = big_endian ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : text) bytes += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
  return bytes;
}

// gzip that does what it is made for: a thousandth of the bytes.
std::string deflated(const std::string& bytes) {
  z_stream stream{};
  ::deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(::deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

std::vector<HostileFile> hostile_csv_files() {
  return {
      {"nul_bytes.csv", "a,b\n1,x\0y\n\0,z\n"s},
      {"nul_in_header.csv", "a\0b,c\n1,2\n"s},
      {"only_nul.csv", std::string(1000, '\0')},
      {"invalid_utf8.csv", "a,b\n1,\xFF\xFE\n2,\xC3\n3,ok\n"},
      {"invalid_utf8_header.csv", "\xFF\xFE\xFA,b\n1,2\n"},
      {"overlong_utf8.csv", "a\n\xC0\x80\n\xED\xA0\x80\n\xF4\x90\x80\x80\n"},
      {"latin1.csv", "name\ncaf\xE9\n"},
      {"utf8_bom_only.csv", "\xEF\xBB\xBF"},
      {"two_boms.csv",
       "\xEF\xBB\xBF\xEF\xBB\xBF"
       "a,b\n1,2\n"},
      {"utf16_little.csv", utf16("a,b\n1,2\n", false)},
      {"utf16_big.csv", utf16("a,b\n1,2\n", true)},
      {"utf16_quote.csv", utf16("a',b\n1,'2\n", false)},
      {"utf32.csv", "\xFF\xFE\0\0a\0\0\0,\0\0\0b\0\0\0\n\0\0\0"s},
      {"unclosed_quote.csv", "a,b\n1,\"x\n2,y\n3,z\n"},
      {"unclosed_quote_long.csv", "a,b\n1,\"" + repeated("x,y\n", 50000)},
      {"quote_in_the_middle.csv", "a,b\n1,x\"y\"z\n2,\"x\"y\n"},
      {"only_quotes.csv", repeated("\"", 10001)},
      {"only_separators.csv", repeated(",", 3000)},
      {"only_line_ends.csv", repeated("\n", 3000) + repeated("\r", 3000) + repeated("\r\n", 3000)},
      {"one_byte.csv", "x"},
      {"one_line_end.csv", "\n"},
      {"only_spaces.csv", std::string(5000, ' ')},
      {"long_field.csv", "a,b\n1," + std::string(1 << 20, 'x') + "\n"},
      {"long_field_4_mb.csv", "a,b\n1," + std::string(4 << 20, 'x') + "\n2,y\n"},
      {"long_header.csv", std::string(1 << 20, 'h') + ",b\n1,2\n"},
      {"long_line_of_numbers.csv", "a\n" + std::string(1 << 20, '9') + "\n"},
      {"many_columns.csv", repeated("x,", 9999) + "x\n" + repeated("y,", 9999) + "y\n"},
      {"many_empty_columns.csv", "a,b\n" + std::string(100000, ',') + "\n1,2\n"},
      {"growing_lines.csv",
       [] {
         std::string text = "a\n";
         for (int i = 0; i < 200; ++i) text += repeated("1,", i) + "1\n";
         return text;
       }()},
      {"control_characters.csv", "a,b\n\x01\x02\x03,\x1B[31mred\x1B[0m\n\x7F,\x08\n"},
      {"escape_in_header.csv", "\x1B[31mred\x1B[0m,\x07\n1,2\n"},
      {"sql_in_header.csv", "\"a\"\"; DROP TABLE x; --\",'b'); SELECT 1; --\n1,2\n"},
      {R"(qu'o"te [1] *?{a,b} %41 $(x) -- ;.csv)", "a\n1\n"},
      {"line_of_50_mb.csv", "a,b\n1," + std::string(50 << 20, 'x') + "\n2,y\n"},
      {"line_of_70_mb.csv", "a,b\n1," + std::string(70 << 20, 'x') + "\n2,y\n"},
      {"columns_100000.csv", repeated("x,", 99999) + "x\n" + repeated("1,", 99999) + "1\n"},
      {"mixed_line_ends.csv", "a,b\r\n1,x\n2,y\r3,\"z\r\nz\"\n"},
      {"sql_in_values.csv", "a\n'); DROP TABLE x; --\n"},
      {"formula.csv", "a\n=cmd|'/c calc'!A1\n@SUM(1)\n"},
      {"huge_numbers.csv",
       "x\n1e99999\n-1e99999\n1e-99999\n" + std::string(400, '9') + "\n0x" + std::string(40, 'F') + "\n"},
      {"odd_numbers.csv", "x\nNaN\nInfinity\n-0\n+0\n.\n-\n1e\n1.2.3\n"},
      {"odd_dates.csv", "d\n0000-00-00\n9999-99-99\n294247-01-10\n-5000-01-01\n"},
      {"mixed_types.csv", "a,b\n1,2024-01-01\nx,true\n1.5,\n,12:00\n"},
      {"separators_of_all_kinds.csv", "a,b;c|d\te\n1;2,3\n4|5\t6\n"},
      {"binary.csv",
       [] {
         std::string bytes;
         std::uint32_t state = 1;
         for (int i = 0; i < 20000; ++i) bytes += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
         return bytes;
       }()},
      {"elf.csv",
       "\x7F"
       "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0\x01\0\0\0"s},
      {"nul.tsv", "a\tb\n1\t\0\n"s},
      {"no_tabs.tsv", "a,b\n1,2\n"},
      {"quotes.tsv", "a\tb\n\"1\t2\n"},
      {"no_gzip.csv.gz", "a,b\n1,2\n"},
      {"cut_gzip.csv.gz", gzip_of(repeated("a,b\n", 5000)).substr(0, 9000)},
      {"empty.csv.gz", ""},
      {"bomb_of_zeros.csv.gz", deflated(std::string(200 << 20, '\0'))},
      {"gzip_of_nothing.csv.gz", gzip_of("")},
      {"gzip_with_wrong_checksum.csv.gz",
       [] {
         auto bytes = gzip_of("a,b\n1,2\n");
         bytes[bytes.size() - 6] ^= 0x55;
         return bytes;
       }()},
  };
}

std::vector<HostileFile> hostile_json_files() {
  return {
      {"deep_arrays.json", repeated("[", 10000) + repeated("]", 10000)},
      {"deep_unclosed.json", repeated("[", 100000)},
      {"deep.ndjson", "{\"a\":1}\n" + repeated("{\"a\":", 10000) + "1" + repeated("}", 10000) + "\n{\"a\":2}\n"},
      {"deep_unclosed.ndjson", "{\"a\":1}\n" + repeated("[", 100000) + "\n"},
      {"lone_surrogates.json", R"([{"a":"\ud800"},{"a":"\udc00x"},{"\ud800":1}])"},
      {"lone_surrogates.ndjson", "{\"a\":\"\\ud800\"}\n{\"a\":\"fine\"}\n"},
      {"escaped_nul.json", R"([{"a\u0000b":"c\u0000d"}])"},
      {"raw_nul.json", "[{\"a\":\"x\0y\"}]"s},
      {"huge_numbers.json", R"([{"x":1e99999},{"x":-1e99999},{"x":1e-99999},{"x":)" + std::string(400, '9') + "}]"},
      {"huge_numbers.ndjson", "{\"x\":1e99999}\n{\"x\":" + std::string(5000, '1') + "}\n"},
      {"odd_numbers.json", R"([{"x":01},{"x":+1},{"x":.5},{"x":1.},{"x":NaN},{"x":0x10}])"},
      {"duplicate_keys.json", R"([{"a":1,"a":2,"A":3,"a":"x"}])"},
      {"duplicate_keys.ndjson", "{\"a\":1,\"a\":2}\n{\"a\":3}\n"},
      {"empty_key.json", R"([{"":1," ":2,"\t":3}])"},
      {"mixed_types.json", R"([{"a":1},{"a":"x"},{"a":[1]},{"a":{"b":1}},{"a":null},{"a":true}])"},
      {"mixed_values.json", R"([1,"x",null,{"a":1},[1,[2]],true])"},
      {"single_quotes.json", "[{'a':1}]"},
      {"comments.json", "[/* x */ {\"a\":1}, // y\n]"},
      {"trailing_comma.json", "[{\"a\":1},]"},
      {"trailing_text.json", "[{\"a\":1}] and more"},
      {"two_arrays.json", "[{\"a\":1}][{\"a\":2}]"},
      {"cut.json", R"([{"a":1},{"a":)"},
      {"cut_in_text.json", R"([{"a":"x)"},
      {"cut_in_escape.json", R"([{"a":"\u12)"},
      {"cut_in_utf8.json", "[{\"a\":\"\xE2\x82"},
      {"invalid_utf8.json", "[{\"a\":\"\xFF\xFE\xC3\"}]"},
      {"invalid_utf8.ndjson", "{\"a\":\"\xFF\"}\n{\"a\":\"fine\"}\n"},
      {"control_characters.json", "[{\"a\":\"\x01\x1B[31m\"}]"},
      {"utf16.json", utf16("[{\"a\":1}]", false)},
      {"utf16.ndjson", utf16("{\"a\":1}\n{\"a\":2}\n", true)},
      {"only_bom.json", "\xEF\xBB\xBF"},
      {"only_spaces.json", std::string(5000, ' ')},
      {"only_line_ends.ndjson", repeated("\r\n", 5000)},
      {"many_keys.json",
       [] {
         std::string text = "[{";
         for (int i = 0; i < 10000; ++i) text += fmt::format("{}\"k{}\":{}", i == 0 ? "" : ",", i, i);
         return text + "}]";
       }()},
      {"new_key_each_line.ndjson",
       [] {
         std::string text;
         for (int i = 0; i < 3000; ++i) text += fmt::format("{{\"k{}\":{}}}\n", i, i);
         return text;
       }()},
      {"long_text.json", "[{\"a\":\"" + std::string(2 << 20, 'x') + "\"}]"},
      {"long_key.ndjson", "{\"" + std::string(1 << 20, 'k') + "\":1}\n"},
      {"long_line.ndjson", "{\"a\":1}\n{\"a\":\"" + std::string(4 << 20, 'x') + "\"}\n{\"a\":3}\n"},
      {"no_line_end.ndjson", "{\"a\":1}{\"a\":2}"},
      {"array.ndjson", "[{\"a\":1},{\"a\":2}]\n"},
      {"csv.json", "a,b\n1,2\n"},
      {"csv.ndjson", "a,b\n1,2\n"},
      {"html.json", "<!DOCTYPE html><html><body>404</body></html>"},
      {"no_gzip.json.gz", "[{\"a\":1}]"},
      {"bomb_of_zeros.ndjson.gz", deflated(std::string(200 << 20, '\0'))},
      {"bomb_of_spaces.json.gz", deflated(std::string(200 << 20, ' ') + "[{\"a\":1}]")},
      {"bomb_of_brackets.json.gz", deflated(std::string(200 << 20, '['))},
      {"line_of_70_mb.ndjson", "{\"a\":1}\n{\"a\":\"" + std::string(70 << 20, 'x') + "\"}\n"},
      {"cut_gzip.ndjson.gz", gzip_of(repeated("{\"a\":1}\n", 5000)).substr(0, 9001)},
  };
}

// Damages of one valid file: its header, its pages, its metadata, the length of these, its end.
std::vector<HostileFile> hostile_parquet_files(const std::string& good) {
  const auto size = good.size();
  const auto byte_at = [&](std::size_t back) {
    return static_cast<std::size_t>(static_cast<unsigned char>(good[size - back]));
  };
  const auto metadata_size = byte_at(8) | byte_at(7) << 8 | byte_at(6) << 16 | byte_at(5) << 24;
  const auto metadata = size - 8 - metadata_size;
  const auto with = [&](std::size_t at, std::string_view bytes) {
    return good.substr(0, at).append(bytes).append(good.substr(std::min(size, at + bytes.size())));
  };
  const auto flipped = [&](std::size_t at, char mask) {
    auto bytes = good;
    bytes[at] ^= mask;
    return bytes;
  };
  std::vector<HostileFile> files{
      {"magic_only.parquet", "PAR1"},
      {"two_magics.parquet", "PAR1PAR1"},
      {"magics_and_length.parquet", "PAR1\0\0\0\0PAR1"s},
      {"empty.parquet", ""},
      {"text.parquet", "a,b\n1,2\n3,4\n5,6\n"},
      {"encrypted_magic.parquet", with(size - 4, "PARE")},
      {"no_magic_in_front.parquet", with(0, "XXXX")},
      {"no_magic_behind.parquet", with(size - 4, "XXXX")},
      {"length_zero.parquet", with(size - 8, "\0\0\0\0"s)},
      {"length_one.parquet", with(size - 8, "\1\0\0\0"s)},
      {"length_of_the_file.parquet",
       with(size - 8, std::string{static_cast<char>(size & 0xFF), static_cast<char>(size >> 8 & 0xFF),
                                  static_cast<char>(size >> 16 & 0xFF), '\0'})},
      {"length_2_gb.parquet", with(size - 8, "\xFF\xFF\xFF\x7F")},
      {"length_4_gb.parquet", with(size - 8, "\xFF\xFF\xFF\xFF")},
      {"cut_in_half.parquet", good.substr(0, size / 2)},
      {"cut_by_one.parquet", good.substr(0, size - 1)},
      {"cut_by_eight.parquet", good.substr(0, size - 8)},
      {"cut_in_metadata.parquet", good.substr(0, metadata + metadata_size / 2)},
      {"cut_pages_kept_metadata.parquet", good.substr(0, 4) + good.substr(metadata)},
      {"pages_of_zeros.parquet", with(4, std::string(metadata - 4, '\0'))},
      {"pages_of_ones.parquet", with(4, std::string(metadata - 4, '\xFF'))},
      {"metadata_of_zeros.parquet", with(metadata, std::string(metadata_size, '\0'))},
      {"metadata_of_ones.parquet", with(metadata, std::string(metadata_size, '\xFF'))},
      {"metadata_of_lists.parquet", with(metadata, std::string(metadata_size, '\x19'))},
      {"metadata_of_structs.parquet", with(metadata, std::string(metadata_size, '\x1C'))},
      {"twice.parquet", good + good},
      {"junk_in_front.parquet", "PAR1" + std::string(1000, 'x') + good.substr(4)},
      {"junk_behind.parquet", good + std::string(1000, 'x')},
  };
  // Single bits, spread over pages and metadata; the same ones in every run.
  for (int i = 0; i < 12; ++i) {
    const auto at = metadata + metadata_size * static_cast<std::size_t>(i) / 12 + static_cast<std::size_t>(i % 3);
    files.push_back({fmt::format("metadata_bit_{}.parquet", i), flipped(at, static_cast<char>(1 << (i % 8)))});
  }
  for (int i = 0; i < 8; ++i) {
    const auto at = 4 + (metadata - 4) * static_cast<std::size_t>(i) / 8 + static_cast<std::size_t>(i);
    files.push_back({fmt::format("page_bit_{}.parquet", i), flipped(at, static_cast<char>(0x81))});
  }
  return files;
}

// How the answer to each file begins.
const std::map<std::string, std::string>& answers() {
  static const std::map<std::string, std::string> kAnswers{
      {"nul_bytes.csv", "2 rows"},
      {"nul_in_header.csv", "refused: it is not a text: NUL characters stand in its first lines"},
      {"only_nul.csv", "refused: it is not a text: NUL characters stand in its first lines"},
      {"invalid_utf8.csv", "1 rows, rows_rejected"},
      {"invalid_utf8_header.csv", "refused: it is UTF-16 or UTF-32, and only UTF-8 is read"},
      {"overlong_utf8.csv", "0 rows, rows_rejected"},
      {"latin1.csv", "0 rows, rows_rejected"},
      {"utf8_bom_only.csv", "0 rows"},
      {"two_boms.csv", "1 rows"},
      {"utf16_little.csv", "refused: it is UTF-16 or UTF-32, and only UTF-8 is read"},
      {"utf16_big.csv", "refused: it is UTF-16 or UTF-32, and only UTF-8 is read"},
      {"utf16_quote.csv", "refused: it is UTF-16 or UTF-32, and only UTF-8 is read"},
      {"utf32.csv", "refused: it is UTF-16 or UTF-32, and only UTF-8 is read"},
      {"unclosed_quote.csv", "3 rows"},
      {"unclosed_quote_long.csv", "49999 rows, rows_rejected"},
      {"quote_in_the_middle.csv", "2 rows"},
      {"only_quotes.csv", "0 rows, rows_rejected"},
      {"only_separators.csv", "0 rows"},
      {"only_line_ends.csv", "8999 rows, line_ends_mixed"},
      {"one_byte.csv", "0 rows"},
      {"one_line_end.csv", "0 rows"},
      {"only_spaces.csv", "0 rows"},
      {"long_field.csv", "1 rows"},
      {"long_field_4_mb.csv", "refused: line 2 is longer than 2000000 bytes"},
      {"long_header.csv", "1 rows"},
      {"long_line_of_numbers.csv", "1 rows, numbers_too_large"},
      {"many_columns.csv", "refused: failed to allocate"},
      {"many_empty_columns.csv", "2 rows"},
      {"growing_lines.csv", "1 rows, rows_rejected"},
      {"control_characters.csv", "2 rows"},
      {"escape_in_header.csv", "1 rows"},
      {"sql_in_header.csv", "1 rows"},
      {"qu'o\"te [1] *?{a,b} %41 $(x) -- ;.csv", "1 rows"},
      {"line_of_50_mb.csv", "refused: line 2 is longer than 2000000 bytes"},
      {"line_of_70_mb.csv", "refused: line 2 is longer than 2000000 bytes"},
      {"columns_100000.csv", "refused: failed to allocate"},
      {"mixed_line_ends.csv", "3 rows, line_ends_mixed"},
      {"sql_in_values.csv", "1 rows"},
      {"formula.csv", "2 rows"},
      {"huge_numbers.csv", "5 rows"},
      {"odd_numbers.csv", "8 rows"},
      {"odd_dates.csv", "4 rows"},
      {"mixed_types.csv", "4 rows"},
      {"separators_of_all_kinds.csv", "1 rows, rows_rejected"},
      {"binary.csv", "refused: no separator and no way of quoting fits its lines"},
      {"elf.csv", "refused: it is not a text: NUL characters stand in its first lines"},
      {"nul.tsv", "1 rows"},
      {"no_tabs.tsv", "1 rows"},
      {"quotes.tsv", "1 rows"},
      {"no_gzip.csv.gz", "refused: its name says gzip and its bytes do not"},
      {"cut_gzip.csv.gz", "refused: its gzip compression is damaged or ends too early"},
      {"empty.csv.gz", "refused: its name says gzip and its bytes do not"},
      {"bomb_of_zeros.csv.gz", "refused: line 1 is longer than 2000000 bytes"},
      {"gzip_of_nothing.csv.gz", "0 rows"},
      {"gzip_with_wrong_checksum.csv.gz", "refused: its gzip compression is damaged or ends too early"},
      {"deep_arrays.json", "refused: line 1 nests objects and lists more than 128 deep"},
      {"deep_unclosed.json", "refused: line 1 nests objects and lists more than 128 deep"},
      {"deep.ndjson", "2 rows, rows_rejected"},
      {"deep_unclosed.ndjson", "1 rows, rows_rejected"},
      {"lone_surrogates.json", "refused: Malformed JSON"},
      {"lone_surrogates.ndjson", "1 rows, rows_rejected"},
      {"escaped_nul.json", "refused: a key has a NUL character (\\u0000), which no name of a column may have"},
      {"raw_nul.json", "refused: Malformed JSON"},
      {"huge_numbers.json", "4 rows, numbers_too_large"},
      {"huge_numbers.ndjson", "2 rows, numbers_too_large"},
      {"odd_numbers.json", "refused: Malformed JSON"},
      {"duplicate_keys.json", "refused: JSON transform error"},
      {"duplicate_keys.ndjson", "refused: JSON transform error"},
      {"empty_key.json", "1 rows"},
      {"mixed_types.json", "6 rows"},
      {"mixed_values.json", "6 rows"},
      {"single_quotes.json", "refused: Malformed JSON"},
      {"comments.json", "refused: Malformed JSON"},
      {"trailing_comma.json", "refused: Malformed JSON"},
      {"trailing_text.json", "refused: Malformed JSON"},
      {"two_arrays.json", "2 rows"},
      {"cut.json", "refused: Malformed JSON"},
      {"cut_in_text.json", "refused: Malformed JSON"},
      {"cut_in_escape.json", "refused: Malformed JSON"},
      {"cut_in_utf8.json", "refused: Malformed JSON"},
      {"invalid_utf8.json", "refused: Malformed JSON"},
      {"invalid_utf8.ndjson", "1 rows, rows_rejected"},
      {"control_characters.json", "refused: Malformed JSON"},
      {"utf16.json", "refused: it is UTF-16 or UTF-32, and only UTF-8 is read"},
      {"utf16.ndjson", "refused: it is UTF-16 or UTF-32, and only UTF-8 is read"},
      {"only_bom.json", "0 rows"},
      {"only_spaces.json", "0 rows"},
      {"only_line_ends.ndjson", "0 rows"},
      {"many_keys.json", "1 rows"},
      {"new_key_each_line.ndjson", "3000 rows"},
      {"long_text.json", "1 rows"},
      {"long_key.ndjson", "1 rows"},
      {"long_line.ndjson", "3 rows"},
      {"no_line_end.ndjson", "0 rows, rows_rejected"},
      {"array.ndjson", "0 rows, rows_rejected"},
      {"csv.json", "refused: Malformed JSON"},
      {"csv.ndjson", "0 rows, rows_rejected"},
      {"html.json", "refused: Malformed JSON"},
      {"no_gzip.json.gz", "refused: its name says gzip and its bytes do not"},
      {"bomb_of_zeros.ndjson.gz", "refused: line 1 is longer than 67108864 bytes"},
      {"bomb_of_spaces.json.gz", "1 rows"},
      {"bomb_of_brackets.json.gz", "refused: line 1 nests objects and lists more than 128 deep"},
      {"line_of_70_mb.ndjson", "refused: line 2 is longer than 67108864 bytes"},
      {"cut_gzip.ndjson.gz", "refused: its gzip compression is damaged or ends too early"},
      {"magic_only.parquet", "refused: "},
      {"two_magics.parquet", "refused: "},
      {"magics_and_length.parquet", "refused: "},
      {"empty.parquet", "refused: "},
      {"text.parquet", "refused: "},
      {"encrypted_magic.parquet", "refused: "},
      {"no_magic_in_front.parquet", "500 rows"},
      {"no_magic_behind.parquet", "refused: "},
      {"length_zero.parquet", "refused: "},
      {"length_one.parquet", "refused: "},
      {"length_of_the_file.parquet", "refused: "},
      {"length_2_gb.parquet", "refused: "},
      {"length_4_gb.parquet", "refused: "},
      {"cut_in_half.parquet", "refused: "},
      {"cut_by_one.parquet", "refused: "},
      {"cut_by_eight.parquet", "refused: "},
      {"cut_in_metadata.parquet", "refused: "},
      {"cut_pages_kept_metadata.parquet", "500 rows"},
      {"pages_of_zeros.parquet", "500 rows"},
      {"pages_of_ones.parquet", "500 rows"},
      {"metadata_of_zeros.parquet", "refused: "},
      {"metadata_of_ones.parquet", "refused: "},
      {"metadata_of_lists.parquet", "refused: "},
      {"metadata_of_structs.parquet", "refused: "},
      {"twice.parquet", "500 rows"},
      {"junk_in_front.parquet", "500 rows"},
      {"junk_behind.parquet", "refused: "},
      {"levels.json", "1 rows"},
      {"deep.json", "refused: line 1 nests objects and lists more than 128 deep"},
  };
  return kAnswers;
}

bool is_helpful(const json::object& answer) {
  for (const char* member : {"kind", "stage", "message", "hint"}) {
    if (of_error(answer, member).empty()) return false;
  }
  return true;
}

// One server with one good dataset, through which all files of a test go.
class HostileFiles : public testing::Test {
 protected:
  HostileFiles() {
    data_.write("good.csv", "n\n1\n2\n3\n");
    server_ = std::make_unique<ServerProcess>(with_root(data_.path()));
    good_ = dataset_of(open_paths(*server_, {"good.csv"}));
  }

  // Opens each file and reads all of what was opened.
  void expect_answers(const std::vector<HostileFile>& files) {
    for (const auto& file : files) {
      SCOPED_TRACE(file.name);
      const auto opened = open(file);
      if (opened.contains("error")) {
        EXPECT_TRUE(is_helpful(opened)) << json::serialize(opened);
        EXPECT_EQ(of_error(opened, "stage"), "dataset");
        EXPECT_NE(of_error(opened, "kind"), "internal_error") << json::serialize(opened);
      } else if (!opened.empty()) {
        read_all(opened);
      }
      expect_answer(file.name, opened);
      EXPECT_EQ(first_cell(query(*server_, good_, {"SELECT sum(n) FROM good"})), "6");
    }
    // Nothing is left of them, and a good file opens as ever.
    EXPECT_TRUE(eventually(5s, [&] {
      const auto listed = server_->call("list_datasets", {});
      return listed.at("datasets").as_array().size() == 1;
    }));
    const auto id = dataset_of(open_paths(*server_, {"good.csv"}));
    EXPECT_EQ(first_cell(query(*server_, id, {"SELECT sum(n) FROM good"})), "6");
  }

  // "3 rows, CODE" with the codes of issues, or "refused: " and the reason.
  static std::string in_short(const json::object& opened) {
    if (opened.contains("error")) {
      const auto message = of_error(opened, "message");
      const auto reason = message.find(": ");
      return "refused: " + message.substr(reason == std::string::npos ? 0 : reason + 2);
    }
    auto text = fmt::format("{} rows", opened.at("relations").at(0).at("row_count").as_int64());
    std::set<std::string> codes;
    for (const auto& issue : opened.at("issues").as_array()) codes.emplace(issue.at("code").as_string());
    codes.erase("row_rejected");
    for (const auto& code : codes) text.append(", ").append(code);
    return text;
  }

  // Files of which the table of answers says nothing only have to be answered.
  static void expect_answer(const std::string& name, const json::object& opened) {
    if (opened.empty()) return;  // no answer: told already
    const auto answer = in_short(opened);
    const auto expected = answers().find(name);
    if (expected == answers().end()) return;
    EXPECT_TRUE(answer.starts_with(expected->second)) << answer;
  }

  // {} when there was no answer in time.
  json::object open(const HostileFile& file) {
    data_.write(file.name, file.bytes);
    return answer_in_time("open_dataset", open_arguments({file.name}));
  }

  void read_all(const json::object& opened) {
    const auto id = std::string(opened.at("dataset_id").as_string());
    const auto& relation = opened.at("relations").at(0).as_object();
    std::string name;
    for (const char c : relation.at("name").as_string()) name.append(c == '"' ? 2 : 1, c);
    const auto answer = answer_in_time(
        "query", query_arguments(id, {fmt::format("SELECT count(*) FROM \"{}\"", name),
                                      fmt::format("SELECT sum(length(\"{0}\"::VARCHAR)) FROM \"{0}\"", name),
                                      fmt::format("SELECT * FROM \"{}\" LIMIT 1", name)}));
    EXPECT_NE(of_error(answer, "kind"), "internal_error") << json::serialize(answer);
    const auto* statements = answer.if_contains("statements");
    if (statements != nullptr && !statements->as_array().empty()) {
      // As many rows as it said.
      const auto counted = statements->at(0).at("rows").at(0).at(0).at("value").as_string();
      EXPECT_EQ(counted, std::to_string(relation.at("row_count").as_int64()));
    }
    server_->call("close_dataset", {{"dataset_id", id}});
  }

  json::object answer_in_time(std::string_view tool, json::object arguments) {
    const auto call = server_->start_call(tool, std::move(arguments));
    if (const auto line = server_->read_line(kAnswerTime)) return content_of(json::parse(*line).as_object());
    ADD_FAILURE() << tool << " gave no answer within 30 s";
    cancel(*server_, call);
    return {};
  }

  static HostileFile csv_named(std::string_view name) {
    static const auto files = hostile_csv_files();
    for (auto& file : files) {
      if (file.name == name) return file;
    }
    ADD_FAILURE() << "no file " << name;
    return {};
  }

  TemporaryDirectory data_;
  std::unique_ptr<ServerProcess> server_;
  std::string good_;
};

TEST_F(HostileFiles, EachCsvFileIsOpenedOrRefusedInTimeAndTheServerGoesOn) { expect_answers(hostile_csv_files()); }

TEST_F(HostileFiles, EachJsonFileIsOpenedOrRefusedInTimeAndTheServerGoesOn) { expect_answers(hostile_json_files()); }

TEST_F(HostileFiles, EachDamagedParquetFileIsOpenedOrRefusedInTimeAndTheServerGoesOn) {
  const auto valid = data_.path() + "/valid.parquet";
  ASSERT_EQ(adit_query(data_.path() + "/good.csv",
                       "SELECT i AS id, 'text ' || i % 7 AS t, i / 4 AS d, CASE WHEN i % 3 > 0 THEN [i] END AS l, "
                       "DATE '2024-01-01' + i::INTEGER AS day FROM range(500) t(i)",
                       "parquet", valid),
            0);
  const auto id = dataset_of(open_paths(*server_, {"valid.parquet"}));
  EXPECT_EQ(first_cell(query(*server_, id, {"SELECT count(*) FROM valid WHERE l IS NOT NULL"})), "333");
  server_->call("close_dataset", {{"dataset_id", id}});
  std::ifstream in(valid, std::ios::binary);
  expect_answers(hostile_parquet_files({std::istreambuf_iterator<char>(in), {}}));
}

TEST_F(HostileFiles, ATerabyteOfNothingIsRefusedAtOnce) {
  for (const char* name : {"sparse.csv", "sparse.tsv", "sparse.json", "sparse.ndjson", "sparse.parquet"}) {
    SCOPED_TRACE(name);
    data_.write(name, "");
    std::filesystem::resize_file(data_.path() + "/" + name, 1ull << 40);
    const auto opened = answer_in_time("open_dataset", open_arguments({name}));
    EXPECT_TRUE(is_helpful(opened)) << json::serialize(opened);
    EXPECT_EQ(of_error(opened, "kind"), "runtime_error");
    EXPECT_EQ(first_cell(query(*server_, good_, {"SELECT sum(n) FROM good"})), "6");
  }
}

TEST_F(HostileFiles, ANamedPipeIsRefusedAtOnce) {
  for (const char* name : {"pipe.csv", "pipe.json", "pipe.parquet"}) {
    ASSERT_EQ(::mkfifo((data_.path() + "/" + name).c_str(), 0600), 0);
    const auto opened = answer_in_time("open_dataset", open_arguments({name}));
    EXPECT_EQ(of_error(opened, "kind"), "not_allowed");
    EXPECT_NE(of_error(opened, "message").find("named pipe"), std::string::npos);
  }
}

TEST_F(HostileFiles, ARefusalNamesTheFileAsItWasGivenAndNothingOfOurs) {
  const auto parquet = hostile_parquet_files(std::string(200, 'x') + "\x10\0\0\0PAR1"s);
  for (const auto& file : {csv_named("nul_in_header.csv"), csv_named("utf16_little.csv"), csv_named("utf16_quote.csv"),
                           csv_named("only_nul.csv"), csv_named("elf.csv"), csv_named("long_field_4_mb.csv"),
                           csv_named("no_gzip.csv.gz"), csv_named("binary.csv"), parquet.front()}) {
    const auto opened = open(file);
    if (!opened.contains("error")) continue;
    const auto message = of_error(opened, "message");
    EXPECT_NE(message.find(file.name), std::string::npos) << message.substr(0, 300);
    EXPECT_LT(message.size(), 2'000u) << file.name;
    // Our paths, the importer's SQL and tables, errors of its SQL.
    for (const std::string& ours : {data_.path(), server_->state_dir(), "adit staging"s, "adit_rejects"s, "read_csv("s,
                                    "sniff_csv("s, "unterminated quoted"s, "syntax error"s}) {
      EXPECT_EQ(message.find(ours), std::string::npos) << message.substr(0, 300);
    }
  }
}

// "Engine texts are cleaned of advice that the gate refuses" (design 2): nobody who opens a file can set these.
TEST_F(HostileFiles, ARefusalGivesNoAdviceThatCannotBeFollowed) {
  for (const char* name : {"only_line_ends.csv", "long_field_4_mb.csv", "binary.csv"}) {
    const auto message = of_error(open(csv_named(name)), "message");
    std::string advice;
    for (const char* setting : {"strict_mode", "ignore_errors", "sample_size", "null_padding",
                                "delim=", "quote=", "escape=", "max_line_size", "all_varchar"}) {
      if (message.find(setting) != std::string::npos) advice.append(setting).append(" ");
    }
    EXPECT_EQ(advice, "") << name;
  }
}

// A survey or a laboratory has tables of some thousand columns of numbers. Aggregates over them took minutes to plan.
TEST_F(HostileFiles, ThousandsOfColumnsOfNumbersOpenInSeconds) {
  std::string header, row;
  for (int i = 0; i < 1500; ++i) {
    header += fmt::format("{}c{}", i == 0 ? "" : ",", i);
    row += fmt::format("{}{}.5", i == 0 ? "" : ",", i);
  }
  const auto opened = open({"wide.csv", header + "\n" + row + "\n" + row + "\n"});
  if (opened.empty()) return;  // told already
  const auto& columns = opened.at("relations").at(0).at("columns").as_array();
  ASSERT_EQ(columns.size(), 1500u);
  EXPECT_EQ(columns.at(1234).at("type"), "DECIMAL(5,1)");
}

// Opening and reading are linear in the depth of a value.
TEST_F(HostileFiles, AHundredLevelsOfObjectsAreReadAtOnce) {
  expect_answers({{"levels.json", "[{\"x\":" + repeated("{\"a\":", 100) + "1" + repeated("}", 100) + "}]"}});
}

TEST_F(HostileFiles, TenThousandLevelsOfObjectsAreRefusedAtOnce) {
  expect_answers({{"deep.json", repeated("{\"a\":", 10000) + "1" + repeated("}", 10000)}});
}

TEST_F(HostileFiles, AValueOfThirtyLevelsIsReadAtOnce) {
  const auto nested = repeated("[", 30) + "1" + repeated("]", 30);
  const auto answer = answer_in_time("query", query_arguments(good_, {"SELECT " + nested + " AS x"}));
  if (!answer.empty()) EXPECT_EQ(first_cell(answer), nested);
}

}  // namespace
}  // namespace adit::test
