#include "adit/io/event_loop.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace adit::io {
namespace {

using namespace std::chrono_literals;
using boost::asio::awaitable;
using Clock = EventLoop::Clock;

awaitable<void> pause(EventLoop& loop, std::chrono::milliseconds time) {
  co_await sleep_until(loop, Clock::now() + time);
}

// Lets everything that is ready, or due within `time`, happen.
void run_for(EventLoop& loop, std::chrono::milliseconds time) { run_to_end(loop, pause(loop, time)); }

// ---- EventLoop

TEST(EventLoop, PostedCallbacksRunInTheirOrder) {
  EventLoop loop;
  std::string ran;
  for (const char c : {'a', 'b', 'c'}) loop.post([&ran, c] { ran += c; });
  EXPECT_EQ(ran, "") << "later, on the loop";
  loop.post([&] { loop.stop(); });
  loop.run();
  EXPECT_EQ(ran, "abc");
}

TEST(EventLoop, RunsOnWithNothingToDoUntilStopped) {
  EventLoop loop;
  bool stopped = false;
  std::thread other([&] {
    std::this_thread::sleep_for(50ms);
    loop.post([&] { stopped = true; });
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  other.join();
  EXPECT_TRUE(stopped);
}

TEST(EventLoop, StopMayComeFromAnotherThread) {
  EventLoop loop;
  std::thread other([&] {
    std::this_thread::sleep_for(20ms);
    loop.stop();
  });
  loop.run();
  other.join();
}

TEST(EventLoop, ASecondRunContinuesWithWhatWasLeft) {
  EventLoop loop;
  std::string ran;
  loop.post([&] {
    ran += 'a';
    loop.stop();
  });
  loop.post([&] {
    ran += 'b';
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(ran, "a");
  loop.run();
  EXPECT_EQ(ran, "ab");
}

TEST(EventLoop, CallbacksPostedByManyThreadsAllRunOnTheLoopsThread) {
  EventLoop loop;
  const auto home = std::this_thread::get_id();
  int ran = 0, elsewhere = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) {
        loop.post([&] {
          if (std::this_thread::get_id() != home) ++elsewhere;
          if (++ran == 4000) loop.stop();
        });
      }
    });
  }
  loop.run();
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ran, 4000);
  EXPECT_EQ(elsewhere, 0);
}

TEST(RunToEnd, EndsWithTheTaskThoughOthersStillWait) {
  EventLoop loop;
  Timer far(loop);
  bool fired = false;
  far.start(Clock::now() + 1h, [&] { fired = true; });
  const auto start = Clock::now();
  run_for(loop, 20ms);
  EXPECT_GE(Clock::now() - start, 20ms);
  EXPECT_LT(Clock::now() - start, 10s);
  EXPECT_FALSE(fired);
}

awaitable<void> fail_with(std::string text) {
  throw std::runtime_error(text);
  co_return;
}

TEST(RunToEnd, PassesTheTasksExceptionOn) {
  EventLoop loop;
  EXPECT_THROW(run_to_end(loop, fail_with("a bug")), std::runtime_error);
}

// ---- OneShot

awaitable<void> take(OneShot<std::string> value, std::vector<std::string>& seen) {
  seen.push_back(co_await value.wait());
}

TEST(OneShot, AValueThatIsThereIsGivenAtOnceAndAgain) {
  EventLoop loop;
  OneShot<std::string> value(loop);
  EXPECT_FALSE(value.is_set());
  value.set("x");
  EXPECT_TRUE(value.is_set());
  std::vector<std::string> seen;
  run_to_end(loop, take(value, seen));
  run_to_end(loop, take(value, seen));
  EXPECT_EQ(seen, (std::vector<std::string>{"x", "x"}));
}

TEST(OneShot, AllWhoWaitGetTheValueWhenItIsSet) {
  EventLoop loop;
  OneShot<std::string> value(loop);
  std::vector<std::string> seen;
  TaskGroup group(loop);
  for (int i = 0; i < 3; ++i) group.spawn(take(value, seen));
  run_for(loop, 10ms);
  EXPECT_EQ(seen.size(), 0u);
  value.set("x");
  run_to_end(loop, group.join());
  EXPECT_EQ(seen, (std::vector<std::string>{"x", "x", "x"}));
}

TEST(OneShot, TheFirstValueStays) {
  EventLoop loop;
  OneShot<std::string> value(loop);
  const OneShot<std::string> copy = value;
  copy.set("first");
  value.set("second");
  std::vector<std::string> seen;
  run_to_end(loop, take(value, seen));
  EXPECT_EQ(seen, std::vector<std::string>{"first"});
}

TEST(OneShot, MayBeGoneBeforeItsWaiterGoesOn) {
  EventLoop loop;
  auto value = std::make_unique<OneShot<std::string>>(loop);
  std::vector<std::string> seen;
  TaskGroup group(loop);
  group.spawn(take(*value, seen));
  run_for(loop, 5ms);
  value->set("x");
  value.reset();
  run_to_end(loop, group.join());
  EXPECT_EQ(seen, std::vector<std::string>{"x"});
}

// ---- TaskGroup

TEST(TaskGroup, JoinOfAnEmptyGroupEndsAtOnce) {
  EventLoop loop;
  TaskGroup group(loop);
  EXPECT_EQ(group.running(), 0u);
  run_to_end(loop, group.join());
}

TEST(TaskGroup, JoinWaitsForAllWhateverTheirOrder) {
  EventLoop loop;
  TaskGroup group(loop);
  const auto start = Clock::now();
  for (const auto time : {60ms, 5ms, 30ms}) group.spawn(pause(loop, time));
  EXPECT_EQ(group.running(), 3u);
  run_to_end(loop, group.join());
  EXPECT_EQ(group.running(), 0u);
  EXPECT_GE(Clock::now() - start, 60ms);
}

TEST(TaskGroup, CountsWhatHasNotEnded) {
  EventLoop loop;
  TaskGroup group(loop);
  OneShot<std::string> first(loop), second(loop);
  std::vector<std::string> seen;
  group.spawn(take(first, seen));
  group.spawn(take(second, seen));
  run_for(loop, 5ms);
  EXPECT_EQ(group.running(), 2u);
  first.set("x");
  run_for(loop, 5ms);
  EXPECT_EQ(group.running(), 1u);
  second.set("x");
  run_for(loop, 5ms);
  EXPECT_EQ(group.running(), 0u);
}

awaitable<void> spawn_another(EventLoop& loop, TaskGroup& group, int more, int& ended) {
  co_await pause(loop, 2ms);
  if (more > 0) group.spawn(spawn_another(loop, group, more - 1, ended));
  ++ended;
}

TEST(TaskGroup, JoinWaitsForTasksThatAreSpawnedMeanwhile) {
  EventLoop loop;
  TaskGroup group(loop);
  int ended = 0;
  group.spawn(spawn_another(loop, group, 10, ended));
  run_to_end(loop, group.join());
  EXPECT_EQ(ended, 11);
}

awaitable<void> post_a_successor(EventLoop& loop, TaskGroup& group) {
  // Posted twice, it runs behind the end of this task and before whoever that end wakes.
  loop.post([&] { loop.post([&] { group.spawn(pause(loop, 20ms)); }); });
  co_return;
}

// The group is empty for a moment: the one who joins is woken, and another task comes before its turn.
TEST(TaskGroup, JoinWaitsForATaskThatIsSpawnedAfterTheLastOneHasEnded) {
  EventLoop loop;
  TaskGroup group(loop);
  group.spawn(post_a_successor(loop, group));
  run_to_end(loop, group.join());
  EXPECT_EQ(group.running(), 0u);
}

TEST(TaskGroup, MayBeJoinedByManyAndUsedAgain) {
  EventLoop loop;
  TaskGroup group(loop), joiners(loop);
  for (int round = 0; round < 2; ++round) {
    group.spawn(pause(loop, 10ms));
    for (int i = 0; i < 3; ++i) joiners.spawn(group.join());
    run_to_end(loop, joiners.join());
    EXPECT_EQ(group.running(), 0u);
  }
}

TEST(TaskGroup, AnExceptionOfATaskIsNotLost) {
  EventLoop loop;
  TaskGroup group(loop);
  group.spawn(fail_with("a bug"));
  EXPECT_THROW(run_to_end(loop, group.join()), std::runtime_error);
  EXPECT_EQ(group.running(), 0u);
}

// ---- Timer

TEST(Timer, FiresOnceAndNotBeforeItsTime) {
  EventLoop loop;
  Timer timer(loop);
  const auto at = Clock::now() + 30ms;
  std::vector<Clock::time_point> fired;
  timer.start(at, [&] { fired.push_back(Clock::now()); });
  run_for(loop, 100ms);
  ASSERT_EQ(fired.size(), 1u);
  EXPECT_GE(fired[0], at);
}

TEST(Timer, OfAPastTimeFiresOnTheLoopNotAtOnce) {
  EventLoop loop;
  Timer timer(loop);
  bool fired = false;
  timer.start(Clock::now() - 1h, [&] { fired = true; });
  EXPECT_FALSE(fired);
  run_for(loop, 5ms);
  EXPECT_TRUE(fired);
}

TEST(Timer, StoppedDestroyedOrRestartedItTakesThePendingCallbackBack) {
  EventLoop loop;
  std::string fired;
  const auto soon = Clock::now() + 10ms;
  Timer stopped(loop);
  stopped.start(soon, [&] { fired += 's'; });
  auto destroyed = std::make_unique<Timer>(loop);
  destroyed->start(soon, [&] { fired += 'd'; });
  Timer restarted(loop);
  restarted.start(soon, [&] { fired += 'r'; });
  stopped.stop();
  destroyed.reset();
  restarted.start(soon + 20ms, [&] { fired += 'R'; });
  run_for(loop, 80ms);
  EXPECT_EQ(fired, "R");
}

TEST(Timer, StoppingOneThatIsNotRunningIsHarmless) {
  EventLoop loop;
  Timer timer(loop);
  timer.stop();
  int fired = 0;
  timer.start(Clock::now(), [&] { ++fired; });
  run_for(loop, 5ms);
  timer.stop();
  timer.stop();
  EXPECT_EQ(fired, 1);
}

// Both expiries are queued in the same turn of the loop: cancel() alone would come too late for the second.
TEST(Timer, AnExpiryThatIsAlreadyQueuedIsTakenBack) {
  EventLoop loop;
  Timer a(loop), b(loop);
  int fired = 0;
  const auto past = Clock::now() - 1s;
  a.start(past, [&] {
    ++fired;
    b.stop();
  });
  b.start(past, [&] {
    ++fired;
    a.stop();
  });
  run_for(loop, 5ms);
  EXPECT_EQ(fired, 1);
}

TEST(Timer, ItsCallbackMayStartItAgain) {
  EventLoop loop;
  Timer timer(loop);
  int fired = 0;
  std::function<void()> again = [&] {
    if (++fired < 5) timer.start(Clock::now(), again);
  };
  timer.start(Clock::now(), again);
  run_for(loop, 50ms);
  EXPECT_EQ(fired, 5);
}

TEST(Timer, ItsCallbackMayDestroyIt) {
  EventLoop loop;
  auto timer = std::make_unique<Timer>(loop);
  std::string seen;
  timer->start(Clock::now(), [&timer, &seen, text = std::string(100, 'x')] {
    timer.reset();
    seen = text;
  });
  run_for(loop, 5ms);
  EXPECT_EQ(seen, std::string(100, 'x'));
}

}  // namespace
}  // namespace adit::io
