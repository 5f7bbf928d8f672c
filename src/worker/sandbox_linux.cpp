#include "sandbox_linux.h"

#include "adit/base/file_descriptor.h"
#include "system_call_filter.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace adit::worker {
namespace {

// Bits that Debian 12's header does not name yet (kernel documentation, "Landlock: unprivileged access control").
constexpr std::uint64_t kAccessRefer = 1ULL << 13;                                     // ABI 2
constexpr std::uint64_t kAccessTruncate = 1ULL << 14;                                  // ABI 3
constexpr std::uint64_t kAccessIoctlDevice = 1ULL << 15;                               // ABI 5
constexpr std::uint64_t kNetBindTcp = 1ULL << 0, kNetConnectTcp = 1ULL << 1;           // ABI 4
constexpr std::uint64_t kScopeAbstractSockets = 1ULL << 0, kScopeSignals = 1ULL << 1;  // ABI 6

constexpr std::uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kBasicAccess = (1ULL << 13) - 1;  // everything of ABI 1

// The structure as of ABI 6; an older kernel takes its beginning.
struct RulesetAttributes {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;
  std::uint64_t scoped;
};

std::size_t attribute_bytes(int abi) {
  if (abi >= 6) return sizeof(RulesetAttributes);
  return abi >= 4 ? 2 * sizeof(std::uint64_t) : sizeof(std::uint64_t);
}

RulesetAttributes everything(int abi) {
  RulesetAttributes attributes{.handled_access_fs = kBasicAccess, .handled_access_net = 0, .scoped = 0};
  if (abi >= 2) attributes.handled_access_fs |= kAccessRefer;
  if (abi >= 3) attributes.handled_access_fs |= kAccessTruncate;
  if (abi >= 4) attributes.handled_access_net = kNetBindTcp | kNetConnectTcp;
  if (abi >= 5) attributes.handled_access_fs |= kAccessIoctlDevice;
  if (abi >= 6) attributes.scoped = kScopeAbstractSockets | kScopeSignals;
  return attributes;
}

// Files below the directory are made, read, written and removed; nothing is executed, no device, socket or FIFO made.
std::uint64_t directory_access(int abi) {
  std::uint64_t access = kRead | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE |
                         LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                         LANDLOCK_ACCESS_FS_MAKE_DIR;
  if (abi >= 3) access |= kAccessTruncate;
  return access;
}

Result<void> allow(int ruleset, const std::string& path, std::uint64_t access) {
  const FileDescriptor fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  // A handed file that is gone needs no rule: reading it fails as it should.
  if (!fd.valid()) return {};
  const landlock_path_beneath_attr rule{.allowed_access = access, .parent_fd = fd.get()};
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) return {};
  return internal_error(fmt::format("landlock_add_rule: {}", std::strerror(errno)));
}

Result<void> restrict_files(int abi, const std::string& directory, const std::vector<std::string>& files) {
  const auto attributes = everything(abi);
  const FileDescriptor ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, attribute_bytes(abi), 0)));
  if (!ruleset.valid()) return internal_error(fmt::format("landlock_create_ruleset: {}", std::strerror(errno)));
  ADIT_CHECK(allow(ruleset.get(), directory, directory_access(abi)));
  for (const auto& file : files) ADIT_CHECK(allow(ruleset.get(), file, kRead));
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0) return {};
  return internal_error(fmt::format("landlock_restrict_self: {}", std::strerror(errno)));
}

}  // namespace

Result<SandboxState> confine_process(const std::string& directory, const std::vector<std::string>& files) {
  SandboxState state;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return internal_error(fmt::format("no_new_privs: {}", std::strerror(errno)));
  }
  const auto abi =
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
  if (abi < 1) {
    state.missing.push_back(
        fmt::format("Landlock ({}): only the engine's own locks keep SQL from other files", std::strerror(errno)));
  } else {
    ADIT_CHECK(restrict_files(abi, directory, files));
  }
  ADIT_TRY(const bool filtered, install_system_call_filter());
  if (!filtered) state.missing.emplace_back("seccomp: no filter keeps the engine from the network");
  return state;
}

}  // namespace adit::worker
