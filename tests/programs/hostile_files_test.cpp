// Files made to break a reader, opened through the real worker: each is answered in time, with a dataset or with an
// error that a client can act upon, and the server is none the worse for it (design 8).
#include "support/dataset_calls.h"
#include "support/gzip.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

namespace adit::test {
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

// Far more than any of these small files needs. A call that takes longer is cancelled, so that the test ends.
constexpr auto kAnswerTime = 5s;

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
         for (int i = 0; i < 500; ++i) text += repeated("1,", i) + "1\n";
         return text;
       }()},
      {"control_characters.csv", "a,b\n\x01\x02\x03,\x1B[31mred\x1B[0m\n\x7F,\x08\n"},
      {"escape_in_header.csv", "\x1B[31mred\x1B[0m,\x07\n1,2\n"},
      {"sql_in_header.csv", "\"a\"\"; DROP TABLE x; --\",'b'); SELECT 1; --\n1,2\n"},
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
      {"deep_objects.json", repeated("{\"a\":", 10000) + "1" + repeated("}", 10000)},
      {"deep_unclosed.json", repeated("[", 100000)},
      {"deep.ndjson", "{\"a\":1}\n" + repeated("{\"a\":", 10000) + "1" + repeated("}", 10000) + "\n{\"a\":2}\n"},
      {"deep_unclosed.ndjson", "{\"a\":1}\n" + repeated("[", 100000) + "\n"},
      {"hundred_levels.json", "[{\"x\":" + repeated("{\"a\":", 100) + "1" + repeated("}", 100) + "}]"},
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

struct Outcome {
  std::string name;
  bool in_time = true;
  json::object opened;   // the answer; {} when none came in time
  json::object queried;  // of one that was opened
  bool good_file_works = false;
};

bool is_helpful(const json::object& answer) {
  for (const char* member : {"kind", "stage", "message", "hint"}) {
    if (of_error(answer, member).empty()) return false;
  }
  return true;
}

// All files go through one server, once; the tests look at what came of it.
class HostileFiles : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    data_ = std::make_unique<TemporaryDirectory>();
    data_->write("good.csv", "n\n1\n2\n3\n");
    const auto valid = data_->path() + "/valid.parquet";
    ASSERT_EQ(adit_query(data_->path() + "/good.csv",
                         "SELECT i AS id, 'text ' || i % 7 AS t, i / 4 AS d, CASE WHEN i % 3 > 0 THEN [i] END AS l, "
                         "DATE '2024-01-01' + i::INTEGER AS day FROM range(500) t(i)",
                         "parquet", valid),
              0);
    std::ifstream in(valid, std::ios::binary);
    const std::string parquet{std::istreambuf_iterator<char>(in), {}};
    auto files = hostile_csv_files();
    for (auto& file : hostile_json_files()) files.push_back(std::move(file));
    for (auto& file : hostile_parquet_files(parquet)) files.push_back(std::move(file));
    ASSERT_GE(files.size(), 100u);

    server_ = std::make_unique<ServerProcess>(with_root(data_->path()));
    const auto good = dataset_of(open_paths(*server_, {"good.csv"}));
    for (const auto& file : files) { auto t = std::chrono::steady_clock::now(); outcomes_.push_back(outcome_of(file, good)); auto d = std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count(); if (d > 0.4) fprintf(stderr, "SLOW %.2f %s %s\n", d, file.name.c_str(), json::serialize(outcomes_.back().opened).substr(0,250).c_str()); }
  }

  static void TearDownTestSuite() {
    server_.reset();
    data_.reset();
  }

  static Outcome outcome_of(const HostileFile& file, const std::string& good) {
    data_->write(file.name, file.bytes);
    Outcome outcome;
    outcome.name = file.name;
    outcome.opened = answer_in_time("open_dataset", open_arguments({file.name}), outcome.in_time);
    if (outcome.opened.contains("dataset_id")) {
      const auto id = std::string(outcome.opened.at("dataset_id").as_string());
      std::string name;
      for (const char c : outcome.opened.at("relations").at(0).at("name").as_string()) {
        name.append(c == '"' ? 2 : 1, c);
      }
      outcome.queried =
          answer_in_time("query",
                         query_arguments(id, {fmt::format("SELECT count(*) FROM \"{}\"", name),
                                              fmt::format("SELECT sum(length(\"{0}\"::VARCHAR)) FROM \"{0}\"", name),
                                              fmt::format("SELECT * FROM \"{}\" LIMIT 1", name)}),
                         outcome.in_time);
      server_->call("close_dataset", {{"dataset_id", id}});
    }
    outcome.good_file_works = first_cell(query(*server_, good, {"SELECT sum(n) FROM good"})) == "6";
    return outcome;
  }

  static json::object answer_in_time(std::string_view tool, json::object arguments, bool& in_time) {
    const auto call = server_->start_call(tool, std::move(arguments));
    if (const auto line = server_->read_line(kAnswerTime)) return content_of(json::parse(*line).as_object());
    cancel(*server_, call);
    in_time = false;
    return {};
  }

  static std::unique_ptr<TemporaryDirectory> data_;
  static std::unique_ptr<ServerProcess> server_;
  static std::vector<Outcome> outcomes_;
};

std::unique_ptr<TemporaryDirectory> HostileFiles::data_;
std::unique_ptr<ServerProcess> HostileFiles::server_;
std::vector<Outcome> HostileFiles::outcomes_;

TEST_F(HostileFiles, EachIsOpenedOrRefusedWithKindStageMessageAndHintInTime) {
  for (const auto& outcome : outcomes_) {
    SCOPED_TRACE(outcome.name);
    EXPECT_TRUE(outcome.in_time) << "no answer within 5 s to " << (outcome.opened.empty() ? "open_dataset" : "query");
    if (outcome.opened.empty()) continue;
    if (outcome.opened.contains("error")) {
      EXPECT_TRUE(is_helpful(outcome.opened)) << json::serialize(outcome.opened);
      EXPECT_EQ(of_error(outcome.opened, "stage"), "dataset");
      continue;
    }
    EXPECT_EQ(outcome.opened.at("relations").as_array().size(), 1u);
    // What was opened counts its rows as it said.
    const auto* statements = outcome.queried.if_contains("statements");
    if (statements != nullptr && !statements->as_array().empty()) {
      const auto& counted = statements->at(0).at("rows").at(0).at(0).at("value").as_string();
      EXPECT_EQ(counted, std::to_string(outcome.opened.at("relations").at(0).at("row_count").as_int64()));
    }
  }
}

TEST_F(HostileFiles, NoFileEndsAWorkerByASignalOrIsAFaultOfOurs) {
  for (const auto& outcome : outcomes_) {
    for (const auto* answer : {&outcome.opened, &outcome.queried}) {
      EXPECT_NE(of_error(*answer, "kind"), "internal_error") << outcome.name << ": " << of_error(*answer, "message");
    }
  }
}

TEST_F(HostileFiles, ARefusalNamesTheFileAsItWasGivenAndNothingOfOurs) {
  for (const auto& outcome : outcomes_) {
    if (!outcome.opened.contains("error")) continue;
    const auto message = of_error(outcome.opened, "message");
    EXPECT_NE(message.find(outcome.name), std::string::npos) << message.substr(0, 300);
    EXPECT_LT(message.size(), 2'000u) << outcome.name;
    // Our paths, the importer's SQL and tables, errors of its SQL.
    for (const std::string& ours : {data_->path(), server_->state_dir(), "adit staging"s, "adit_rejects"s, "read_csv("s,
                                    "read_json("s, "sniff_csv("s, "unterminated quoted"s, "syntax error"s}) {
      EXPECT_EQ(message.find(ours), std::string::npos) << outcome.name << ": " << message.substr(0, 300);
    }
  }
}

// "Engine texts are cleaned of advice that the gate refuses" (design 2): nobody who opens a file can set these.
TEST_F(HostileFiles, ARefusalGivesNoAdviceThatCannotBeFollowed) {
  for (const auto& outcome : outcomes_) {
    for (const char* setting :
         {"strict_mode", "ignore_errors", "sample_size", "null_padding", "maximum_object_size", "maximum_depth",
          "union_by_name", "delim=", "quote=", "escape=", "max_line_size", "buffer_size", "all_varchar"}) {
      EXPECT_EQ(of_error(outcome.opened, "message").find(setting), std::string::npos)
          << outcome.name << " speaks of " << setting;
    }
  }
}

TEST_F(HostileFiles, AfterEachOfThemTheServerAnswersForAGoodFile) {
  for (const auto& outcome : outcomes_) EXPECT_TRUE(outcome.good_file_works) << outcome.name;
  const auto id = dataset_of(open_paths(*server_, {"good.csv", "valid.parquet"}));
  EXPECT_EQ(first_cell(query(*server_, id, {"SELECT sum(n) FROM good"})), "6");
  EXPECT_EQ(first_cell(query(*server_, id, {"SELECT count(*) FROM valid WHERE l IS NOT NULL"})), "333");
  EXPECT_LE(server_->workers().size(), 4u);
}

// A table of a survey or a laboratory: some hundred columns of numbers are nothing special.
TEST_F(HostileFiles, AFewHundredColumnsOfNumbersOpenInSeconds) {
  std::string header, row;
  for (int i = 0; i < 500; ++i) {
    header += fmt::format("{}c{}", i == 0 ? "" : ",", i);
    row += fmt::format("{}{}", i == 0 ? "" : ",", i);
  }
  data_->write("wide.csv", header + "\n" + row + "\n" + row + "\n");
  const auto call = server_->start_call("open_dataset", open_arguments({"wide.csv"}));
  const auto line = server_->read_line(4s);
  EXPECT_TRUE(line.has_value()) << "500 columns were not open after 4 s";
  if (!line) cancel(*server_, call);
}

}  // namespace
}  // namespace adit::test
