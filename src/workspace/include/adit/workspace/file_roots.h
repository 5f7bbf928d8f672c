// Which local files may be opened: regular files below roots that were named at start, found by openat2 so that no
// link leads out, with no part of the path beginning with a dot (design 4).
#pragma once

#include "adit/base/file_descriptor.h"
#include "adit/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace adit::workspace {

struct FoundFile {
  std::string real_path;  // absolute, no links: for the worker alone, never in an answer
  std::string format;     // csv, tsv, json, ndjson or parquet: by its first bytes or its name; "" if neither tells
};

class FileRoots {
 public:
  // Each must be an existing directory.
  static Result<FileRoots> from_directories(const std::vector<std::string>& directories);

  // The working directory, if it is one that a user would mean: not /, not the home directory or above it, not a
  // system directory. Otherwise no root.
  static FileRoots from_working_directory();

  bool empty() const { return roots_.empty(); }

  // `path` relative to a root, or absolute below one. Errors name the path as the caller wrote it.
  Result<FoundFile> find(std::string_view path) const;

 private:
  struct Root {
    std::string path;  // real
    std::string name;  // as the operator wrote it, absolute; "" when that says nothing
    FileDescriptor directory;
  };
  std::vector<Root> roots_;
};

}  // namespace adit::workspace
