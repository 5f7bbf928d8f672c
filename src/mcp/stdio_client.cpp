#include "adit/mcp/stdio_client.h"

#include "adit/base/json_fields.h"
#include "adit/io/standard_streams.h"
#include "era.h"
#include "line_splitter.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

namespace adit::mcp {
namespace json = boost::json;

namespace {
constexpr std::size_t kLongestAnswer = 256u << 20;
}

struct StdioClient::State {
  explicit State(io::EventLoop& the_loop)
      : loop(the_loop), lines(kLongestAnswer, [this](std::string_view line) { take(line); }, [] {}) {}

  io::EventLoop& loop;
  LineSplitter lines;
  std::unique_ptr<io::ChildProcess> process;
  std::unique_ptr<io::InputThread> answers;
  std::unique_ptr<io::OutputThread> requests;
  std::int64_t last_id = 0;
  std::map<std::int64_t, io::OneShot<Result<json::object>>> waiting;

  void take(std::string_view line) {
    auto parsed = parse_json(line);
    if (!parsed.ok() || !parsed->is_object()) return;
    auto& message = parsed->get_object();
    const auto call = waiting.find(integer_or(message, "id", -1));
    if (call == waiting.end()) return;  // a notification
    auto answer = call->second;
    waiting.erase(call);
    if (auto* result = message.if_contains("result"); result != nullptr && result->is_object()) {
      answer.set(std::move(result->get_object()));
      return;
    }
    const auto* error = find_field(message, "error");
    const auto text =
        error != nullptr && error->is_object() ? text_or(error->get_object(), "message", "no message") : "";
    answer.set(Result<json::object>(
        Error{.code = ErrorCode::unavailable, .reason = "", .message = "The server answers: " + text, .hint = ""}));
  }

  void fail_all() {
    for (auto& [id, answer] : std::exchange(waiting, {})) {
      answer.set(Result<json::object>(
          Error{.code = ErrorCode::unavailable, .reason = "", .message = "The server has ended", .hint = ""}));
    }
  }
};

Result<std::unique_ptr<StdioClient>> StdioClient::start(io::EventLoop& loop, std::string program,
                                                        std::vector<std::string> arguments,
                                                        std::vector<std::string> environment) {
  int to_server[2], from_server[2];
  if (::pipe2(to_server, O_CLOEXEC) != 0 || ::pipe2(from_server, O_CLOEXEC) != 0) {
    return internal_error(fmt::format("pipe: {}", std::strerror(errno)));
  }
  auto state = std::make_shared<State>(loop);
  FileDescriptor server_in(to_server[0]), our_out(to_server[1]), our_in(from_server[0]), server_out(from_server[1]);
  io::SpawnRequest spawn{.program = std::move(program),
                         .arguments = std::move(arguments),
                         .environment = std::move(environment),
                         .standard_input = std::move(server_in),
                         .standard_output = std::move(server_out),
                         .channel = {},
                         .log_name = ""};
  ADIT_TRY(state->process, io::ChildProcess::spawn(loop, std::move(spawn)));
  state->requests = std::make_unique<io::OutputThread>(loop, std::move(our_out), [] {});
  state->answers = std::make_unique<io::InputThread>(
      loop, std::move(our_in), [state = state.get()](std::string bytes) { state->lines.feed(bytes); },
      [state = state.get()] { state->fail_all(); });
  return std::unique_ptr<StdioClient>(new StdioClient(std::move(state)));
}

StdioClient::~StdioClient() = default;

Task<json::object> StdioClient::request(std::string method, json::object params) {
  auto state = state_;
  const auto id = ++state->last_id;
  io::OneShot<Result<json::object>> answer(state->loop);
  state->waiting.emplace(id, answer);
  json::object meta{{kMetaVersion, revision_text(Revision::v2026_07_28)}, {kMetaClientCapabilities, json::object()}};
  params["_meta"] = std::move(meta);
  json::object message{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
  state->requests->write(json::serialize(message) + "\n");
  auto result = co_await answer.wait();
  co_return result;
}

Task<json::object> StdioClient::call_tool(std::string name, json::object arguments) {
  json::object params{{"name", name}, {"arguments", std::move(arguments)}};
  auto result = co_await request("tools/call", std::move(params));
  co_return result;
}

pid_t StdioClient::pid() const { return state_->process->pid(); }

boost::asio::awaitable<io::ExitStatus> StdioClient::close() {
  auto state = state_;
  state->requests->flush(io::EventLoop::Clock::now() + std::chrono::seconds(5));
  state->requests.reset();
  co_return co_await state->process->exited();
}

}  // namespace adit::mcp
