// The bytes of a text file, whether it is gzip or not, and what is done with them before the engine reads them.
#pragma once

#include "adit/base/result.h"

#include <zlib.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace adit::worker {

class FileBytes {
 public:
  // The first bytes tell whether it is gzip; a name that promises it and does not keep it is an error.
  static Result<FileBytes> open(const std::string& path);

  // The next piece; empty at the end. Damage of the compression is an error.
  Result<std::string_view> next();

  bool is_gzip() const { return gzip_; }

 private:
  struct Close {
    void operator()(gzFile file) const { ::gzclose_r(file); }
  };

  std::unique_ptr<gzFile_s, Close> file_;
  std::vector<char> buffer_;
  bool gzip_ = false;
};

// A copy of a source in the workspace, for the engine to read in its place. The disk is freed with the object.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& path) : path_(path), out_(path, std::ios::binary | std::ios::trunc) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { std::ofstream(path_, std::ios::trunc).flush(); }

  Result<void> write(std::string_view bytes);
  Result<void> finish();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::ofstream out_;
};

// The line in which each byte stands, the first being 1: CR, LF and CRLF end a line. `positions` in ascending order.
Result<std::vector<std::int64_t>> lines_of_positions(const std::string& path,
                                                     const std::vector<std::uint64_t>& positions);

Error too_long_line(std::int64_t line, std::uint64_t most_bytes);
Error not_utf8(std::string_view encoding);

// UTF-16 and UTF-32 by their byte order mark.
bool has_utf16_mark(std::string_view bytes);
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

}  // namespace adit::worker
