// Runs tests/wire/*.wire against the real server over stdio and over HTTP, one new server for each file:
//
//   # A sentence why: the first lines; comments and empty lines may stand anywhere
//   client> {"jsonrpc":"2.0",…}    the line is sent as it is
//   server> {"jsonrpc":"2.0",…}    the next line must be this JSON; a value written "…" stands for any value, and a
//                                  member "…":"…" for any further members
//   server> (nothing)              no line comes for a while
//
// A text written "‹name›" in a server> line stands for any text the first time. From then on ‹name› is that text,
// wherever it stands: ids of datasets are random over HTTP (T16).
//
// Of every transcript it is asked, too, that each line is one JSON-RPC message (S2), that none is a request (S6), that
// nothing is left over, and that the server ends by itself with 0 at the end of its input (S3).
//
// Over HTTP each line is a POST on a connection of its own, with the headers that its body asks for, and what is
// answered are its lines.
#include "support/http_server_process.h"
#include "support/server_process.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace adit::test {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

using namespace std::chrono_literals;

const std::string kFolder = ADIT_SOURCE_DIR "/tests/wire";
constexpr std::string_view kAnyValue = "…";
constexpr auto kSilence = 300ms;
constexpr auto kExitTime = 5s;  // S3 says two seconds; they are measured in stdio_test.cpp

struct Step {
  enum class Kind { send, expect, silence } kind;
  int line;
  std::string text;
};

struct Transcript {
  std::string file;
  bool has_reason = false;
  std::vector<Step> steps;
};

Transcript read_transcript(const std::string& file) {
  Transcript transcript;
  transcript.file = file;
  std::ifstream stream(file);
  std::string text;
  for (int line = 1; std::getline(stream, text); ++line) {
    constexpr std::string_view kClient = "client> ", kServer = "server> ";
    if (line == 1) transcript.has_reason = text.starts_with("# ");
    if (text.empty() || text.starts_with("#")) continue;
    if (text.starts_with(kClient)) {
      transcript.steps.push_back({Step::Kind::send, line, text.substr(kClient.size())});
    } else if (text == "server> (nothing)") {
      transcript.steps.push_back({Step::Kind::silence, line, ""});
    } else if (text.starts_with(kServer)) {
      transcript.steps.push_back({Step::Kind::expect, line, text.substr(kServer.size())});
    } else {
      ADD_FAILURE_AT(file.c_str(), line) << "neither client> nor server> nor #: " << text;
    }
  }
  return transcript;
}

// What ‹names› of a transcript stand for.
class Names {
 public:
  // `text` with the known names replaced.
  std::string filled_in(std::string text) const {
    for (const auto& [name, value] : values_) {
      for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size()) {
        text.replace(at, name.size(), value);
      }
    }
    return text;
  }

  // True if `expected` is a name of `actual`, which it becomes if it is new.
  bool is_named(std::string_view expected, const json::value& actual) {
    if (!expected.starts_with("‹") || !expected.ends_with("›") || !actual.is_string()) return false;
    return values_.emplace(expected, actual.get_string()).first->second == std::string_view(actual.get_string());
  }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// Where `actual` differs from `expected`, or nothing.
std::optional<std::string> difference(const json::value& expected, const json::value& actual, const std::string& path,
                                      Names& names) {
  const auto here = [&](std::string_view what) { return fmt::format("{}: {}", path.empty() ? "/" : path, what); };
  if (expected.is_string() && std::string_view(expected.get_string()) == kAnyValue) return std::nullopt;
  if (expected.is_string() && names.is_named(expected.get_string(), actual)) return std::nullopt;
  if (expected.is_object() && actual.is_object()) {
    const bool open_ended = expected.get_object().contains(kAnyValue);
    for (const auto& member : expected.get_object()) {
      if (std::string_view(member.key()) == kAnyValue) continue;
      const auto* value = actual.get_object().if_contains(member.key());
      if (value == nullptr) return here(fmt::format("{} is missing", std::string_view(member.key())));
      auto found = difference(member.value(), *value, path + "/" + std::string(member.key()), names);
      if (found) return found;
    }
    for (const auto& member : actual.get_object()) {
      if (!open_ended && !expected.get_object().contains(member.key())) {
        return here(fmt::format("{} is not expected", std::string_view(member.key())));
      }
    }
    return std::nullopt;
  }
  if (expected.is_array() && actual.is_array()) {
    const auto& wanted = expected.get_array();
    const auto& got = actual.get_array();
    if (wanted.size() != got.size()) return here(fmt::format("{} entries, {} expected", got.size(), wanted.size()));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (auto found = difference(wanted[i], got[i], fmt::format("{}/{}", path, i), names)) return found;
    }
    return std::nullopt;
  }
  if (expected == actual) return std::nullopt;
  return here(fmt::format("{}, expected {}", json::serialize(actual), json::serialize(expected)));
}

// S2, S6, J8: what holds for any line.
std::optional<std::string> defect(std::string_view line) {
  json::error_code error;
  const auto message = json::parse({line.data(), line.size()}, error);
  if (error || !message.is_object()) return "not a JSON object";
  const auto& object = message.get_object();
  if (!object.contains("jsonrpc") || object.at("jsonrpc") != "2.0") return "not JSON-RPC 2.0";
  if (object.contains("id") && object.contains("method")) return "a request of the server's";
  if (object.contains("result") && object.contains("error")) return "both a result and an error";
  return std::nullopt;
}

void expect_line(const Transcript& transcript, const Step& step, const std::string& line, Names& names) {
  if (const auto found = defect(line)) ADD_FAILURE_AT(transcript.file.c_str(), step.line) << *found << ": " << line;
  json::error_code error;
  const auto expected = json::parse(names.filled_in(step.text), error);
  if (error) {
    ADD_FAILURE_AT(transcript.file.c_str(), step.line) << "the expected line is no JSON: " << error.message();
    return;
  }
  const auto actual = json::parse(line, error);
  const auto found = error ? error.message() : difference(expected, actual, "", names);
  if (found) ADD_FAILURE_AT(transcript.file.c_str(), step.line) << *found << "\ngot: " << line;
}

// False when there is no point in going on.
bool run_step(ServerProcess& server, const Transcript& transcript, const Step& step, Names& names) {
  switch (step.kind) {
    case Step::Kind::send: server.send(names.filled_in(step.text)); return true;
    case Step::Kind::silence:
      if (const auto line = server.read_line(kSilence)) {
        ADD_FAILURE_AT(transcript.file.c_str(), step.line) << "got: " << *line;
        return false;
      }
      return true;
    case Step::Kind::expect:
      const auto line = server.read_line();
      if (!line) {
        ADD_FAILURE_AT(transcript.file.c_str(), step.line) << "no line; stderr: " << server.standard_error();
        return false;
      }
      expect_line(transcript, step, *line, names);
      return true;
  }
  return false;
}

std::vector<std::string> transcripts() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".wire") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Wire : public testing::TestWithParam<std::string> {};

TEST_P(Wire, Holds) {
  const auto transcript = read_transcript(kFolder + "/" + GetParam() + ".wire");
  EXPECT_TRUE(transcript.has_reason) << "a transcript begins with a sentence why: # …";
  ASSERT_FALSE(transcript.steps.empty());
  ServerProcess server({.arguments = {"--root", kFolder + "/data"}});
  Names names;
  for (const auto& step : transcript.steps) {
    if (!run_step(server, transcript, step, names)) return;
  }
  server.close_input();
  if (const auto line = server.read_line(kExitTime)) ADD_FAILURE() << "left over: " << *line;
  EXPECT_EQ(server.wait_for_exit(kExitTime), 0);
}

INSTANTIATE_TEST_SUITE_P(Transcripts, Wire, testing::ValuesIn(transcripts()),
                         [](const auto& the_test) { return the_test.param; });

// ---- The same over HTTP

// What is different there by the rules; names of transcripts and why.
constexpr std::pair<std::string_view, std::string_view> kStdioOnly[] = {
    {"d5_before_initialize_only_ping_is_answered", "without a session a request is refused, a ping too (H16)"},
    {"j3_c12_each_kind_of_bad_message_has_its_code", "as before"},
    {"j7_too_deep_is_one_error_and_the_next_is_served", "as before"},
    {"j2_c15_c30_without_an_id_nothing_is_answered_or_done", "as before"},
    {"j6_an_id_under_way_is_refused", "each modern request stands alone there, and so does its id"},
    {"r3_c26_addresses_are_decoded_once", "an id is random there, and cannot be written in another way beforehand"},
    {"s5_c08_a_cancelled_call_is_never_answered", "a modern client cancels by closing the connection there (H13)"},
};

bool is_for_http(const std::string& name) {
  return std::none_of(std::begin(kStdioOnly), std::end(kStdioOnly),
                      [&](const auto& only) { return only.first == name; });
}

std::vector<std::string> transcripts_for_http() {
  auto names = transcripts();
  std::erase_if(names, [](const auto& name) { return !is_for_http(name); });
  return names;
}

// The headers that a client sends with this line (H10, H11, H16).
HttpHeaders headers_for(const std::string& line, const std::string& session) {
  HttpHeaders headers{{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
  json::error_code error;
  const auto message = json::parse(line, error);
  const auto text_at = [&message](std::string_view pointer) -> std::optional<std::string> {
    json::error_code missing;
    const auto* value = message.find_pointer(pointer, missing);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return std::string(value->as_string());
  };
  const auto version = text_at("/params/_meta/io.modelcontextprotocol~1protocolVersion");
  if (error || !version) {
    if (!session.empty()) headers.emplace_back("Mcp-Session-Id", session);
    return headers;
  }
  headers.emplace_back("MCP-Protocol-Version", *version);
  headers.emplace_back("Mcp-Method", text_at("/method").value_or(""));
  const auto name = text_at(text_at("/method") == "resources/read" ? "/params/uri" : "/params/name");
  if (name) headers.emplace_back("Mcp-Name", *name);
  return headers;
}

// The lines of all answers, in the order in which they come; each answer is read by a thread of its own.
class Answers {
 public:
  void read(HttpClient client) {
    threads_.emplace_back([this, client = std::move(client)]() mutable {
      const auto head = client.read_head();
      const auto body = head ? client.read_body() : "";
      const std::lock_guard lock(mutex_);
      if (head) take(*head, body);
      ++ended_;
      changed_.notify_all();
    });
  }

  // False when some answer has not ended within the time.
  bool wait_for_all(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return ended_ == threads_.size(); });
  }

  std::optional<std::string> read_line(std::chrono::milliseconds time = 20s) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, time, [&] { return !lines_.empty(); })) return std::nullopt;
    auto line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

  std::string session() {
    const std::lock_guard lock(mutex_);
    return session_;
  }

 private:
  void take(const HttpReply& head, const std::string& body) {
    if (const auto session = head.header("mcp-session-id"); !session.empty()) session_ = session;
    if (head.header("content-type") != "text/event-stream") {
      if (!body.empty()) lines_.push_back(body);
      return;
    }
    for (std::size_t at = 0; (at = body.find("data: {", at)) != std::string::npos;) {
      const auto end = body.find('\n', at);
      lines_.push_back(body.substr(at + 6, end - at - 6));
      at = end;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::string session_;
  std::size_t ended_ = 0;
  std::vector<std::jthread> threads_;  // last: they end before what they use
};

class WireOverHttp : public testing::TestWithParam<std::string> {};

TEST_P(WireOverHttp, Holds) {
  const auto transcript = read_transcript(kFolder + "/" + GetParam() + ".wire");
  Answers answers;
  const HttpServerProcess server({.arguments = {"--root", kFolder + "/data"}});
  Names names;
  for (const auto& step : transcript.steps) {
    SCOPED_TRACE(fmt::format("{}:{}", transcript.file, step.line));
    if (step.kind == Step::Kind::send) {
      const auto text = names.filled_in(step.text);
      auto client = server.client();
      client.send(http_request("POST", "/mcp", headers_for(text, answers.session()), text));
      answers.read(std::move(client));
      // Lines are in order because each has its answer before the next is sent. One that takes its time is passed.
      answers.wait_for_all(kSilence);
      continue;
    }
    const auto line = step.kind == Step::Kind::silence ? answers.read_line(kSilence) : answers.read_line();
    ASSERT_EQ(line.has_value(), step.kind == Step::Kind::expect) << line.value_or("no line");
    if (line) expect_line(transcript, step, *line, names);
  }
  if (const auto line = answers.read_line(0ms)) ADD_FAILURE() << "left over: " << *line;
}

INSTANTIATE_TEST_SUITE_P(Transcripts, WireOverHttp, testing::ValuesIn(transcripts_for_http()),
                         [](const auto& the_test) { return the_test.param; });

// The runner itself: what it must not let pass.
TEST(WireRunner, TellsEachKindOfDifference) {
  struct Case {
    std::string_view expected, actual;
    bool same;
  };
  constexpr Case cases[] = {
      {R"({"a":1,"b":[1,2]})", R"({"b":[1,2],"a":1})", true},
      {R"({"a":"…"})", R"({"a":{"b":1}})", true},
      {R"({"a":["…",2]})", R"({"a":[null,2]})", true},
      {R"("…")", "5", true},
      {R"({"a":"…"})", "{}", false},
      {R"({"a":1})", R"({"a":2})", false},
      {R"({"a":1})", R"({"a":"1"})", false},
      {R"({"a":1})", R"({"a":1,"b":2})", false},
      {R"({"a":1,"b":2})", R"({"a":1})", false},
      {R"({"a":{"b":1}})", R"({"a":{"b":2}})", false},
      {"[1,2]", "[2,1]", false},
      {"[1]", "[1,2]", false},
      {"[]", "{}", false},
      {R"({"a":"… and more"})", R"({"a":"anything"})", false},
      {R"({"a":1,"…":"…"})", R"({"a":1,"b":2})", true},
      {R"({"a":1,"…":"…"})", R"({"b":2})", false},
      {R"({"a":"‹name›"})", R"({"a":"any text"})", true},
      {R"({"a":"‹name›"})", R"({"a":5})", false},
      {R"(["‹name›","‹name›"])", R"(["same","same"])", true},
      {R"(["‹name›","‹name›"])", R"(["same","other"])", false},
  };
  for (const auto& [expected, actual, same] : cases) {
    SCOPED_TRACE(fmt::format("{} {}", expected, actual));
    Names names;
    const auto found = difference(json::parse({expected.data(), expected.size()}),
                                  json::parse({actual.data(), actual.size()}), "", names);
    EXPECT_EQ(!found.has_value(), same);
  }
}

TEST(WireRunner, ANameIsWhatItStoodForTheFirstTime) {
  Names names;
  EXPECT_EQ(difference("‹id›", "dataset-1", "", names), std::nullopt);
  EXPECT_EQ(names.filled_in("‹id›, ‹ids›: ‹id›"), "dataset-1, ‹ids›: dataset-1");
  EXPECT_NE(difference(json::string(names.filled_in("‹id›")), "dataset-2", "", names), std::nullopt);
}

TEST(WireRunner, TellsLinesThatNoServerMaySend) {
  constexpr std::string_view kBad[] = {"text", "[]", "{}", R"({"jsonrpc":"2.0","id":1,"method":"ping"})",
                                       R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})"};
  for (const auto line : kBad) EXPECT_TRUE(defect(line).has_value()) << line;
  EXPECT_FALSE(defect(R"({"jsonrpc":"2.0","id":1,"result":{}})").has_value());
  EXPECT_FALSE(defect(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{}})").has_value());
}

}  // namespace
}  // namespace adit::test
