// print-config and doctor, as a new user would try them.
#include "support/temporary_directory.h"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <string>

namespace adit::test {
namespace json = boost::json;
namespace {

struct Output {
  std::string text;
  int exit_code = -1;
};

// Standard output of a command line in the shell, with an empty home directory.
Output run(const std::string& words) {
  const TemporaryDirectory home;
  const std::string worker = ADIT_TEST_WORKER;
  const auto line = "HOME='" + home.path() +
                    "' XDG_CACHE_HOME= XDG_CONFIG_HOME= " + (worker.empty() ? "" : "ADIT_WORKER='" + worker + "' ") +
                    words + " 2>&1 </dev/null";
  std::FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return {};
  Output output;
  std::array<char, 4096> bytes{};
  while (const auto size = std::fread(bytes.data(), 1, bytes.size(), pipe)) output.text.append(bytes.data(), size);
  const int status = ::pclose(pipe);
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

std::string adit() { return std::string(ADIT_BIN_DIR) + "/adit"; }

TEST(PrintConfig, EveryJsonFormNamesThisProgramAndAFolder) {
  const TemporaryDirectory folder;
  std::filesystem::create_directory(folder.path() + "/it's a folder");
  const auto root = folder.path() + "/it's a folder";
  struct Case {
    std::string_view client, key;
  };
  for (const auto& [client, key] :
       {Case{"claude-desktop", "mcpServers"}, Case{"cursor", "mcpServers"}, Case{"vscode", "servers"},
        Case{"windsurf", "mcpServers"}, Case{"zed", "context_servers"}, Case{"gemini", "mcpServers"},
        Case{"inspector", "mcpServers"}}) {
    SCOPED_TRACE(client);
    const auto printed = run(adit() + " print-config " + std::string(client) + " --root \"" + root + "\"");
    EXPECT_EQ(printed.exit_code, 0);
    ASSERT_TRUE(printed.text.starts_with("# For ")) << printed.text;
    const auto server = json::parse(printed.text.substr(printed.text.find('\n'))).at(key).at("adit").as_object();
    EXPECT_EQ(server.at("command"), json::string(std::filesystem::canonical(adit()).string()));
    EXPECT_EQ(server.at("args"), (json::array{"serve", "--root", json::string(root)}));
    EXPECT_EQ(server.contains("type"), client == "vscode");
  }
}

// The words behind -- are a command line that serves: it ends when its input ends.
TEST(PrintConfig, ClaudeCodesLineIsOneForTheShell) {
  const TemporaryDirectory folder;
  const auto printed = run(adit() + " print-config claude-code --root '" + folder.path() + "'");
  const auto begin = printed.text.find(" -- ");
  ASSERT_NE(begin, std::string::npos) << printed.text;
  EXPECT_NE(printed.text.find("claude mcp add adit -- "), std::string::npos);
  const auto served = run(printed.text.substr(begin + 4, printed.text.size() - begin - 5));
  EXPECT_EQ(served.exit_code, 0) << served.text;
}

TEST(PrintConfig, CodexGetsToml) {
  const auto printed = run(adit() + " print-config codex --root /tmp");
  EXPECT_NE(printed.text.find("[mcp_servers.adit]\ncommand = \""), std::string::npos) << printed.text;
  EXPECT_NE(printed.text.find("\nargs = [\"serve\",\"--root\",\"/tmp\"]\n"), std::string::npos) << printed.text;
}

TEST(PrintConfig, AnUnknownClientIsToldWithItsNearest) {
  const auto printed = run(adit() + " print-config curser");
  EXPECT_EQ(printed.exit_code, 2);
  EXPECT_NE(printed.text.find("did you mean cursor?"), std::string::npos) << printed.text;
}

TEST(Doctor, UsesEveryPart) {
  const TemporaryDirectory folder;
  const auto examined = run(adit() + " doctor --root '" + folder.path() + "'");
  for (const std::string part :
       {"ok    adit ", "ok    root ", "ok    memory ", "ok    query engine ", "ok    query "}) {
    EXPECT_NE(examined.text.find(part), std::string::npos) << part << "\n" << examined.text;
  }
  EXPECT_NE(examined.text.find("sandbox"), std::string::npos);
  EXPECT_EQ(examined.exit_code, examined.text.find("FAIL") == std::string::npos ? 0 : 1) << examined.text;
}

TEST(Doctor, SaysWhatIsMissingAndWhatToDo) {
  const auto examined = run(adit() + " doctor --root /nonexistent --worker /nonexistent/adit-worker");
  EXPECT_EQ(examined.exit_code, 1);
  EXPECT_NE(examined.text.find("FAIL  roots "), std::string::npos) << examined.text;
  EXPECT_NE(examined.text.find("FAIL  query engine "), std::string::npos) << examined.text;
  EXPECT_NE(examined.text.find("--worker"), std::string::npos) << examined.text;
}

}  // namespace
}  // namespace adit::test
