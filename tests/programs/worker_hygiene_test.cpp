// What a worker has of its front: nothing. Looked at from outside, while it is at work (reference: design 1).
#include "support/dataset_calls.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace adit::test {
namespace fs = std::filesystem;
namespace {

std::string slurp(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> names_in_environment(pid_t pid) {
  std::set<std::string> names;
  const auto text = slurp(fmt::format("/proc/{}/environ", pid));
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\0', begin), text.size());
    const auto variable = text.substr(begin, end - begin);
    names.insert(variable.substr(0, variable.find('=')));
    begin = end + 1;
  }
  return names;
}

TEST(WorkerHygiene, HasNoDescriptorAndNoVariableOfItsFront) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may look into another process";
  TemporaryDirectory data;
  data.write("numbers.csv", "n\n1\n");
  ServerOptions options = with_root(data.path());
  options.environment = {"SOCRATA_APP_TOKEN=a-secret", "AWS_SECRET_ACCESS_KEY=another", "DUCKDB_TEST=1"};
  ServerProcess server(options);
  const auto id = dataset_of(open_paths(server, {"numbers.csv"}));
  const auto call = server.start_call(
      "query", query_arguments(
                   id, {"SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5"}));
  ASSERT_TRUE(eventually(std::chrono::seconds(5), [&] { return server.workers().size() == 1; }));
  const pid_t worker = server.workers()[0];

  EXPECT_EQ(names_in_environment(worker), (std::set<std::string>{"DUCKDB_JE_MALLOC_CONF", "HOME", "LC_ALL", "TZ"}));
  EXPECT_EQ(slurp(fmt::format("/proc/{}/environ", worker)).find("secret"), std::string::npos);
  EXPECT_EQ(slurp(fmt::format("/proc/{}/cmdline", worker)).find(data.path()), std::string::npos);

  // Standard streams, the socket to the front, and files of its own dataset.
  const auto own = fs::canonical(server.state_dir()).string();
  for (const auto& entry : fs::directory_iterator(fmt::format("/proc/{}/fd", worker))) {
    std::error_code gone;
    const auto target = fs::read_symlink(entry.path(), gone).string();
    if (gone) continue;
    const int fd = std::stoi(entry.path().filename());
    const bool standard = fd <= 2 && (target == "/dev/null" || target.starts_with("pipe:"));
    const bool channel = fd == 3 && target.starts_with("socket:");
    EXPECT_TRUE(standard || channel || target.starts_with(own)) << fd << " is " << target;
  }
  cancel(server, call);
}

}  // namespace
}  // namespace adit::test
