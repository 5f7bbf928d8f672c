#include "sources/file_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace adit::worker {
namespace {

constexpr std::size_t kPieceBytes = 1u << 20;

Error unreadable(std::string message, std::string hint) {
  return Error{.code = ErrorCode::validation,
               .reason = "runtime_error",
               .message = std::move(message),
               .hint = std::move(hint),
               .stage = "dataset"};
}

Error damaged_gzip() {
  return unreadable("its gzip compression is damaged or ends too early", "Fetch or pack the file again.");
}

}  // namespace

Result<FileBytes> FileBytes::open(const std::string& path) {
  FileBytes bytes;
  bytes.file_.reset(::gzopen(path.c_str(), "rbe"));
  if (!bytes.file_) return unreadable("it cannot be read", "Check that it is still there and may be read.");
  ::gzbuffer(bytes.file_.get(), 256u << 10);
  bytes.gzip_ = ::gzdirect(bytes.file_.get()) == 0;
  if (!bytes.gzip_ && (path.ends_with(".gz") || path.ends_with(".GZ"))) {
    return unreadable("its name says gzip and its bytes do not",
                      "Give it a name without .gz if it is not compressed, or pack it with gzip.");
  }
  bytes.buffer_.resize(kPieceBytes);
  return bytes;
}

Result<std::string_view> FileBytes::next() {
  const int size = ::gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
  if (size > 0) return std::string_view(buffer_.data(), static_cast<std::size_t>(size));
  int error = Z_OK;
  ::gzerror(file_.get(), &error);
  if (size < 0 || error == Z_BUF_ERROR) {
    return gzip_ ? damaged_gzip() : unreadable("it cannot be read to its end", "Check the disk it lies on.");
  }
  return std::string_view();
}

Result<void> ScratchFile::write(std::string_view bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (out_) return {};
  return Error{.code = ErrorCode::validation,
               .reason = "disk_limit",
               .message = "its text does not fit on the disk space of one dataset",
               .hint = "Open a part of the file, or turn it into Parquet, which is read in place.",
               .stage = "dataset"};
}

Result<void> ScratchFile::finish() {
  out_.close();
  return write({});
}

Result<std::vector<std::int64_t>> lines_of_positions(const std::string& path,
                                                     const std::vector<std::uint64_t>& positions) {
  std::vector<std::int64_t> lines;
  ADIT_TRY(auto bytes, FileBytes::open(path));
  std::int64_t line = 1;
  std::uint64_t at = 0;
  bool after_cr = false;
  while (lines.size() < positions.size()) {
    ADIT_TRY(const auto piece, bytes.next());
    if (piece.empty()) break;
    for (const char c : piece) {
      // A LF behind a CR belongs to the line that the CR has ended.
      const bool is_break = after_cr && c != '\n';
      if (is_break) ++line;
      while (lines.size() < positions.size() && positions[lines.size()] <= at) lines.push_back(line);
      if (c == '\n') ++line;
      after_cr = c == '\r';
      ++at;
    }
  }
  lines.resize(positions.size(), line);
  return lines;
}

Error too_long_line(std::int64_t line, std::uint64_t most_bytes) {
  return unreadable(fmt::format("line {} is longer than {} bytes", line, most_bytes),
                    "Check that it is the file you mean, and that it has line ends. Longer texts fit into Parquet.");
}

Error not_utf8(std::string_view encoding) {
  return unreadable(fmt::format("it is {}, and only UTF-8 is read", encoding), "Save it as UTF-8, and open it again.");
}

bool has_utf16_mark(std::string_view bytes) { return bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"); }

}  // namespace adit::worker
