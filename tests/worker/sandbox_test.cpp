// The sandbox as the engine's own threads meet it. A scalar function of this test makes forbidden system calls while
// the real worker (run_worker in a forked child: limits, engine, confinement, locks) evaluates it on all its threads;
// a sandbox proved from the main thread alone proves nothing, since Landlock binds thread by thread.
#include "worker/forked_worker.h"
#include "worker/opened_engine.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <sstream>

namespace adit::worker {
namespace {

// Runs on each connection that the engine's user makes; set in a child only.
std::function<void(duckdb_connection)> on_connection;  // NOLINT: read by duckdb_connect below

}  // namespace
}  // namespace adit::worker

// The worker connects before it locks anything: here a function is added that no client could add. The program's own
// symbol is found before the library's.
extern "C" duckdb_state duckdb_connect(duckdb_database database, duckdb_connection* out) {
  using Connect = duckdb_state (*)(duckdb_database, duckdb_connection*);
  static const auto connect = reinterpret_cast<Connect>(::dlsym(RTLD_NEXT, "duckdb_connect"));
  const auto state = connect(database, out);
  if (state == DuckDBSuccess && adit::worker::on_connection) adit::worker::on_connection(*out);
  return state;
}

namespace adit::worker {
namespace {

namespace fs = std::filesystem;

// Numbers that Debian 12's headers do not name.
constexpr long kFchmodat2 = 452;
constexpr long kSetxattrat = 463;

// Everything the attempts need, made before the child is forked.
struct Targets {
  pid_t front = 0;
  std::string outside, workspace, handed;  // directories and a file
  int tcp = -1, udp = -1, unix_socket = -1, workspace_file = -1;
};
Targets targets;  // NOLINT: the attempts are plain functions

const char* outside(std::string_view name) {
  thread_local std::string path;
  path = targets.outside + "/" + std::string(name);
  return path.c_str();
}

const char* inside(std::string_view name) {
  thread_local std::string path;
  path = targets.workspace + "/" + std::string(name);
  return path.c_str();
}

long open_file(const char* path, int flags) {
  const long fd = ::syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(static_cast<int>(fd));
  return fd;
}

long closed(long fd) {
  if (fd >= 0) ::close(static_cast<int>(fd));
  return fd;
}

// The new process ends at once.
long ended(long pid) {
  if (pid == 0) ::_exit(0);
  if (pid > 0) ::waitpid(static_cast<pid_t>(pid), nullptr, 0);
  return pid;
}

#if defined(__x86_64__)
// The child of a vfork runs on its parent's stack: it ends without touching it.
long vfork_and_end() {
  long result = SYS_vfork;
  asm volatile(
      "syscall\n"
      "test %%rax, %%rax\n"
      "jnz 1f\n"
      "mov $60, %%eax\n"  // exit
      "xor %%edi, %%edi\n"
      "syscall\n"
      "1:"
      : "+a"(result)
      :
      : "rcx", "r11", "rdi", "memory");
  if (result > 0) ::waitpid(static_cast<pid_t>(result), nullptr, 0);
  if (result >= 0) return result;
  errno = static_cast<int>(-result);
  return -1;
}
#endif

std::string proc_of_front(std::string_view name) { return fmt::format("/proc/{}/{}", targets.front, name); }

sockaddr_in loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(9);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

enum class Who {
  anyone,      // not confined, the attempt gets past permissions whoever makes it: the test's own proof
  privileged,  // some systems deny it without a sandbox, too
};

// Gives what the system call gave. Where success would do harm the arguments are wrong in a way that is looked at
// after permissions: the question is only whether the call was denied.
struct Attempt {
  std::string_view what;
  Who who;
  long (*make)();
};

const Attempt kAttempts[] = {
    // ---- Files (Landlock)
    {"read /etc/passwd", Who::anyone, [] { return open_file("/etc/passwd", O_RDONLY); }},
    {"read a file beside the workspace", Who::anyone, [] { return open_file(outside("secret"), O_RDONLY); }},
    {"write a file beside the workspace", Who::anyone, [] { return open_file(outside("secret"), O_WRONLY); }},
    {"make a file beside the workspace", Who::anyone, [] { return open_file(outside("new"), O_WRONLY | O_CREAT); }},
    {"write a handed file", Who::anyone, [] { return open_file(targets.handed.c_str(), O_WRONLY); }},
    {"truncate a handed file", Who::anyone, [] { return ::syscall(SYS_truncate, targets.handed.c_str(), 3); }},
    {"read beside the workspace by a path through it", Who::anyone,
     [] { return open_file(inside("../outside/secret"), O_RDONLY); }},
    {"read beside the workspace by a link in it", Who::anyone, [] { return open_file(inside("link"), O_RDONLY); }},
    {"list the root", Who::anyone, [] { return open_file("/", O_RDONLY | O_DIRECTORY); }},
    {"list the directory around the workspace", Who::anyone,
     [] { return open_file(inside(".."), O_RDONLY | O_DIRECTORY); }},
    {"read the front's environment", Who::anyone, [] { return open_file(proc_of_front("environ").c_str(), O_RDONLY); }},
    {"read the front's memory", Who::privileged, [] { return open_file(proc_of_front("mem").c_str(), O_RDONLY); }},
    {"write the worker's own memory", Who::anyone, [] { return open_file("/proc/self/mem", O_RDWR); }},
    {"read the worker's own environment", Who::anyone, [] { return open_file("/proc/self/environ", O_RDONLY); }},
    {"open a device", Who::anyone, [] { return open_file("/dev/null", O_RDWR); }},
    {"truncate a file", Who::anyone, [] { return ::syscall(SYS_truncate, outside("secret"), 3); }},
    {"remove a file", Who::anyone, [] { return ::syscall(SYS_unlinkat, AT_FDCWD, outside("removable"), 0); }},
    {"make a directory", Who::anyone, [] { return ::syscall(SYS_mkdirat, AT_FDCWD, outside("directory"), 0700); }},
    {"move a file into the workspace", Who::anyone,
     [] { return ::syscall(SYS_renameat2, AT_FDCWD, outside("movable"), AT_FDCWD, inside("moved"), 0); }},
    {"link a file into the workspace", Who::anyone,
     [] { return ::syscall(SYS_linkat, AT_FDCWD, outside("linkable"), AT_FDCWD, inside("linked"), 0); }},
    {"move a file out of the workspace", Who::anyone,
     [] { return ::syscall(SYS_renameat2, AT_FDCWD, inside("own"), AT_FDCWD, outside("own"), 0); }},
    {"make a symbolic link", Who::anyone, [] { return ::syscall(SYS_symlinkat, "/etc", AT_FDCWD, inside("symlink")); }},
    {"make a FIFO", Who::anyone, [] { return ::syscall(SYS_mknodat, AT_FDCWD, inside("fifo"), S_IFIFO | 0600, 0); }},
    {"execute a file", Who::anyone,
     [] {
       char* const none[] = {nullptr};
       return ::syscall(SYS_execve, "/no/such/program", none, none);
     }},
    {"execute a descriptor", Who::anyone,
     [] {
       char* const none[] = {nullptr};
       return ::syscall(SYS_execveat, -1, "", none, none, AT_EMPTY_PATH);
     }},

    // ---- Changes of files that Landlock does not bind
    {"fchmodat", Who::anyone, [] { return ::syscall(SYS_fchmodat, AT_FDCWD, inside("own"), 0600); }},
    {"fchmod", Who::anyone, [] { return ::syscall(SYS_fchmod, targets.workspace_file, 0600); }},
    {"fchmodat2", Who::anyone, [] { return ::syscall(kFchmodat2, AT_FDCWD, outside("secret"), 0600, 0); }},
    {"fchownat", Who::anyone, [] { return ::syscall(SYS_fchownat, AT_FDCWD, inside("own"), -1, -1, 0); }},
    {"fchown", Who::anyone, [] { return ::syscall(SYS_fchown, targets.workspace_file, -1, -1); }},
    {"set the times of a file", Who::anyone,
     [] { return ::syscall(SYS_utimensat, AT_FDCWD, outside("secret"), nullptr, 0); }},
    {"setxattr", Who::anyone, [] { return ::syscall(SYS_setxattr, outside("secret"), "user.a", nullptr, 0, 1 << 30); }},
    {"setxattrat", Who::anyone,
     [] { return ::syscall(kSetxattrat, AT_FDCWD, outside("secret"), 0, "user.a", nullptr, 0); }},
    {"removexattr", Who::anyone, [] { return ::syscall(SYS_removexattr, outside("secret"), "user.a"); }},
    {"lremovexattr", Who::anyone, [] { return ::syscall(SYS_lremovexattr, outside("secret"), "user.a"); }},
    {"fremovexattr", Who::anyone, [] { return ::syscall(SYS_fremovexattr, targets.workspace_file, "user.a"); }},
    {"watch files", Who::anyone, [] { return closed(::syscall(SYS_inotify_init1, 0)); }},
    {"fanotify_init", Who::privileged, [] { return closed(::syscall(SYS_fanotify_init, 0, 0)); }},
#if defined(SYS_chmod)
    {"chmod", Who::anyone, [] { return ::syscall(SYS_chmod, inside("own"), 0600); }},
    {"chmod of a file outside", Who::anyone, [] { return ::syscall(SYS_chmod, outside("secret"), 0600); }},
    {"chown", Who::anyone, [] { return ::syscall(SYS_chown, inside("own"), -1, -1); }},
    {"utimes", Who::anyone, [] { return ::syscall(SYS_utimes, outside("secret"), nullptr); }},
    {"utime", Who::anyone, [] { return ::syscall(SYS_utime, outside("secret"), nullptr); }},
    {"futimesat", Who::anyone, [] { return ::syscall(SYS_futimesat, AT_FDCWD, outside("secret"), nullptr); }},
    {"watch files, the older call", Who::anyone, [] { return closed(::syscall(SYS_inotify_init)); }},
#endif

    // ---- Network
    {"make an internet socket", Who::anyone, [] { return closed(::syscall(SYS_socket, AF_INET, SOCK_STREAM, 0)); }},
    {"make an IPv6 socket", Who::privileged, [] { return closed(::syscall(SYS_socket, AF_INET6, SOCK_STREAM, 0)); }},
    {"make a local socket", Who::anyone, [] { return closed(::syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0)); }},
    {"make a netlink socket", Who::privileged, [] { return closed(::syscall(SYS_socket, AF_NETLINK, SOCK_RAW, 0)); }},
    {"make a socket pair", Who::anyone,
     [] {
       int pair[2] = {-1, -1};
       const long made = ::syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
       if (made == 0) ::close(pair[0]), ::close(pair[1]);
       return made;
     }},
    {"connect a socket that is there", Who::anyone,
     [] {
       const auto address = loopback();
       return ::syscall(SYS_connect, targets.tcp, &address, sizeof address);
     }},
    {"bind a socket that is there", Who::anyone,
     [] {
       auto address = loopback();
       address.sin_port = 0;
       return ::syscall(SYS_bind, targets.udp, &address, sizeof address);
     }},
    {"send from a socket that is there", Who::anyone,
     [] {
       const auto address = loopback();
       return ::syscall(SYS_sendto, targets.udp, "x", 1, 0, &address, sizeof address);
     }},
    {"listen", Who::anyone, [] { return ::syscall(SYS_listen, targets.unix_socket, 1); }},
    {"accept", Who::anyone, [] { return ::syscall(SYS_accept4, targets.unix_socket, nullptr, nullptr, 0); }},
    {"receive a message", Who::anyone,
     [] { return ::syscall(SYS_recvmsg, targets.unix_socket, nullptr, MSG_DONTWAIT); }},
    {"send a message", Who::anyone, [] { return ::syscall(SYS_sendmsg, targets.unix_socket, nullptr, MSG_NOSIGNAL); }},

    // ---- Other processes
    {"clone a process", Who::anyone, [] { return ended(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }},
    {"clone3 a process", Who::anyone,
     [] {
       std::uint64_t arguments[8] = {0, 0, 0, 0, SIGCHLD, 0, 0, 0};
       return ended(::syscall(SYS_clone3, arguments, sizeof arguments));
     }},
#if defined(SYS_fork)
    {"fork", Who::anyone, [] { return ended(::syscall(SYS_fork)); }},
#endif
#if defined(__x86_64__)
    {"vfork", Who::anyone, vfork_and_end},
#endif
    {"trace a process", Who::anyone, [] { return ::syscall(SYS_ptrace, PTRACE_SEIZE, 0x3fffffff, 0, 0); }},
    {"signal the front", Who::anyone, [] { return ::syscall(SYS_kill, targets.front, 0); }},
    {"signal a thread of the front", Who::anyone,
     [] { return ::syscall(SYS_tgkill, targets.front, targets.front, 0); }},
    {"signal a thread of the front, the older call", Who::anyone,
     [] { return ::syscall(SYS_tkill, targets.front, 0); }},
    {"queue a signal", Who::anyone, [] { return ::syscall(SYS_rt_sigqueueinfo, targets.front, 0, nullptr); }},
    {"take hold of the front", Who::anyone, [] { return closed(::syscall(SYS_pidfd_open, targets.front, 0)); }},
    {"read the front's memory at once", Who::privileged,
     [] {
       char byte = 0;
       iovec here{.iov_base = &byte, .iov_len = 1}, there{.iov_base = &targets, .iov_len = 1};
       return ::syscall(SYS_process_vm_readv, targets.front, &here, 1, &there, 1, 0);
     }},
    {"write the front's memory at once", Who::privileged,
     [] { return ::syscall(SYS_process_vm_writev, targets.front, nullptr, 0, nullptr, 0, 0); }},
    {"change the front's limits", Who::anyone,
     [] {
       const rlimit none{.rlim_cur = 0, .rlim_max = 0};
       return ::syscall(SYS_prlimit64, 0x3fffffff, RLIMIT_CORE, &none, nullptr);
     }},
    {"change the worker's limits", Who::anyone,
     [] {
       const rlimit none{.rlim_cur = 0, .rlim_max = 0};
       return ::syscall(SYS_prlimit64, 0, RLIMIT_CORE, &none, nullptr);
     }},
#if defined(SYS_setrlimit)
    {"change the worker's limits, the older call", Who::anyone,
     [] {
       const rlimit none{.rlim_cur = 0, .rlim_max = 0};
       return ::syscall(SYS_setrlimit, RLIMIT_CORE, &none);
     }},
#endif
    {"shared memory of System V", Who::anyone, [] { return ::syscall(SYS_shmget, 0x61646974, 0, 0); }},
    {"a message queue of System V", Who::anyone, [] { return ::syscall(SYS_msgget, 0x61646974, 0); }},
    {"semaphores of System V", Who::anyone, [] { return ::syscall(SYS_semget, 0x61646974, 0, 0); }},
    {"a message queue", Who::anyone,
     [] { return closed(::syscall(SYS_mq_open, "no-such-queue", O_RDONLY, 0, nullptr)); }},

    // ---- Ways around a filter, to more rights, and to the machine
    {"io_uring_setup", Who::privileged, [] { return closed(::syscall(SYS_io_uring_setup, 0, nullptr)); }},
    {"memfd_create", Who::anyone, [] { return closed(::syscall(SYS_memfd_create, "m", 0)); }},
    {"bpf", Who::privileged, [] { return ::syscall(SYS_bpf, -1, nullptr, 0); }},
    {"perf_event_open", Who::privileged, [] { return ::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); }},
    {"userfaultfd", Who::privileged, [] { return closed(::syscall(SYS_userfaultfd, O_CLOEXEC)); }},
    {"seccomp", Who::anyone, [] { return ::syscall(SYS_seccomp, 0xffff, 0, nullptr); }},
    {"setuid", Who::anyone, [] { return ::syscall(SYS_setuid, ::getuid()); }},
    {"setgid", Who::anyone, [] { return ::syscall(SYS_setgid, ::getgid()); }},
    {"setresuid", Who::anyone, [] { return ::syscall(SYS_setresuid, -1, -1, -1); }},
    {"keyctl", Who::privileged, [] { return ::syscall(SYS_keyctl, 0, -3, 0, 0, 0); }},
    {"personality", Who::anyone, [] { return ::syscall(SYS_personality, 0xffffffff); }},
    {"unshare", Who::anyone, [] { return ::syscall(SYS_unshare, 0); }},
    {"setns", Who::anyone, [] { return ::syscall(SYS_setns, -1, 0); }},
    {"mount", Who::privileged, [] { return ::syscall(SYS_mount, nullptr, nullptr, nullptr, 0, nullptr); }},
    {"chroot", Who::privileged, [] { return ::syscall(SYS_chroot, "/no/such/directory"); }},
    {"open_by_handle_at", Who::privileged, [] { return ::syscall(SYS_open_by_handle_at, -1, nullptr, 0); }},
    {"init_module", Who::privileged, [] { return ::syscall(SYS_init_module, nullptr, 0, nullptr); }},
};
constexpr std::size_t kAttemptCount = std::size(kAttempts);

bool is_denied(long result, int error) {
  // EXDEV: Landlock's word for a move between directories. ENOSYS: clone3, and calls that the kernel does not have.
  return result == -1 && (error == EPERM || error == EACCES || error == ENOSYS || error == EXDEV);
}

// ---- In the child: what was tried, and on which threads. Written to the report as it happens.

int report_fd = -1;                               // NOLINT
std::mutex report_mutex;                          // NOLINT
std::set<std::pair<long, std::size_t>> reported;  // NOLINT: thread and attempt

void tell(long thread, std::size_t attempt, std::string_view what) {
  const std::lock_guard lock(report_mutex);
  if (!reported.emplace(thread, attempt).second) return;
  const auto line = fmt::format("{} {}\n", thread, what);
  [[maybe_unused]] const auto written = ::write(report_fd, line.data(), line.size());
}

void make_all_attempts() {
  const long thread = ::syscall(SYS_gettid);
  tell(thread, kAttemptCount, "runs");
  for (std::size_t i = 0; i < kAttemptCount; ++i) {
    errno = 0;
    const long result = kAttempts[i].make();
    const int error = errno;
    if (!is_denied(result, error)) tell(thread, i, kAttempts[i].what);
  }
}

std::size_t threads_seen() {
  const std::lock_guard lock(report_mutex);
  std::set<long> threads;
  for (const auto& [thread, attempt] : reported) threads.insert(thread);
  return threads.size();
}

// abs(i, i, i): an overload with a name that the gate knows, so that a client's statement may call it.
void attempt_function(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  make_all_attempts();
  // A second thread that is slow to start gets its share of the rows.
  static std::atomic<int> waits = 0;
  if (waits < 2000 && threads_seen() < 2) {
    ++waits;
    ::usleep(500);
  }
  const auto size = duckdb_data_chunk_get_size(input);
  const auto* in = static_cast<std::int64_t*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, 0)));
  auto* out = static_cast<std::int64_t*>(duckdb_vector_get_data(output));
  for (idx_t i = 0; i < size; ++i) out[i] = in[i];
}

void add_attempt_function(duckdb_connection connection) {
  auto function = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(function, "abs");
  auto bigint = duckdb_create_logical_type(DUCKDB_TYPE_BIGINT);
  for (int i = 0; i < 3; ++i) duckdb_scalar_function_add_parameter(function, bigint);
  duckdb_scalar_function_set_return_type(function, bigint);
  duckdb_scalar_function_set_function(function, attempt_function);
  if (duckdb_register_scalar_function(connection, function) != DuckDBSuccess) ::_exit(77);
  duckdb_destroy_logical_type(&bigint);
  duckdb_destroy_scalar_function(&function);
}

// ---- In the parent

// What the child told: for each thread what it got away with.
struct Report {
  std::set<long> threads;
  std::set<std::string> allowed;
};

Report read_report(int fd) {
  std::string text;
  char bytes[4096];
  for (ssize_t size = 0; (size = ::read(fd, bytes, sizeof bytes)) > 0;) {
    text.append(bytes, static_cast<std::size_t>(size));
  }
  Report report;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    report.threads.insert(std::stol(line.substr(0, space)));
    const auto what = line.substr(space + 1);
    if (what != "runs") report.allowed.insert(what);
  }
  return report;
}

bool kernel_has_landlock() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

bool kernel_has_filters() { return !proc_field("/proc/self/status", "Seccomp").empty(); }

#define SKIP_WITHOUT_SANDBOX()                                               \
  if (!kernel_has_landlock()) GTEST_SKIP() << "this kernel has no Landlock"; \
  if (!kernel_has_filters()) GTEST_SKIP() << "this kernel has no seccomp"

class Sandbox : public testing::Test {
 protected:
  Sandbox() {
    fs::create_directory(directory_.path() + "/workspace");
    for (const char* name : {"secret", "removable", "movable", "linkable"}) {
      directory_.write(std::string("outside/") + name, "secret text\n");
    }
    directory_.write("workspace/own", "own text\n");
    handed_ = directory_.write("handed/numbers.csv", "n,t\n1,one\n2,two\n");
    fs::create_symlink(directory_.path() + "/outside/secret", directory_.path() + "/workspace/link");
    if (::pipe2(report_, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    targets.front = ::getpid();
    targets.outside = directory_.path() + "/outside";
    targets.workspace = directory_.path() + "/workspace";
    targets.handed = handed_;
    targets.tcp = ::socket(AF_INET, SOCK_STREAM, 0);
    targets.udp = ::socket(AF_INET, SOCK_DGRAM, 0);
    targets.unix_socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    targets.workspace_file = ::open(inside("own"), O_RDONLY | O_CLOEXEC);
  }
  ~Sandbox() override {
    for (const int fd : {targets.tcp, targets.udp, targets.unix_socket, targets.workspace_file, report_[0], report_[1]})
      if (fd >= 0) ::close(fd);
  }

  worker_protocol::OpenWorkspace workspace() const {
    auto workspace = workspace_in(directory_.path() + "/workspace");
    workspace.files = {handed_};
    return workspace;
  }

  // Of the child only.
  std::function<void()> prepare_child() {
    return [this] {
      ::close(report_[0]);
      report_fd = report_[1];
      on_connection = add_attempt_function;
    };
  }

  Report report() {
    ::close(report_[1]);
    report_[1] = -1;
    return read_report(report_[0]);
  }

  test::TemporaryDirectory directory_;
  std::string handed_;
  int report_[2] = {-1, -1};
};

TEST_F(Sandbox, WithoutItEachAttemptGetsPastPermissions) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(30);
    report_fd = report_[1];
    make_all_attempts();
    ::_exit(0);
  }
  const auto unconfined = report();
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  for (const auto& attempt : kAttempts) {
    if (attempt.who == Who::privileged) continue;
    EXPECT_TRUE(unconfined.allowed.contains(std::string(attempt.what)))
        << attempt.what << " is denied without a sandbox, so that its denial inside proves nothing";
  }
}

TEST_F(Sandbox, NothingForbiddenSucceedsOnAnyThreadOfTheEngine) {
  SKIP_WITHOUT_SANDBOX();
  ForkedWorker worker(prepare_child());
  EXPECT_EQ(worker.open(workspace()), std::vector<std::string>());
  EXPECT_EQ(worker.value("SELECT sum(abs(i, i, i)) FROM (SELECT DISTINCT range AS i FROM range(3000000))"),
            "4499998500000");
  worker.close_channel();
  EXPECT_EQ(worker.wait(), 0);
  const auto confined = report();
  EXPECT_GE(confined.threads.size(), 2u) << "the function ran on one thread only";
  for (const auto& what : confined.allowed) ADD_FAILURE() << "not denied: " << what;
}

TEST_F(Sandbox, AThreadLeavesTheFilterOfAllThreadsInPlace) {
  SKIP_WITHOUT_SANDBOX();
  ForkedWorker worker;
  worker.open(workspace());
  EXPECT_EQ(worker.value("SELECT count(*) FROM range(1000000) t(i) WHERE i % 7 = 0"), "142858");
  int threads = 0;
  for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", worker.pid()))) {
    EXPECT_EQ(proc_field(task.path() / "status", "NoNewPrivs"), "1");
    EXPECT_EQ(proc_field(task.path() / "status", "Seccomp"), "2");
    ++threads;
  }
  EXPECT_GE(threads, 3) << "two of the engine and the reader of frames";
}

// ---- What must work all the same

TEST_F(Sandbox, HandedFilesAreReadAndTheWorkspaceIsWritten) {
  ForkedWorker worker;
  worker.open(workspace());
  const auto imported = worker.import(handed_, "csv", "numbers");
  ASSERT_FALSE(imported.failure) << imported.failure->message;
  EXPECT_EQ(worker.value("SELECT string_agg(t, ',' ORDER BY n) FROM numbers"), "one,two");
  EXPECT_GT(fs::file_size(directory_.path() + "/workspace/main.duckdb"), 0u);
  worker.close_channel();
  EXPECT_EQ(worker.wait(), 0);
  // And another worker finds what this one wrote.
  ForkedWorker next;
  next.open(workspace());
  EXPECT_EQ(next.value("SELECT count(*) FROM numbers"), "2");
}

TEST_F(Sandbox, AFileThatWasNotHandedCannotBeOpened) {
  const auto other = directory_.write("handed/other.csv", "n\n1\n");
  ForkedWorker worker;
  worker.open(workspace());
  const auto imported = worker.import(other, "csv", "other");
  ASSERT_TRUE(imported.failure);
  EXPECT_FALSE(imported.ended);
  EXPECT_EQ(worker.value("SELECT 1"), "1") << "the worker goes on";
}

TEST_F(Sandbox, AHandedNameThatNowLeadsElsewhereIsNotFollowed) {
  SKIP_WITHOUT_SANDBOX();
  ForkedWorker worker;
  worker.open(workspace());
  fs::remove(handed_);
  fs::create_symlink(directory_.path() + "/outside/secret", handed_);
  const auto imported = worker.import(handed_, "csv", "numbers");
  ASSERT_TRUE(imported.failure);
  EXPECT_EQ(imported.failure->message.find("secret text"), std::string::npos);
}

TEST_F(Sandbox, ASortThatExceedsTheMemorySpillsIntoTheWorkspace) {
  auto small = workspace();
  small.memory_bytes = 64 << 20;
  ForkedWorker worker;
  worker.open(small);
  bool spilled = false;
  worker.while_waiting = [&] { spilled = spilled || !fs::is_empty(small.directory + "/spill"); };
  EXPECT_EQ(worker.value("SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY md5(i::VARCHAR)) AS r "
                         "FROM range(2000000) t(i))"),
            "2000000");
  EXPECT_TRUE(spilled) << "the query fits 64 MB and proves nothing";
}

TEST_F(Sandbox, WhatTheKernelLacksIsToldAndNothingElse) {
  const auto state_of_child = [&] {
    ForkedWorker worker;
    return worker.open(workspace());
  };
  EXPECT_EQ(state_of_child().size(), (kernel_has_landlock() ? 0u : 1u) + (kernel_has_filters() ? 0u : 1u));
}

}  // namespace
}  // namespace adit::worker
