#include "adit/workspace/file_roots.h"

#include "adit/base/json_text.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace adit::workspace {
namespace {

Error path_error(std::string_view path, std::string_view what, std::string hint) {
  return Error{.code = ErrorCode::validation,
               .reason = "not_allowed",
               .message = fmt::format("The file {} {}", json_string(to_valid_utf8(utf8_prefix(path, 300))), what),
               .hint = std::move(hint),
               .stage = "input"};
}

bool has_dot_part(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    const auto part = path.substr(begin, end - begin);
    if (part.starts_with('.') && part != ".") return true;
    begin = end + 1;
  }
  return false;
}

std::string real_path_of(int fd) {
  std::array<char, 4096> target{};
  const ssize_t size = ::readlink(fmt::format("/proc/self/fd/{}", fd).c_str(), target.data(), target.size());
  return size > 0 && static_cast<std::size_t>(size) < target.size()
             ? std::string(target.data(), static_cast<std::size_t>(size))
             : std::string();
}

// openat2 below the root; glibc 2.36 has no wrapper.
FileDescriptor open_beneath(int root, const std::string& path, std::uint64_t flags) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return FileDescriptor(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
}

// The same without the root as a border: to see where a link with an absolute target leads.
std::string real_path_from(int root, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_MAGICLINKS;
  const FileDescriptor file(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how)));
  return file.valid() ? real_path_of(file.get()) : "";
}

bool is_kernel_filesystem(int fd) {
  struct statfs info{};
  return ::fstatfs(fd, &info) != 0 || info.f_type == PROC_SUPER_MAGIC || info.f_type == SYSFS_MAGIC;
}

std::string format_of(int fd, std::string_view path) {
  std::array<char, 4> first{};
  if (::pread(fd, first.data(), first.size(), 0) == 4 && std::memcmp(first.data(), "PAR1", 4) == 0) return "parquet";
  const auto ends_with = [&](std::string_view ending) {
    return path.size() > ending.size() &&
           ::strncasecmp(path.data() + path.size() - ending.size(), ending.data(), ending.size()) == 0;
  };
  static constexpr std::pair<std::string_view, std::string_view> kEndings[] = {
      {".csv", "csv"},       {".tsv", "tsv"},      {".tab", "tsv"},        {".json", "json"},
      {".ndjson", "ndjson"}, {".jsonl", "ndjson"}, {".parquet", "parquet"}};
  for (const auto& [ending, format] : kEndings) {
    if (ends_with(ending) || (format != "parquet" && ends_with(std::string(ending) + ".gz")))
      return std::string(format);
  }
  return "";
}

// `path` as a path below the directory, or nothing.
std::optional<std::string> below(const std::string& directory, std::string_view path) {
  if (!path.starts_with('/')) return std::string(path);
  if (!path.starts_with(directory)) return std::nullopt;
  path.remove_prefix(directory.size());
  if (path.empty()) return ".";
  if (path.front() != '/') return std::nullopt;
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  return path.empty() ? "." : std::string(path);
}

// The root as the operator wrote it, from / on. A name with .. says nothing without the links it crosses.
std::string absolute_name(const std::string& name) {
  if (name.find("..") != std::string::npos) return "";
  auto path = std::filesystem::absolute(name).lexically_normal().string();
  while (path.ends_with('/')) path.pop_back();
  return path;
}

std::string_view kind_of_file(mode_t mode) {
  if (S_ISDIR(mode)) return "is a directory";
  if (S_ISFIFO(mode)) return "is a named pipe";
  if (S_ISSOCK(mode)) return "is a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "is a device";
  return "is not a regular file";
}

bool is_system_directory(const std::string& path) {
  for (const std::string_view name :
       {"/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/usr", "/var"}) {
    if (path == name || path.starts_with(std::string(name) + "/")) return true;
  }
  return false;
}

}  // namespace

Result<FileRoots> FileRoots::from_directories(const std::vector<std::string>& directories) {
  FileRoots roots;
  for (const auto& name : directories) {
    FileDescriptor directory(::open(name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    auto path = directory.valid() ? real_path_of(directory.get()) : "";
    if (path.empty()) {
      return Error{
          .code = ErrorCode::validation,
          .reason = "invalid_argument",
          .message = fmt::format("The root {} is not a directory that can be used: {}", name, std::strerror(errno)),
          .hint = "Name existing directories with --root."};
    }
    if (path == "/") path.clear();  // so that root + "/" + rest stays a path
    roots.roots_.push_back({std::move(path), absolute_name(name), std::move(directory)});
  }
  return roots;
}

FileRoots FileRoots::from_working_directory() {
  std::error_code error;
  const auto path = std::filesystem::canonical(".", error).string();
  if (error || path == "/" || is_system_directory(path)) return {};
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    const auto real_home = std::filesystem::weakly_canonical(home, error).string() + "/";
    if (real_home.starts_with(path + "/")) return {};
  }
  auto roots = from_directories({path});
  return roots.ok() ? std::move(*roots) : FileRoots();
}

Result<FoundFile> FileRoots::find(std::string_view path) const {
  if (roots_.empty()) {
    return path_error(path, "cannot be opened: no directory is open to this server",
                      "Start the server with --root DIR for each directory whose files may be opened.");
  }
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    return Error{.code = ErrorCode::validation,
                 .reason = "invalid_argument",
                 .message = path.empty() ? "path is empty" : "path has a NUL character, which no name of a file has",
                 .hint = "Name a file relative to a root, or by its full path below one.",
                 .stage = "input"};
  }
  if (path.find('\\') != std::string_view::npos && path.find('/') == std::string_view::npos) {
    return path_error(path, "was not found", "Paths are written with / here.");
  }
  int last_error = ENOENT;
  for (const auto& root : roots_) {
    auto relative = below(root.path, path);
    if (!relative && !root.name.empty()) relative = below(root.name, path);
    if (!relative) continue;
    // Above the root the operator has chosen; below it nothing hidden is meant.
    if (has_dot_part(*relative)) {
      return path_error(path, "has a part that begins with a dot", "Hidden files, and .. in a path, are not opened.");
    }
    // First without opening it: that waits for the writer of a pipe, and does things to a device.
    auto found = open_beneath(root.directory.get(), *relative, O_PATH);
    if (!found.valid() && errno == EXDEV) {
      // A link whose target begins with / may lead below the root all the same.
      const auto inside = below(root.path, real_path_from(root.directory.get(), *relative));
      errno = EXDEV;
      if (inside && !inside->empty()) {
        relative = inside;
        found = open_beneath(root.directory.get(), *relative, O_PATH);
      }
    }
    if (!found.valid()) {
      last_error = errno;
      continue;
    }
    struct stat info{};
    if (::fstat(found.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return path_error(path, kind_of_file(info.st_mode), "Name a regular file.");
    }
    const auto file = open_beneath(root.directory.get(), *relative, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!file.valid()) {
      last_error = errno;
      continue;
    }
    if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) || is_kernel_filesystem(file.get())) {
      return path_error(path, "is not a regular file", "Name a regular file.");
    }
    auto real = real_path_of(file.get());
    // A link below the root may lead to a hidden place below the root.
    const auto inside = below(root.path, real);
    if (real.empty() || !inside || has_dot_part(*inside)) {
      return path_error(path, "lies outside the roots or in a hidden place", "Name a file below a root.");
    }
    return FoundFile{.real_path = real, .format = format_of(file.get(), path)};
  }
  if (last_error == EXDEV || last_error == ELOOP) {
    return path_error(path, "leads out of the roots", "Name a file below a root; links out of it are not followed.");
  }
  if (last_error == ENOTDIR) {
    return path_error(path, "was not found: what stands before a / in it is not a directory",
                      "Name a file, without a / behind its name.");
  }
  if (last_error == EACCES) return path_error(path, "may not be read", "Change its permissions, or name another one.");
  return path_error(path, "was not found below the roots of this server",
                    "Name it relative to a root (--root), or by its full path below one.");
}

}  // namespace adit::workspace
