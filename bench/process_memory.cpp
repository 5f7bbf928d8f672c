#include "process_memory.h"

#include <fmt/format.h>

#include <fstream>
#include <string>

namespace adit::bench {
namespace {

double field_kb(pid_t pid, const char* file, const std::string& name) {
  std::ifstream lines(fmt::format("/proc/{}/{}", pid, file));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name)) return std::stod(line.substr(name.size()));
  }
  return 0;
}

}  // namespace

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  std::ifstream list(fmt::format("/proc/{}/task/{}/children", pid, pid));
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

double rss_mb(pid_t pid) { return field_kb(pid, "status", "VmRSS:") / 1024; }

double pss_mb(const std::vector<pid_t>& processes) {
  double kb = 0;
  for (const pid_t pid : processes) kb += field_kb(pid, "smaps_rollup", "Pss:");
  return kb / 1024;
}

}  // namespace adit::bench
