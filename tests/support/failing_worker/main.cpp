// Stands between the front and the real worker, passes their frames on, and kills the worker and itself at one step.
//
// Beside the program lies the file `real` with the path of adit-worker, and perhaps `plan`:
//   to TYPE N      before the Nth frame of that type is passed to the worker
//   from TYPE N    when the Nth frame of that type has come from the worker and the front has not seen it
// TYPE is a number of worker_protocol::MessageType. The plan is removed when it is carried out: it fails once.
#include "adit/worker_protocol/frame.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

namespace fs = std::filesystem;
using adit::worker_protocol::encode_frame;
using adit::worker_protocol::Frame;
using adit::worker_protocol::FrameDecoder;

namespace {

constexpr int kFront = 3;

struct Plan {
  std::string direction;
  int type = 0;
  int number = 0;
};

std::optional<Plan> read_plan(const fs::path& path) {
  std::ifstream file(path);
  Plan plan;
  if (!(file >> plan.direction >> plan.type >> plan.number)) return std::nullopt;
  return plan;
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto size = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

// One direction of the conversation.
struct Passage {
  int from = -1, to = -1;
  std::string direction;
  FrameDecoder decoder;
  std::map<int, int> seen;  // frames of each type

  // False at the end of the stream, or when the plan's frame is here.
  bool pass(const std::optional<Plan>& plan, bool& reached) {
    std::array<char, 1 << 16> bytes{};
    const auto size = ::read(from, bytes.data(), bytes.size());
    if (size <= 0) return false;
    decoder.feed({bytes.data(), static_cast<std::size_t>(size)});
    for (;;) {
      auto next = decoder.next();
      if (!next.ok()) return false;
      if (!next->has_value()) return true;
      const Frame& frame = **next;
      const int type = static_cast<int>(frame.type);
      const int number = ++seen[type];
      reached = plan && plan->direction == direction && plan->type == type && plan->number == number;
      if (reached) return false;
      write_all(to, encode_frame(frame.type, frame.request, frame.payload));
    }
  }
};

}  // namespace

int main() {
  const auto directory = fs::read_symlink("/proc/self/exe").parent_path();
  std::string real;
  std::getline(std::ifstream(directory / "real"), real);
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
  const pid_t worker = ::fork();
  if (worker == 0) {
    ::dup2(pair[1], kFront);
    ::close(pair[0]);
    ::close(pair[1]);
    ::execl(real.c_str(), real.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(pair[1]);

  const auto plan = read_plan(directory / "plan");
  Passage to{.from = kFront, .to = pair[0], .direction = "to", .decoder = {}, .seen = {}};
  Passage from{.from = pair[0], .to = kFront, .direction = "from", .decoder = {}, .seen = {}};
  bool reached = false;
  for (bool open = true; open;) {
    std::array<pollfd, 2> ready{{{to.from, POLLIN, 0}, {from.from, POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 0) continue;
    if (ready[0].revents != 0) open = to.pass(plan, reached);
    if (open && ready[1].revents != 0) open = from.pass(plan, reached);
  }
  if (reached) fs::remove(directory / "plan");
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  if (reached) ::raise(SIGKILL);
  return 0;
}
