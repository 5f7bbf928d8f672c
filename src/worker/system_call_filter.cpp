// A list of what is denied, not of what is allowed: the engine's library may use other harmless calls in its next
// version, and what it must never do is known. Denied calls fail with EPERM; clone3 with ENOSYS, so that the C library
// falls back to clone, whose flags a filter can read.
#include "system_call_filter.h"

#include <fmt/format.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

namespace adit::worker {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
constexpr std::uint32_t kFirstForeignCall = 0x40000000;  // the x32 table
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
constexpr std::uint32_t kFirstForeignCall = 0x40000000;
#else
#error "the system call filter knows x86-64 and arm64"
#endif

// Calls younger than the headers of Debian 12; their numbers are the same on all architectures.
constexpr std::uint32_t kFchmodat2 = 452, kSetxattrat = 463, kRemovexattrat = 466;

constexpr std::uint32_t kDenied[] = {
    // network; the socket pair to the front is used with read and write alone
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto, SYS_recvfrom,
    SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg, SYS_recvmmsg, SYS_setsockopt,
    // other programs and processes
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill, SYS_tkill,
    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_getfd, SYS_pidfd_send_signal, SYS_kcmp,
#if defined(SYS_fork)
    SYS_fork, SYS_vfork,
#endif
    // ways around a filter, or to more rights
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
    SYS_seccomp, SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups,
    SYS_capset, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_personality, SYS_memfd_create,
    // mounts, namespaces, the machine
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_open_by_handle_at,
    SYS_name_to_handle_at, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon,
    SYS_swapoff, SYS_sethostname, SYS_setdomainname, SYS_syslog, SYS_acct, SYS_quotactl, SYS_settimeofday,
    SYS_clock_settime, SYS_adjtimex,
    // changes of files that Landlock does not bind, and watching others' files
    SYS_setrlimit, SYS_utimensat, SYS_lremovexattr, SYS_fremovexattr, kFchmodat2, kSetxattrat, kRemovexattrat,
    SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_setxattr, SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr,
    SYS_fanotify_init, SYS_inotify_init1,
#if defined(SYS_chmod)
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_inotify_init,
#endif
    // System V IPC and message queues reach other processes
    SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget, SYS_mq_open};

class Program {
 public:
  // Loads a 32-bit word of seccomp_data.
  void load(std::size_t offset) {
    code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void give(std::uint32_t action) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, action)); }
  void give_if_equal(std::uint32_t value, std::uint32_t action) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
    give(action);
  }
  void give_if_not_equal(std::uint32_t value, std::uint32_t action) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
    give(action);
  }
  void give_if_at_least(std::uint32_t value, std::uint32_t action) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, 0, 1));
    give(action);
  }
  // For one call: unless the argument's low word has all `bits` set. Ends the program for that call.
  void need_bits(std::uint32_t call, std::size_t argument, std::uint32_t bits, std::uint32_t otherwise) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 5));
    load(argument_offset(argument));
    code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, bits, 1, 0));
    give(otherwise);
    give(SECCOMP_RET_ALLOW);
  }
  // For one call: unless the argument is `value` (both words). Ends the program for that call.
  void need_value(std::uint32_t call, std::size_t argument, std::uint64_t value, std::uint32_t otherwise) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 6));
    load(argument_offset(argument));
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(value), 0, 2));
    load(argument_offset(argument) + 4);
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(value >> 32), 1, 0));
    give(otherwise);
    give(SECCOMP_RET_ALLOW);
  }

  sock_fprog program() { return {.len = static_cast<unsigned short>(code_.size()), .filter = code_.data()}; }

 private:
  static std::size_t argument_offset(std::size_t argument) {
    return offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);  // little-endian: the low word first
  }
  std::vector<sock_filter> code_;
};

Program worker_program() {
  constexpr std::uint32_t kDeny = SECCOMP_RET_ERRNO | EPERM;
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.give_if_not_equal(kArchitecture, SECCOMP_RET_KILL_PROCESS);
  program.load(offsetof(seccomp_data, nr));
  program.give_if_at_least(kFirstForeignCall, kDeny);
  for (const auto call : kDenied) program.give_if_equal(call, kDeny);
  program.give_if_equal(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  // Threads only; abort() signals its own process; limits are read, not changed.
  program.need_bits(SYS_clone, 0, CLONE_THREAD, kDeny);
  program.need_value(SYS_tgkill, 0, static_cast<std::uint64_t>(::getpid()), kDeny);
  program.need_value(SYS_prlimit64, 2, 0, kDeny);
  program.give(SECCOMP_RET_ALLOW);
  return program;
}

}  // namespace

Result<bool> install_system_call_filter() {
  auto program = worker_program();
  auto filter = program.program();
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0) return true;
  if (errno == ENOSYS || errno == EINVAL) return false;
  return internal_error(fmt::format("seccomp: {}", std::strerror(errno)));
}

}  // namespace adit::worker
