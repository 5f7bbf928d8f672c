#include "progress_notifier.h"

#include "adit/base/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace adit::mcp {
namespace json = boost::json;
namespace {

using namespace std::chrono_literals;

json::object params(std::string_view text) { return json::parse({text.data(), text.size()}).as_object(); }

Progress at(double seconds, std::string message = "") {
  return {.elapsed_seconds = seconds, .fraction = {}, .message = std::move(message)};
}

struct Recorder {
  explicit Recorder(std::string_view call = R"({"_meta":{"progressToken":"t"}})")
      : notifier(std::make_shared<ProgressNotifier>(params(call),
                                                    [this](Outgoing message) { lines.push_back(message.line); })),
        report(notifier->sink()) {}

  json::object last() const { return json::parse(lines.back()).at("params").as_object(); }

  std::vector<std::string> lines;
  std::shared_ptr<ProgressNotifier> notifier;
  RequestContext::ProgressSink report;
};

// The shortest pause after which the next progress may go out.
constexpr auto kPause = 210ms;

TEST(ProgressNotifier, P1_IsWantedOnlyWithATokenThatIsAStringOrAnInteger) {
  struct Case {
    std::string_view call;
    bool wanted;
  };
  constexpr Case cases[] = {
      {R"({"_meta":{"progressToken":"t"}})", true},
      {R"({"_meta":{"progressToken":""}})", true},
      {R"({"_meta":{"progressToken":0}})", true},
      {R"({"_meta":{"progressToken":-7}})", true},
      {R"({"_meta":{"progressToken":18446744073709551615}})", true},
      {R"({})", false},
      {R"({"_meta":{}})", false},
      {R"({"_meta":null})", false},
      {R"({"_meta":"progressToken"})", false},
      {R"({"progressToken":"t"})", false},
      {R"({"_meta":{"progressToken":null}})", false},
      {R"({"_meta":{"progressToken":1.5}})", false},
      {R"({"_meta":{"progressToken":1.0}})", false},
      {R"({"_meta":{"progressToken":true}})", false},
      {R"({"_meta":{"progressToken":["t"]}})", false},
      {R"({"_meta":{"progressToken":{}}})", false},
  };
  for (const auto& [call, wanted] : cases) {
    SCOPED_TRACE(call);
    EXPECT_EQ(Recorder(call).notifier->wanted(), wanted);
  }
}

TEST(ProgressNotifier, P1_TheTokenComesBackWithTheSameTypeAndValue) {
  for (const auto* token : {"\"t\"", "\"7\"", "7", "-7", "9007199254740993", "18446744073709551615", R"("a\"é\n")"}) {
    SCOPED_TRACE(token);
    Recorder recorder(fmt::format(R"({{"_meta":{{"progressToken":{}}}}})", token));
    recorder.report(at(1));
    ASSERT_EQ(recorder.lines.size(), 1u);
    EXPECT_EQ(recorder.last().at("progressToken"), json::parse(token));
    EXPECT_NE(recorder.lines[0].find(fmt::format("\"progressToken\":{}", token)), std::string::npos)
        << recorder.lines[0];
  }
}

TEST(ProgressNotifier, ANotificationHasTheFormOfTheSpecification) {
  Recorder recorder;
  recorder.report(at(1.5, "reading"));
  ASSERT_EQ(recorder.lines.size(), 1u);
  const auto message = json::parse(recorder.lines[0]).as_object();
  EXPECT_EQ(message.at("jsonrpc"), "2.0");
  EXPECT_EQ(message.at("method"), "notifications/progress");
  EXPECT_FALSE(message.contains("id"));
  EXPECT_EQ(message.at("params").at("progress").to_number<double>(), 1.5);
  EXPECT_EQ(message.at("params").at("message"), "reading");
}

TEST(ProgressNotifier, WithoutAMessageThereIsNone) {
  Recorder recorder;
  recorder.report(at(1));
  EXPECT_FALSE(recorder.last().contains("message"));
}

TEST(ProgressNotifier, TheShareThatIsDoneStandsInTheMessage) {
  Recorder recorder;
  recorder.report({.elapsed_seconds = 1, .fraction = 0.42, .message = "reading"});
  const std::string text(recorder.last().at("message").as_string());
  EXPECT_NE(text.find("reading"), std::string::npos) << text;
  EXPECT_NE(text.find("42 %"), std::string::npos) << text;
}

TEST(ProgressNotifier, P1_ProgressStrictlyRises) {
  Recorder recorder;
  struct Case {
    double seconds;
    bool sent;
  };
  constexpr Case cases[] = {{0, true}, {0, false}, {1, true}, {1, false}, {0.5, false}, {-3, false}, {1.001, true}};
  for (const auto& [seconds, sent] : cases) {
    SCOPED_TRACE(seconds);
    const auto before = recorder.lines.size();
    recorder.report(at(seconds));
    EXPECT_EQ(recorder.lines.size() - before, sent ? 1u : 0u);
    std::this_thread::sleep_for(kPause);
  }
}

TEST(ProgressNotifier, P1_AtMostAboutFiveASecondAreSent) {
  Recorder recorder;
  const auto end = RequestContext::Clock::now() + 1050ms;
  double seconds = 0;
  while (RequestContext::Clock::now() < end) {
    recorder.report(at(seconds += 0.01));
    std::this_thread::sleep_for(2ms);
  }
  EXPECT_GE(recorder.lines.size(), 3u) << "progress must not stop";
  EXPECT_LE(recorder.lines.size(), 9u);
}

TEST(ProgressNotifier, P1_TheFirstFewAreSentAtOnceAndOnesThatAreDroppedDoNotHoldTheNextBack) {
  Recorder recorder;
  for (int i = 1; i < 50; ++i) recorder.report(at(i));
  EXPECT_EQ(recorder.lines.size(), 3u);
  EXPECT_EQ(recorder.last().at("progress").to_number<double>(), 3);
  std::this_thread::sleep_for(kPause);
  recorder.report(at(4));
  ASSERT_EQ(recorder.lines.size(), 4u);
  EXPECT_EQ(recorder.last().at("progress").to_number<double>(), 4) << "what was dropped was never told";
  recorder.report(at(5));
  EXPECT_EQ(recorder.lines.size(), 4u) << "and then one at a time";
}

// The number comes from a worker's message, whose JSON may hold 0e512 (read as NaN) or 1e400 (read as infinity).
TEST(ProgressNotifier, J8_NeitherNaNNorInfinityIsEverSent) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double seconds : {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity}) {
    SCOPED_TRACE(seconds);
    Recorder recorder;
    recorder.report(at(seconds));
    for (const auto& line : recorder.lines) {
      std::string checked;
      const bool is_json = append_checked_json(checked, line).ok();
      EXPECT_TRUE(is_json) << line;
      if (is_json) EXPECT_TRUE(std::isfinite(recorder.last().at("progress").to_number<double>())) << line;
    }
    std::this_thread::sleep_for(kPause);
    const auto before = recorder.lines.size();
    recorder.report(at(5));
    EXPECT_EQ(recorder.lines.size(), before + 1) << "and what comes then is told";
  }
}

TEST(ProgressNotifier, TheSinkMayOutliveTheNotifiersOwner) {
  std::vector<std::string> lines;
  auto notifier = std::make_shared<ProgressNotifier>(params(R"({"_meta":{"progressToken":1}})"),
                                                     [&](Outgoing message) { lines.push_back(message.line); });
  const auto sink = notifier->sink();
  notifier.reset();
  sink(at(1));
  EXPECT_EQ(lines.size(), 1u);
}

}  // namespace
}  // namespace adit::mcp
