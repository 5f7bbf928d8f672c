// Expiry and owners over real workers.
#include "adit/workspace/workspaces.h"

#include "support/server_process.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace adit::workspace {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

struct Opened {
  std::string id;
  std::optional<std::chrono::system_clock::time_point> expires;
};

class ExpiredWorkspaces : public testing::Test {
 protected:
  ExpiredWorkspaces() { data_.write("numbers.csv", "n\n1\n2\n3\n"); }

  std::unique_ptr<Workspaces> workspaces(Limits limits) {
    auto roots = FileRoots::from_directories({data_.path()});
    const std::string given = ADIT_TEST_WORKER;
    return std::make_unique<Workspaces>(
        loop_, std::move(*roots),
        WorkspacesOptions{.limits = limits,
                          .worker_program = given.empty() ? std::string(ADIT_BIN_DIR) + "/adit-worker" : given,
                          .state_dir = state_.path(),
                          .ids = WorkspaceIds::random});
  }

  static boost::asio::awaitable<void> open(Workspaces& workspaces, std::string owner, Result<OpenedDataset>& opened) {
    RequestContext context;
    context.set_owner(std::move(owner));
    std::vector<SourceRequest> sources{{.path = "numbers.csv", .name = {}, .format = {}}};
    opened = co_await workspaces.open(context, std::move(sources), std::nullopt);
  }

  Result<OpenedDataset> open(Workspaces& workspaces, std::string owner) {
    Result<OpenedDataset> opened = internal_error("nothing was opened");
    io::run_to_end(loop_, open(workspaces, std::move(owner), opened));
    return opened;
  }

  io::EventLoop loop_;
  test::TemporaryDirectory data_, state_;
};

TEST_F(ExpiredWorkspaces, OneThatIsNotUsedEndsByItselfWithItsDirectory) {
  Limits limits;
  limits.lifetime = Lifetime{.unused = 300ms, .whole = 1h};
  auto all = workspaces(limits);
  const auto opened = open(*all, "me");
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_TRUE(opened.value().expires.has_value());
  EXPECT_EQ(all->list("me").size(), 1u);
  for (int i = 0; i < 100 && !all->list("me").empty(); ++i) {
    io::run_to_end(loop_, io::sleep_until(loop_, io::EventLoop::Clock::now() + 50ms));
  }
  EXPECT_TRUE(all->list("me").empty());
  io::run_to_end(loop_, all->shut_down());
  std::size_t directories = 0;
  for (const auto& entry : fs::recursive_directory_iterator(state_.path())) {
    directories += entry.path().filename().string().starts_with("dataset-") ? 1 : 0;
  }
  EXPECT_EQ(directories, 0u);
}

TEST_F(ExpiredWorkspaces, AnOwnerSeesAndCountsItsOwnAlone) {
  Limits limits;
  limits.open_workspaces_of_owner = 1;
  auto all = workspaces(limits);
  ASSERT_TRUE(open(*all, "me").ok());
  const auto second = open(*all, "me");
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().reason, "limit_reached");
  ASSERT_TRUE(open(*all, "you").ok());
  EXPECT_EQ(all->list("me").size(), 1u);
  EXPECT_EQ(all->list("you").size(), 1u);
  EXPECT_NE(all->list("me")[0].id, all->list("you")[0].id);
  EXPECT_TRUE(all->list("").empty());
  io::run_to_end(loop_, all->shut_down());
}

}  // namespace
}  // namespace adit::workspace
