#include "state_directory.h"

#include "support/temporary_directory.h"

#include <gtest/gtest.h>
#include <sys/file.h>

#include <filesystem>
#include <fstream>

namespace adit::workspace {
namespace {

namespace fs = std::filesystem;

TEST(StateDirectory, OnlyDirectoriesOfRunsThatAreGoneAreSwept) {
  struct Case {
    std::string_view what, name;
    enum class Lock { none, free, held } lock;
    bool stays;
  };
  using Lock = Case::Lock;
  constexpr Case cases[] = {
      {"a run that was killed", "17-0123456789abcdef", Lock::free, false},
      {"a run that is there", "18-0123456789abcdef", Lock::held, true},
      {"a run that has just begun", "19-0123456789abcdef", Lock::none, true},
      {"another name", "datasets", Lock::free, true},
      {"a name of another form", "17-0123456789ABCDEF", Lock::free, true},
  };
  const test::TemporaryDirectory base;
  std::vector<FileDescriptor> held;
  for (const auto& [what, name, lock, stays] : cases) {
    const auto run = fs::path(base.path()) / name;
    fs::create_directories(run / "dataset-1" / "spill");
    std::ofstream(run / "dataset-1" / "some.bytes") << "bytes";
    if (lock == Lock::none) continue;
    std::ofstream(run / "lock") << "";
    if (lock == Lock::free) continue;
    held.emplace_back(::open((run / "lock").c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_EQ(::flock(held.back().get(), LOCK_EX | LOCK_NB), 0);
  }
  StateDirectory::sweep(base.path(), [] { return true; });
  for (const auto& [what, name, lock, stays] : cases) {
    EXPECT_EQ(fs::exists(fs::path(base.path()) / name), stays) << what;
  }
}

// A server that ends does not wait until everything is swept; the next one goes on.
TEST(StateDirectory, SweepingEndsBehindOneDirectoryWhenItIsToldTo) {
  const test::TemporaryDirectory base;
  for (const auto* name : {"17-0123456789abcdef", "18-0123456789abcdef", "19-0123456789abcdef"}) {
    fs::create_directories(fs::path(base.path()) / name);
    std::ofstream(fs::path(base.path()) / name / "lock") << "";
  }
  const auto left = [&] { return std::distance(fs::directory_iterator(base.path()), {}); };
  StateDirectory::sweep(base.path(), [] { return false; });
  EXPECT_EQ(left(), 2);
  StateDirectory::sweep(base.path(), [] { return true; });
  EXPECT_EQ(left(), 0);
}

TEST(StateDirectory, CountsTheBytesOfFilesAtAnyDepth) {
  const test::TemporaryDirectory base;
  fs::create_directories(fs::path(base.path()) / "a" / "b");
  EXPECT_EQ(StateDirectory::bytes_in(base.path()), 0u);
  std::ofstream(fs::path(base.path()) / "one") << "12345";
  std::ofstream(fs::path(base.path()) / "a" / "b" / "two") << "123";
  EXPECT_EQ(StateDirectory::bytes_in(base.path()), 8u);
  EXPECT_EQ(StateDirectory::bytes_in(base.path() + "/none"), 0u);
}

}  // namespace
}  // namespace adit::workspace
