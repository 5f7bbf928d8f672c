// The line ends of a CSV file, before the engine sees it: its reader knows one kind in a file.
#pragma once

#include "adit/base/result.h"
#include "sources/file_bytes.h"

#include <optional>

namespace adit::worker {

struct CsvText {
  std::string path;                 // what the engine is to read: the file, or the copy
  std::optional<ScratchFile> copy;  // unpacked, with LF behind every line
  bool has_lone_cr = false;         // CR stood beside LF or CRLF, and was taken for the end of a line
};

// A file with one kind of line ends is read where it is; gzip and mixed line ends are copied to `scratch`.
Result<void> prepare_csv(const std::string& path, const std::string& scratch, CsvText& text);

}  // namespace adit::worker
