#include "adit/base/request_context.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace adit {
namespace {

using Clock = RequestContext::Clock;
using namespace std::chrono_literals;

// ---- Deadline

TEST(RequestContext, HasNoDeadlineUntilOneIsSet) { EXPECT_EQ(RequestContext().deadline(), std::nullopt); }

TEST(RequestContext, TheEarliestDeadlineHoldsInWhateverOrderTheyAreSet) {
  const auto now = Clock::now();
  const std::vector<std::vector<Clock::duration>> orders = {{1s, 2s, 3s}, {3s, 2s, 1s}, {2s, 1s, 3s}, {1s}, {1s, 1s}};
  for (const auto& order : orders) {
    RequestContext context;
    for (const auto after : order) context.limit_to(now + after);
    EXPECT_EQ(context.deadline(), now + 1s);
  }
}

TEST(RequestContext, CopiesNameTheSameCall) {
  RequestContext context;
  RequestContext copy = context;
  const auto now = Clock::now();
  copy.limit_to(now);
  EXPECT_EQ(context.deadline(), now);
  copy.cancel();
  EXPECT_TRUE(context.cancelled());
  EXPECT_FALSE(RequestContext().cancelled()) << "another call is another call";
}

// ---- Cancelling

TEST(RequestContext, CancelRunsTheCallbacksInTheOrderTheyWereAdded) {
  RequestContext context;
  std::string ran;
  const auto a = context.on_cancel([&] { ran += 'a'; });
  const auto b = context.on_cancel([&] { ran += 'b'; });
  const auto c = context.on_cancel([&] { ran += 'c'; });
  EXPECT_EQ(ran, "");
  context.cancel();
  EXPECT_EQ(ran, "abc");
}

TEST(RequestContext, CancellingTwiceRunsTheCallbacksOnce) {
  RequestContext context;
  int ran = 0;
  const auto guard = context.on_cancel([&] { ++ran; });
  context.cancel();
  context.cancel();
  RequestContext(context).cancel();
  EXPECT_EQ(ran, 1);
}

TEST(RequestContext, ACallbackSeesTheCallCancelled) {
  RequestContext context;
  bool seen = false;
  const auto guard = context.on_cancel([&] { seen = context.cancelled(); });
  context.cancel();
  EXPECT_TRUE(seen);
}

TEST(RequestContext, ACallbackAddedAfterCancelRunsAtOnce) {
  RequestContext context;
  context.cancel();
  int ran = 0;
  const auto guard = context.on_cancel([&] { ++ran; });
  EXPECT_EQ(ran, 1);
}

// ---- Guards

TEST(CancelGuard, ADestroyedOneTakesItsCallbackBack) {
  RequestContext context;
  std::string ran;
  const auto a = context.on_cancel([&] { ran += 'a'; });
  {
    const auto b = context.on_cancel([&] { ran += 'b'; });
  }
  const auto c = context.on_cancel([&] { ran += 'c'; });
  context.cancel();
  EXPECT_EQ(ran, "ac");
}

TEST(CancelGuard, AMovedOneStillHolds) {
  RequestContext context;
  int ran = 0;
  RequestContext::CancelGuard outer;
  {
    auto inner = context.on_cancel([&] { ++ran; });
    outer = std::move(inner);
  }
  const auto again = std::move(outer);
  context.cancel();
  EXPECT_EQ(ran, 1);
}

TEST(CancelGuard, OneThatIsOverwrittenTakesItsCallbackBack) {
  RequestContext context;
  std::string ran;
  auto guard = context.on_cancel([&] { ran += 'a'; });
  guard = context.on_cancel([&] { ran += 'b'; });
  context.cancel();
  EXPECT_EQ(ran, "b");
}

TEST(CancelGuard, MayOutliveTheContext) {
  int ran = 0;
  RequestContext::CancelGuard guard;
  {
    RequestContext context;
    guard = context.on_cancel([&] { ++ran; });
  }
  EXPECT_EQ(ran, 0);
}

TEST(CancelGuard, WhatTheCallbackHoldsIsFreedWithIt) {
  const auto held = std::make_shared<int>(7);
  RequestContext context;
  {
    const auto guard = context.on_cancel([held] {});
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1) << "the context outlives the guard and must not keep the callback";
}

// ---- Callbacks that change what is running

TEST(CancelCallback, MayDestroyItsOwnGuard) {
  RequestContext context;
  int ran = 0;
  auto guard = std::make_unique<RequestContext::CancelGuard>();
  // The text is long enough to live on the heap: use after free would be seen by the sanitizer.
  *guard = context.on_cancel([&guard, &ran, text = std::string(100, 'x')] {
    guard.reset();
    ran += text.size() == 100 ? 1 : 1000;
  });
  context.cancel();
  EXPECT_EQ(ran, 1);
}

TEST(CancelCallback, MayDestroyTheGuardOfALaterOneWhichThenDoesNotRun) {
  RequestContext context;
  std::string ran;
  RequestContext::CancelGuard later;
  const auto first = context.on_cancel([&] {
    ran += 'a';
    later = {};
  });
  later = context.on_cancel([&] { ran += 'b'; });
  const auto last = context.on_cancel([&] { ran += 'c'; });
  context.cancel();
  EXPECT_EQ(ran, "ac");
}

TEST(CancelCallback, MayDestroyTheGuardOfAnEarlierOne) {
  RequestContext context;
  std::string ran;
  auto first = context.on_cancel([&] { ran += 'a'; });
  const auto second = context.on_cancel([&] {
    first = {};
    ran += 'b';
  });
  context.cancel();
  EXPECT_EQ(ran, "ab");
}

TEST(CancelCallback, MayDestroyTheLastHandleOfTheCall) {
  auto context = std::make_unique<RequestContext>();
  std::string ran;
  const auto first = context->on_cancel([&] {
    ran += 'a';
    context.reset();
  });
  const auto second = context->on_cancel([&] { ran += 'b'; });
  context->cancel();
  EXPECT_EQ(ran, "ab");
  EXPECT_EQ(context, nullptr);
}

TEST(CancelCallback, MayAddAnotherWhichRunsAtOnce) {
  RequestContext context;
  std::string ran;
  RequestContext::CancelGuard added;
  const auto first = context.on_cancel([&] {
    added = context.on_cancel([&] { ran += 'n'; });
    ran += 'a';
  });
  const auto second = context.on_cancel([&] { ran += 'b'; });
  context.cancel();
  EXPECT_EQ(ran, "nab");
}

TEST(CancelCallback, MayCancelAgainWithoutRunningAnythingTwice) {
  RequestContext context;
  std::string ran;
  const auto first = context.on_cancel([&] {
    ran += 'a';
    context.cancel();
  });
  const auto second = context.on_cancel([&] { ran += 'b'; });
  context.cancel();
  EXPECT_EQ(ran, "ab");
}

// ---- Progress

Progress progress(double seconds, std::string message = "") {
  return {.elapsed_seconds = seconds, .fraction = {}, .message = std::move(message)};
}

TEST(RequestContext, ProgressGoesToTheSink) {
  std::vector<std::string> seen;
  RequestContext context([&](const Progress& report) {
    seen.push_back(fmt::format("{} {} {}", report.elapsed_seconds, report.fraction.value_or(-1), report.message));
  });
  EXPECT_TRUE(context.wants_progress());
  context.report({.elapsed_seconds = 1, .fraction = 0.5, .message = "half"});
  RequestContext(context).report(progress(2));
  EXPECT_EQ(seen, (std::vector<std::string>{"1 0.5 half", "2 -1 "}));
}

TEST(RequestContext, WithoutASinkProgressIsDropped) {
  RequestContext context;
  EXPECT_FALSE(context.wants_progress());
  context.report(progress(1));
  const RequestContext empty{RequestContext::ProgressSink()};
  EXPECT_FALSE(empty.wants_progress());
  empty.report(progress(1));
}

TEST(RequestContext, AfterCancelProgressIsDropped) {
  int reports = 0;
  RequestContext context([&](const Progress&) { ++reports; });
  context.report(progress(1));
  const auto guard = context.on_cancel([&] { context.report(progress(2)); });
  context.cancel();
  context.report(progress(3));
  EXPECT_EQ(reports, 1);
}

}  // namespace
}  // namespace adit
