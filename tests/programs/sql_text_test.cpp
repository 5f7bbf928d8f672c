// Runs tests/sql/*.test, one test a file, each against one real server over stdio. tests/sql/README.md describes the
// files; here they are read, sent, and compared line by line. ADIT_REBASELINE=1 writes what the server answered into
// them instead. What is true of every answer (broken_promises) is checked beside the expected lines.
#include "sql/answer_lines.h"
#include "support/gzip.h"
#include "support/server_process.h"
#include "support/temporary_directory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace adit::test {
namespace json = boost::json;
namespace {

using namespace sql_text;

constexpr std::size_t kEchoBytes = 1'000;      // of a statement's text in the answer
constexpr std::int64_t kAnswerBytes = 56'000;  // of an answer, unless max_bytes is less

std::string_view first_word(std::string_view line) { return line.substr(0, line.find(' ')); }

std::string_view behind(std::string_view line, std::string_view word) {
  return line.substr(std::min(line.size(), word.size() + 1));
}

// What is sent and what is expected: a statement of a call, or a line like `open`.
struct Statement {
  std::size_t line = 0;  // of its `sql`, counted from 1
  std::string sql;
  std::size_t begin = 0, end = 0;  // its expectation among the file's lines
};

struct Call {
  json::object options;  // limit, offset, max_bytes, timing, named_temp_queries
  std::vector<Statement> statements;

  std::int64_t option(std::string_view name, std::int64_t otherwise) const {
    return options.contains(name) ? options.at(name).as_int64() : otherwise;
  }
};

// errorKinds and errorStages of the contract.
bool has_words_of_the_contract(const json::object& error) {
  return is_one_of(error.at("kind").as_string(),
                   {"invalid_argument", "unknown_dataset", "parse_error", "unsupported_statement", "not_allowed",
                    "unknown_relation", "unknown_column", "unknown_function", "type_error", "definition_cycle",
                    "runtime_error", "timeout", "cancelled", "memory_limit", "disk_limit", "output_too_large",
                    "limit_reached", "source_changed", "internal_error"}) &&
         is_one_of(error.at("stage").as_string(),
                   {"input", "dataset", "policy", "parse", "bind", "execute", "render"}) &&
         !error.at("message").as_string().empty();
}

// The promises of the contract that an answer does not keep.
Lines broken_promises(const Call& call, const json::object& result, const json::object& answer) {
  Lines broken;
  const auto promise = [&](bool kept, const std::string& sentence) {
    if (!kept) broken.push_back("not so: " + sentence);
  };
  const bool is_error = result.contains("isError") && result.at("isError").as_bool();
  promise(is_error == answer.contains("error"), "isError when there is an error");
  if (is_error) promise(has_words_of_the_contract(answer.at("error").as_object()), "kind and stage are known words");
  const auto bytes = result.at("content").at(0).at("text").as_string().size();
  const auto most = std::min(kAnswerBytes, call.option("max_bytes", kAnswerBytes));
  promise(std::cmp_less_equal(bytes, most), fmt::format("the answer's {} bytes are at most {}", bytes, most));
  if (!answer.contains("statements")) return broken;
  const auto offset = call.option("offset", 0);
  std::size_t index = 0;
  for (const auto& entry : answer.at("statements").as_array()) {
    const auto& statement = entry.as_object();
    const std::string_view sent = call.statements.at(index).sql, echo = statement.at("sql").as_string();
    const auto end = offset + static_cast<std::int64_t>(statement.at("rows").as_array().size());
    const auto total = statement.at("total_rows").as_int64();
    const bool whole_echo = echo.size() == sent.size();
    promise(statement.at("statement_index") == index++, "statement_index counts up");
    promise(sent.starts_with(echo) && echo.size() <= kEchoBytes && (whole_echo || echo.size() + 4 > kEchoBytes),
            "sql echoes the first 1,000 bytes");
    promise(statement.contains("sql_truncated") != whole_echo, "sql_truncated tells that the echo is cut");
    promise(statement.at("offset") == offset, "offset is what was asked for");
    promise(statement.at("truncated") == (end < total), "truncated tells that rows remain");
    promise(end < total ? statement.at("next_offset") == end : statement.at("next_offset").is_null(),
            "next_offset is where the page ends, null behind the last row");
    promise(end <= std::max(total, offset), "total_rows counts all rows");
    promise(statement.contains("execute_ms") == call.options.contains("timing"), "execute_ms comes with timing");
  }
  return broken;
}

// `message contains TEXT`, `hint lacks TEXT`: a part of the error, beside the lines that are compared whole.
bool is_part_check(std::string_view line) { return is_one_of(first_word(line), {"message", "hint"}); }

bool part_check_holds(std::string_view line, const json::object& answer) {
  const auto member = first_word(line), check = behind(line, member), verb = first_word(check);
  const auto* error = answer.if_contains("error");
  const auto* value = error != nullptr ? error->as_object().if_contains(member) : nullptr;
  const std::string_view text = value != nullptr ? value->as_string() : std::string_view();
  return (text.find(behind(check, verb)) != std::string_view::npos) == (verb == "contains");
}

bool begins_expectation(std::string_view line) {
  return line == "not run" || is_part_check(line) ||
         is_one_of(first_word(line), {"kind", "columns", "error", "call", "diagnostic", "warning"});
}

// Equal, but `*` in the expected line stands for any text.
bool line_matches(std::string_view expected, std::string_view actual) {
  if (expected == actual) return true;
  const auto star = expected.find('*');
  if (star == std::string_view::npos || expected.substr(0, star) != actual.substr(0, star)) return false;
  for (auto rest = actual.substr(star);; rest.remove_prefix(1)) {
    if (line_matches(expected.substr(star + 1), rest)) return true;
    if (rest.empty()) return false;
  }
}

// Common lines, between them those expected with - and those that came with +; "" when all are common.
std::string difference(const Lines& expected, const Lines& actual) {
  const auto begin = std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end(), line_matches);
  if (begin.first == expected.end() && begin.second == actual.end()) return "";
  const auto end = std::mismatch(expected.rbegin(), std::make_reverse_iterator(begin.first), actual.rbegin(),
                                 std::make_reverse_iterator(begin.second), line_matches);
  std::string text;
  const auto append = [&](std::string_view mark, auto from, auto to) {
    for (; from != to; ++from) text.append(mark).append(*from).append("\n");
  };
  append("    ", expected.begin(), begin.first);
  append("  - ", begin.first, end.first.base());
  append("  + ", begin.second, end.second.base());
  append("    ", end.first.base(), expected.end());
  return text;
}

// {repeat 3000:abs(} stands for 3000 copies of `abs(`; braces inside come in pairs.
std::string expanded(std::string_view sql) {
  constexpr std::string_view kOpening = "{repeat ";
  std::string out;
  for (auto at = sql.find(kOpening); at != std::string_view::npos; at = sql.find(kOpening)) {
    out += sql.substr(0, at);
    sql.remove_prefix(at + kOpening.size());
    const auto colon = sql.find(':');
    std::size_t close = colon;
    for (int depth = 1; depth > 0; depth += sql[close] == '{' ? 1 : sql[close] == '}' ? -1 : 0) ++close;
    const auto copy = sql.substr(colon + 1, close - colon - 1);
    for (int n = std::stoi(std::string(sql.substr(0, colon))); n > 0; --n) out += copy;
    sql.remove_prefix(close + 1);
  }
  return out.append(sql);
}

// ---- One file

class SqlTextFile : public testing::Test {
 public:
  explicit SqlTextFile(std::string file) : file_(std::move(file)) {
    std::ifstream in(file_);
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
  }

  void TestBody() override {
    try {
      while (at_ < lines_.size()) run_directive();
    } catch (const std::exception& failure) {
      fail(at_, failure.what());
    }
    // From the end, so that the earlier places stay true.
    for (auto edit = edits_.rbegin(); edit != edits_.rend(); ++edit) {
      const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(edit->begin);
      const auto at = lines_.erase(begin, lines_.begin() + static_cast<std::ptrdiff_t>(edit->end));
      lines_.insert(at, edit->lines.begin(), edit->lines.end());
    }
    if (!edits_.empty()) std::ofstream(file_) << fmt::format("{}\n", fmt::join(lines_, "\n"));
  }

 private:
  struct Edit {
    std::size_t begin, end;
    Lines lines;
  };

  bool in_call() const { return at_ < lines_.size() && !lines_[at_].empty(); }  // a blank line ends a call

  void run_directive() {
    const std::string_view line = lines_[at_], word = first_word(line);
    if (is_one_of(word, {"with", "named", "sql"})) return run(read_call());
    ++at_;
    if (word == "file") write_file(behind(line, word));
    else if (word == "text") write_text(behind(line, word));
    else if (word == "open") open(read_expectation(behind(line, word)));
    else if (word == "close") close();
    else if (word == "describe") tell(word, {{"dataset_id", dataset_}}, description_lines);
    else if (word == "list") tell(word, {}, list_lines);
    else if (!line.empty() && !word.starts_with('#')) throw std::runtime_error("what is this line?");
  }

  void write_file(std::string_view name) {
    std::string content;
    for (; lines_.at(at_) != "----"; ++at_) content += lines_[at_] + "\n";
    ++at_;
    directory_.write(name, name.ends_with(".gz") ? gzip_of(content) : content);
  }

  void write_text(std::string_view name_and_text) {
    const auto quote = name_and_text.find(" \"");
    const auto text = json::parse(name_and_text.substr(quote + 1));
    directory_.write(name_and_text.substr(0, quote), expanded(text.as_string()));
  }

  // The lines below, up to a blank one or one that begins something else.
  Statement read_expectation(std::string_view directive) {
    Statement expectation{.line = at_, .sql = std::string(directive), .begin = at_, .end = at_};
    while (in_call() && !lines_[at_].starts_with('#') &&
           !is_one_of(first_word(lines_[at_]), {"file", "text", "open", "close", "with", "named", "sql"})) {
      ++at_;
    }
    expectation.end = at_;
    return expectation;
  }

  // `PATH [as NAME] [format FORMAT], PATH …`, or the JSON array itself.
  static json::array sources_of(std::string_view what) {
    if (what.starts_with('[')) return json::parse(what).as_array();
    json::array sources;
    for (std::size_t end = 0; end != std::string_view::npos; what.remove_prefix(std::min(what.size(), end + 2))) {
      end = what.find(", ");
      sources.push_back(source_of(what.substr(0, end)));
    }
    return sources;
  }

  static json::object source_of(std::string_view what) {
    json::object source;
    for (const auto& [words, member] : {std::pair(" format ", "format"), std::pair(" as ", "name")}) {
      const auto at = what.rfind(words);
      if (at == std::string_view::npos) continue;
      source[member] = what.substr(at + std::string_view(words).size());
      what = what.substr(0, at);
    }
    source["path"] = what;
    return source;
  }

  void open(const Statement& expectation) {
    json::object arguments{{"sources", sources_of(expectation.sql)}};
    if (!dataset_.empty()) arguments["dataset_id"] = dataset_;
    const auto opened = server_.call("open_dataset", std::move(arguments));
    const bool failed = opened.contains("error");
    const bool told_nothing = expectation.begin == expectation.end;
    if (told_nothing && (failed || !opened.at("issues").as_array().empty())) {
      throw std::runtime_error(json::serialize(opened));
    }
    if (!told_nothing) compare(expectation, opening_lines(opened), opened);
    if (failed) return;
    if (!dataset_.empty() && opened.at("dataset_id").as_string() != dataset_)
      fail(expectation, "another dataset was opened");
    dataset_ = opened.at("dataset_id").as_string();
  }

  void close() {
    const auto closed = server_.call("close_dataset", {{"dataset_id", dataset_}});
    if (!closed.contains("closed")) throw std::runtime_error(json::serialize(closed));
    dataset_.clear();
  }

  template <class ToLines>
  void tell(std::string_view word, json::object arguments, const ToLines& to_lines) {
    const auto expectation = read_expectation(word);
    const auto answer = server_.call(word == "list" ? "list_datasets" : "describe_dataset", std::move(arguments));
    compare(expectation, to_lines(answer), answer);
  }

  Call read_call() {
    Call call;
    if (first_word(lines_[at_]) == "with") {
      std::istringstream words{std::string(behind(lines_[at_++], "with"))};
      for (std::string name, value; words >> name;) {
        if (name == "timing") call.options[name] = true;
        else if (words >> value) call.options[name] = std::stoll(value);
      }
    }
    while (first_word(lines_.at(at_)) == "named") read_named_query(call);
    do call.statements.push_back(read_statement());
    while (in_call());
    return call;
  }

  // `named NAME SQL`; each may be a JSON string.
  void read_named_query(Call& call) {
    const auto rest = behind(lines_[at_++], "named");
    const auto end = rest.starts_with('"') ? rest.find("\" ", 1) + 1 : rest.find(' ');
    const auto text = [](std::string_view word) {
      return word.starts_with('"') ? json::parse(word).as_string() : json::string(expanded(word));
    };
    auto& named = call.options["named_temp_queries"];
    if (named.is_null()) named.emplace_array();
    named.as_array().push_back({{"name", text(rest.substr(0, end))}, {"sql", text(rest.substr(end + 1))}});
  }

  Statement read_statement() {
    if (first_word(lines_.at(at_)) != "sql") throw std::runtime_error("'sql' is missing");
    std::string text(behind(lines_[at_++], "sql"));
    const auto line = at_;
    const auto goes_on = [&] { return in_call() && first_word(lines_[at_]) != "sql"; };
    for (; goes_on() && !begins_expectation(lines_[at_]); ++at_) text += (text.empty() ? "" : "\n") + lines_[at_];
    const auto begin = at_;
    while (goes_on()) ++at_;
    text = text.starts_with('"') ? std::string(json::parse(text).as_string()) : expanded(text);
    return {.line = line, .sql = std::move(text), .begin = begin, .end = at_};
  }

  void run(const Call& call) {
    auto arguments = call.options;
    arguments["dataset_id"] = dataset_;
    auto& sql = arguments["sql"].emplace_array();
    for (const auto& statement : call.statements) sql.emplace_back(statement.sql);
    const auto id = server_.start_call("query", std::move(arguments));
    const auto line = server_.read_line(std::chrono::seconds(60));
    if (!line) throw std::runtime_error("the server gave no answer: " + server_.standard_error());
    const auto message = json::parse(quoted_floats(*line)).as_object();
    if (message.at("id") != id || !message.contains("result")) throw std::runtime_error(*line);
    const auto& result = message.at("result").as_object();
    const auto& answer = result.at("structuredContent").as_object();

    for (const auto& broken : broken_promises(call, result, answer)) fail(call.statements.front(), broken);
    const auto actual = answer_lines(answer, call.statements.size());
    for (std::size_t i = 0; i < actual.size(); ++i) compare(call.statements[i], actual[i], answer);
  }

  void compare(const Statement& statement, const Lines& actual, const json::object& answer) {
    Lines whole, parts;
    for (auto i = statement.begin; i < statement.end; ++i) {
      (is_part_check(lines_[i]) ? parts : whole).push_back(lines_[i]);
    }
    for (const auto& part : parts) {
      if (!part_check_holds(part, answer)) fail(statement, "not so: " + part + "\n" + json::serialize(answer));
    }
    const auto changes = difference(whole, actual);
    if (changes.empty()) return;
    if (!rebaseline_) return fail(statement, changes);
    edits_.push_back({statement.begin, statement.end, actual});
    edits_.back().lines.insert(edits_.back().lines.end(), parts.begin(), parts.end());
  }

  void fail(const Statement& statement, const std::string& text) {
    fail(statement.line, statement.sql.substr(0, kLongestText) + "\n" + text);
  }
  void fail(std::size_t line, const std::string& text) {
    ADD_FAILURE_AT(file_.c_str(), static_cast<int>(line)) << text;
  }

  const std::string file_;
  const bool rebaseline_ = std::getenv("ADIT_REBASELINE") != nullptr;
  Lines lines_;
  std::size_t at_ = 0;  // the next line
  std::vector<Edit> edits_;
  TemporaryDirectory directory_;
  ServerProcess server_{{.arguments = {"--root", directory_.path()}, .environment = {}, .program = ""}};
  std::string dataset_;
};

// Before main(), which is GoogleTest's own. The failing name tells the file.
const bool kRegistered = [] {
  for (const auto& entry : std::filesystem::directory_iterator(ADIT_SOURCE_DIR "/tests/sql")) {
    if (entry.path().extension() != ".test") continue;
    testing::RegisterTest("SqlText", entry.path().stem().c_str(), nullptr, nullptr, entry.path().c_str(), 1,
                          [file = entry.path().string()]() -> testing::Test* { return new SqlTextFile(file); });
  }
  return true;
}();

}  // namespace
}  // namespace adit::test
