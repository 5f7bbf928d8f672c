#include "line_splitter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace adit::mcp {
namespace {

using namespace std::string_view_literals;
using Events = std::vector<std::string>;

// A splitter that notes what it tells: the lines, and "(too long)".
struct Recorder {
  explicit Recorder(std::size_t longest = 1000)
      : splitter(
            longest, [this](std::string_view line) { events.emplace_back(line); },
            [this] { events.emplace_back("(too long)"); }) {}
  Events events;
  LineSplitter splitter;
};

Events split(std::string_view text, std::size_t longest = 1000) {
  Recorder recorder(longest);
  recorder.splitter.feed(text);
  recorder.splitter.end();
  return recorder.events;
}

TEST(LineSplitter, S1_LinesEndAtLineFeedsAndEmptyOnesAreSkipped) {
  struct Case {
    std::string_view text;
    Events lines;
  };
  const Case cases[] = {
      {"", {}},
      {"\n", {}},
      {"\n\n\n", {}},
      {"a\n", {"a"}},
      {"a\nb\n", {"a", "b"}},
      {"\n\na\n\n\nb\n\n", {"a", "b"}},
      {"a\r\nb\r\n", {"a", "b"}},
      {"\r\n\r\n", {}},
      {"a\rb\n", {"a\rb"}},
      {"a\r\r\n", {"a\r"}},
      {"\ra\n", {"\ra"}},
      {" \n", {" "}},
      {"last", {"last"}},
      {"a\nlast", {"a", "last"}},
      {"last\r", {"last"}},
      {"\r", {}},
      {"é\u2028\u0085x\n", {"é\u2028\u0085x"}},
      {"a\0b\n"sv, {std::string("a\0b", 3)}},
  };
  for (const auto& [text, lines] : cases) {
    SCOPED_TRACE(testing::PrintToString(std::string(text)));
    EXPECT_EQ(split(text), lines);
  }
}

TEST(LineSplitter, ALineIsGivenAsSoonAsItIsWhole) {
  Recorder recorder;
  recorder.splitter.feed("a\nb");
  EXPECT_EQ(recorder.events, Events{"a"});
  recorder.splitter.feed("");
  EXPECT_EQ(recorder.events, Events{"a"});
  recorder.splitter.feed("c\n");
  EXPECT_EQ(recorder.events, (Events{"a", "bc"}));
  recorder.splitter.end();
  EXPECT_EQ(recorder.events, (Events{"a", "bc"}));
}

TEST(LineSplitter, TheEndTwiceGivesTheLastLineOnce) {
  Recorder recorder;
  recorder.splitter.feed("last");
  recorder.splitter.end();
  recorder.splitter.end();
  EXPECT_EQ(recorder.events, Events{"last"});
}

TEST(LineSplitter, AllWaysToCutATextGiveTheSameLines) {
  struct Case {
    std::string_view text;
    std::size_t longest;
  };
  constexpr Case cases[] = {
      {"ab\r\n\n\r\ncd\ne\r\rf\r", 100}, {"abc\nabcd\nabcde\nab\n", 4}, {"a\r\nabcdefgh\r\nb\r\n", 4},
      {"abcdef\nabcdef\nabc\n", 5},      {"x\nabcdefghijk", 4},         {"\xC3\xA9\n\xE2\x82\xAC\n\n", 4},
  };
  for (const auto& [text, longest] : cases) {
    SCOPED_TRACE(testing::PrintToString(std::string(text)));
    const auto whole = split(text, longest);
    // Bit i of the mask: a cut behind byte i.
    for (unsigned mask = 0; mask < 1u << (text.size() - 1); ++mask) {
      Recorder recorder(longest);
      std::size_t begin = 0;
      for (std::size_t i = 0; i < text.size(); ++i) {
        if (i + 1 == text.size() || ((mask >> i) & 1) != 0) {
          recorder.splitter.feed(text.substr(begin, i + 1 - begin));
          begin = i + 1;
        }
      }
      recorder.splitter.end();
      ASSERT_EQ(recorder.events, whole) << "cuts " << mask;
    }
  }
}

TEST(LineSplitter, J7_ALineThatIsTooLongIsToldOnceAndTheNextIsServed) {
  struct Case {
    std::string_view text;
    Events events;
  };
  const Case cases[] = {
      {"abcd\n", {"abcd"}},
      {"abcde\n", {"(too long)"}},
      {"abcde\nx\n", {"(too long)", "x"}},
      {"x\nabcdefghijklmnopq\ny\n", {"x", "(too long)", "y"}},
      {"abcde\nabcde\nx\n", {"(too long)", "(too long)", "x"}},
      {"abcde", {"(too long)"}},
      {"abcdefghijkl", {"(too long)"}},
      {"abcd\rx\n", {"(too long)"}},
      {"abcd\r", {"abcd"}},
      {"abcde\n\nabcd\n", {"(too long)", "abcd"}},
  };
  for (const auto& [text, events] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(split(text, 4), events);
    Recorder by_byte(4);
    for (const char c : text) by_byte.splitter.feed(std::string_view(&c, 1));
    by_byte.splitter.end();
    EXPECT_EQ(by_byte.events, events);
  }
}

// "A CR before it belongs to the end" (line_splitter.h): it is no part of the line and counts for no limit.
TEST(LineSplitter, S1_ALineOfExactlyTheLimitMayEndInCrLf) {
  EXPECT_EQ(split("abcd\r\nx\r\n", 4), (Events{"abcd", "x"}));
  EXPECT_EQ(split("abcde\r\nx\r\n", 4), (Events{"(too long)", "x"}));
}

TEST(LineSplitter, J7_AnEndlessLineIsNotKept) {
  Recorder recorder(1000);
  const std::string megabyte(1 << 20, 'x');
  for (int i = 0; i < 1000; ++i) recorder.splitter.feed(megabyte);
  recorder.splitter.feed("\nnext\n");
  EXPECT_EQ(recorder.events, (Events{"(too long)", "next"}));
}

// Each byte is looked at once: 10 MB in pieces of 1 KB would take a minute if each piece began anew.
TEST(LineSplitter, C05_ALongLineInSmallPiecesTakesLinearTime) {
  const auto start = std::chrono::steady_clock::now();
  Recorder recorder(64u << 20);
  const std::string piece(1024, 'x');
  for (int i = 0; i < 10 * 1024; ++i) recorder.splitter.feed(piece);
  for (int i = 0; i < 1'000'000; ++i) recorder.splitter.feed("y");
  recorder.splitter.feed("\n");
  ASSERT_EQ(recorder.events.size(), 1u);
  EXPECT_EQ(recorder.events[0].size(), (10u << 20) + 1'000'000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(LineSplitter, AMillionLinesInOnePieceTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "x\n";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(split(text).size(), 1'000'000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
}  // namespace adit::mcp
