#include "adit/base/result.h"

#include "adit/base/error.h"
#include "adit/base/task.h"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <map>
#include <memory>
#include <string>

namespace adit {
namespace {

Error some_error(std::string message) {
  return {.code = ErrorCode::not_found, .reason = "lost", .message = std::move(message), .hint = "look again"};
}

Result<int> number(int value) {
  if (value < 0) return some_error("negative");
  return value;
}

Result<void> check(int value) {
  if (value < 0) return some_error("negative");
  return {};
}

Result<std::unique_ptr<int>> boxed(int value) {
  if (value < 0) return some_error("no box");
  return std::make_unique<int>(value);
}

// ---- Result

TEST(Result, HoldsAValueOrAnError) {
  const auto good = number(3);
  EXPECT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(*good, 3);
  EXPECT_EQ(good.value(), 3);
  const auto bad = number(-1);
  EXPECT_FALSE(bad.ok());
  EXPECT_FALSE(static_cast<bool>(bad));
  EXPECT_EQ(bad.error().message, "negative");
}

TEST(Result, OfNothingHoldsSuccessOrAnError) {
  EXPECT_TRUE(check(0).ok());
  EXPECT_TRUE(static_cast<bool>(check(0)));
  EXPECT_FALSE(check(-1).ok());
  EXPECT_FALSE(static_cast<bool>(check(-1)));
  EXPECT_EQ(check(-1).error().message, "negative");
}

TEST(Result, GivesAwayWhatCanOnlyBeMoved) {
  auto box = boxed(5);
  ASSERT_TRUE(box.ok());
  const std::unique_ptr<int> taken = std::move(box).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Result, AValueMayBeChangedInPlace) {
  Result<std::string> text = std::string("a");
  *text += "b";
  text->append("c");
  text.value() += "d";
  EXPECT_EQ(*text, "abcd");
}

TEST(Result, AnErrorThatItselfIsTheValueIsNoFailure) {
  const Result<std::map<int, Error>> errors = std::map<int, Error>{{1, some_error("kept")}};
  ASSERT_TRUE(errors.ok());
  EXPECT_EQ(errors->at(1).message, "kept");
}

TEST(Error, ADefectOfOursSaysSo) {
  const auto error = internal_error("the cause");
  EXPECT_EQ(error.code, ErrorCode::internal);
  EXPECT_EQ(error.reason, "internal_error");
  EXPECT_EQ(error.message, "the cause");
  EXPECT_FALSE(error.hint.empty());
  EXPECT_FALSE(error.retryable);
}

// ---- ADIT_TRY

Result<int> sum(int a, int b, int* reached = nullptr) {
  ADIT_TRY(const int first, number(a));
  ADIT_TRY(auto second, number(b));
  if (reached != nullptr) ++*reached;
  return first + second;
}

TEST(AditTry, DeclaresTheValue) { EXPECT_EQ(*sum(3, 4), 7); }

TEST(AditTry, LeavesTheFunctionWithTheFirstErrorAsItIs) {
  int reached = 0;
  for (const auto& [a, b] : {std::pair(-1, 4), std::pair(3, -1), std::pair(-1, -1)}) {
    const auto result = sum(a, b, &reached);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::not_found);
    EXPECT_EQ(result.error().reason, "lost");
    EXPECT_EQ(result.error().message, "negative");
    EXPECT_EQ(result.error().hint, "look again");
  }
  EXPECT_EQ(reached, 0);
}

Result<std::string> through_another_type(int value) {
  ADIT_TRY(auto box, boxed(value));
  return std::to_string(*box);
}

TEST(AditTry, MovesTheValueAndChangesTheTypeOfTheResult) {
  EXPECT_EQ(*through_another_type(8), "8");
  EXPECT_EQ(through_another_type(-8).error().message, "no box");
}

struct Holder {
  std::unique_ptr<int> box;
  Result<void> fill(int value) {
    ADIT_TRY(box, boxed(value));
    return {};
  }
};

TEST(AditTry, AssignsToWhatExistsAndLeavesItAloneOnAnError) {
  Holder holder;
  ASSERT_TRUE(holder.fill(1).ok());
  EXPECT_FALSE(holder.fill(-1).ok());
  ASSERT_NE(holder.box, nullptr);
  EXPECT_EQ(*holder.box, 1);
}

Result<std::pair<int, int>> pair_of(int a, int b) { return std::pair<int, int>{a, b}; }

Result<int> with_commas() {
  ADIT_TRY(auto both, Result<std::pair<int, int>>(pair_of(9, 4)));
  return both.first;
}

TEST(AditTry, TakesAnExpressionWithCommas) { EXPECT_EQ(*with_commas(), 9); }

TEST(AditTry, EvaluatesTheExpressionOnce) {
  int calls = 0;
  const auto counted = [&](int value) {
    ++calls;
    return number(value);
  };
  const auto run = [&](int value) -> Result<int> {
    ADIT_TRY(auto got, counted(value));
    return got;
  };
  EXPECT_TRUE(run(1).ok());
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(run(-1).ok());
  EXPECT_EQ(calls, 2);
}

// ---- ADIT_CHECK

Result<int> checked(int a, int b, int* reached) {
  ADIT_CHECK(check(a));
  ++*reached;
  ADIT_CHECK(check(b));
  ++*reached;
  return a + b;
}

TEST(AditCheck, GoesOnOnSuccessAndLeavesOnAnError) {
  struct Case {
    int a, b, reached;
    bool ok;
  };
  constexpr Case cases[] = {{1, 2, 2, true}, {1, -2, 1, false}, {-1, 2, 0, false}};
  for (const auto& [a, b, expected, ok] : cases) {
    int reached = 0;
    const auto result = checked(a, b, &reached);
    EXPECT_EQ(result.ok(), ok);
    EXPECT_EQ(reached, expected);
    if (!ok) EXPECT_EQ(result.error().hint, "look again");
  }
}

TEST(AditCheck, StandsAloneInABranch) {
  const auto run = [](bool careful) -> Result<void> {
    if (careful) ADIT_CHECK(check(-1));
    return {};
  };
  EXPECT_FALSE(run(true).ok());
  EXPECT_TRUE(run(false).ok());
}

// ---- The same in coroutines

template <class T>
boost::asio::awaitable<void> keep(Task<T> task, std::optional<Result<T>>& result) {
  result = co_await std::move(task);
}

template <class T>
Result<T> run_task(Task<T> task) {
  boost::asio::io_context context;
  std::optional<Result<T>> result;
  boost::asio::co_spawn(context, keep(std::move(task), result), [](std::exception_ptr) {});
  context.run();
  return std::move(*result);
}

Task<std::unique_ptr<int>> boxed_later(int value) { co_return boxed(value); }

Task<void> check_later(int value) { co_return check(value); }

Task<int> sum_later(int a, int b, int* reached) {
  ADIT_CO_CHECK(co_await check_later(a));
  ++*reached;
  ADIT_CO_TRY(auto first, co_await boxed_later(a));
  ADIT_CO_TRY(const auto second, number(b));
  ++*reached;
  co_return *first + second;
}

TEST(AditCoTry, WorksAsOutsideOfCoroutines) {
  struct Case {
    int a, b, reached;
    bool ok;
  };
  constexpr Case cases[] = {{1, 2, 2, true}, {1, -2, 1, false}, {-1, 2, 0, false}};
  for (const auto& [a, b, expected, ok] : cases) {
    int reached = 0;
    const auto result = run_task(sum_later(a, b, &reached));
    EXPECT_EQ(result.ok(), ok);
    EXPECT_EQ(reached, expected);
    if (ok) EXPECT_EQ(*result, a + b);
    else EXPECT_EQ(result.error().message, "negative");
  }
}

}  // namespace
}  // namespace adit
