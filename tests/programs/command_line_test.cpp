// print-config and doctor, as a new user would try them. What print-config prints: tests/node/clients.test.mjs.
#include "support/temporary_directory.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace adit::test {
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
