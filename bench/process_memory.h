// Memory of a server: all its processes together.
#pragma once

#include <sys/types.h>

#include <vector>

namespace adit::bench {

std::vector<pid_t> children_of(pid_t pid);

double rss_mb(pid_t pid);

// Proportional set size: a page that several processes share counts once in all.
double pss_mb(const std::vector<pid_t>& processes);

}  // namespace adit::bench
