// Where workspaces live on disk: STATE/<pid>-<random>/<workspace>/, mode 0700, scratch. The run holds a lock on
// STATE/<pid>-<random>/lock; directories whose lock nobody holds belong to runs that were killed, and are swept.
#pragma once

#include "adit/base/file_descriptor.h"
#include "adit/base/result.h"

#include <cstdint>
#include <functional>
#include <string>

namespace adit::workspace {

class StateDirectory {
 public:
  // `base` empty: $XDG_CACHE_HOME/adit, else ~/.cache/adit, else a directory of the user's own below /tmp.
  explicit StateDirectory(std::string base);
  StateDirectory(const StateDirectory&) = delete;
  StateDirectory& operator=(const StateDirectory&) = delete;
  ~StateDirectory();  // removes what this run made

  // Where runs have their directories.
  const std::string& base() const { return base_; }

  // Any thread: these touch nothing but files. sweep() removes what killed runs left below `base`, and stops between
  // two of them when `go_on` says no.
  static void sweep(const std::string& base, const std::function<bool()>& go_on);
  static void remove(const std::string& directory);
  static std::uintmax_t bytes_in(const std::string& directory);

  // Makes a directory for a workspace; the run's own one with the first.
  Result<std::string> create(const std::string& workspace);

 private:
  Result<void> make_run_directory();

  std::string base_;
  std::string run_;  // "" until the first workspace
  FileDescriptor lock_;
};

}  // namespace adit::workspace
