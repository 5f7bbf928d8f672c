// The program's options: flags over environment over configuration file over defaults, and what a wrong one gets.
#include "support/dataset_calls.h"

#include <gtest/gtest.h>

#include <optional>

namespace adit::test {
namespace {

using namespace std::chrono_literals;

class Options : public testing::Test {
 protected:
  Options() { data_.write("t.csv", "x\n1\n"); }

  // How many datasets may be open at once, shown by opening them.
  static int open_datasets(ServerProcess& server) {
    for (int open = 0; open < 10; ++open) {
      if (const auto answer = open_paths(server, {"t.csv"}); answer.contains("error")) {
        EXPECT_EQ(of_error(answer, "kind"), "limit_reached");
        return open;
      }
    }
    return -1;
  }

  TemporaryDirectory data_, config_;
};

TEST_F(Options, FlagsStandOverTheEnvironmentThisOverTheFile) {
  struct Case {
    std::optional<std::string> file, environment, flag;
    int open;
  };
  const Case cases[] = {
      {"1", {}, {}, 1}, {{}, "2", {}, 2}, {{}, {}, "3", 3}, {"1", "2", {}, 2}, {"1", "2", "3", 3}, {"1", {}, "3", 3},
  };
  for (const auto& [file, environment, flag, open] : cases) {
    SCOPED_TRACE(file.value_or("-") + environment.value_or("-") + flag.value_or("-"));
    ServerOptions options = with_root(data_.path());
    config_.write("config.toml", file ? "open-datasets = " + *file + "\n" : "");
    options.environment.push_back("ADIT_CONFIG=" + config_.path() + "/config.toml");
    if (environment) options.environment.push_back("ADIT_OPEN_DATASETS=" + *environment);
    if (flag) options.arguments.insert(options.arguments.end(), {"--open-datasets", *flag});
    ServerProcess server(options);
    EXPECT_EQ(open_datasets(server), open);
  }
}

TEST_F(Options, TheUsualFileIsReadWhenItIsThere) {
  config_.write("adit/config.toml", "# two lists in one\nroot = [\"" + data_.path() + "\"]\nopen-datasets = 1\n");
  ServerProcess server({.environment = {"XDG_CONFIG_HOME=" + config_.path()}});
  EXPECT_EQ(open_datasets(server), 1);
}

// "Never … a silent default" (design 8).
TEST_F(Options, WhatDoesNotFitStopsTheStart) {
  struct Case {
    std::string file;
    std::vector<std::string> arguments;
    std::string told;
  };
  const Case cases[] = {
      {"open-dataset = 1\n", {}, "config.toml:1: there is no option open-dataset. Near: open-datasets."},
      {"\nhelp = true\n", {}, "config.toml:2: there is no option help."},
      {"open-datasets = \n", {}, "config.toml:1: "},
      {"open-datasets = \"many\"\n", {}, "config.toml:1: "},
      {"open-datasets = 0\n", {}, "config.toml:1: "},
      {"[limits]\nopen-datasets = 1\n", {}, "config.toml:1: there is no option limits."},
      {"engine-memory = {a = 1}\n", {}, "config.toml:1: engine-memory is a text, a number or a list of texts."},
      {"engine-memory = \"1 TON\"\n", {}, "config.toml:1: "},
      {"", {"--config", "/nonexistent/adit.toml"}, "/nonexistent/adit.toml: the configuration file cannot be read."},
      {"", {"--engine-memory", "1MiB"}, "--engine-memory"},
      {"", {"--sql-deadline", "0"}, "--sql-deadline"},
      {"", {"--live-workers", "-1"}, "--live-workers"},
      {"", {"--log-level", "loud"}, "--log-level"},
  };
  for (const auto& [file, arguments, told] : cases) {
    SCOPED_TRACE(file + testing::PrintToString(arguments));
    ServerOptions options = with_root(data_.path());
    if (!file.empty()) {
      config_.write("config.toml", file);
      options.arguments.insert(options.arguments.end(), {"--config", config_.path() + "/config.toml"});
    }
    options.arguments.insert(options.arguments.end(), arguments.begin(), arguments.end());
    ServerProcess server(options);
    EXPECT_EQ(server.wait_for_exit(5s), 2);
    EXPECT_NE(server.standard_error().find(told), std::string::npos) << server.standard_error();
  }
}

TEST_F(Options, LimitsHold) {
  ServerOptions options = with_root(data_.path());
  options.arguments.insert(options.arguments.end(), {"--sql-deadline", "0.5", "--engine-memory", "100MB"});
  ServerProcess server(options);
  const auto id = dataset_of(open_paths(server, {"t.csv"}));
  const auto slow =
      query(server, id, {"SELECT count(*) FROM range(100000000) a, range(100000) b WHERE a.range % 7 = b.range % 5"});
  EXPECT_EQ(of_error(slow, "kind"), "timeout");
  EXPECT_NE(of_error(slow, "message").find("0.5 s"), std::string::npos) << of_error(slow, "message");
  EXPECT_EQ(of_error(query(server, id, {"SELECT list_sum(range(50000000))"}), "kind"), "memory_limit");
}

}  // namespace
}  // namespace adit::test
