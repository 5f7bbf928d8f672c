// A client's lines over one connection, with a tool that echoes: each line out is one line of JSON-RPC, whatever came
// in, and nothing runs on when all is taken back.
#include "adit/base/json_text.h"
#include "adit/io/event_loop.h"
#include "adit/mcp/connection.h"
#include "adit/mcp/server.h"
#include "fuzz/require.h"
#include "rpc_message.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace adit::mcp {
namespace json = boost::json;
namespace {

Task<ToolResult> run_echo(json::object arguments) {
  ToolResult result;
  result.structured = json::serialize(arguments);
  co_return result;
}

Server make_server() {
  Tool echo;
  echo.name = "echo";
  echo.title = "Echo";
  echo.description = "Gives its arguments";
  echo.input_schema = json::parse(R"({"type":"object","additionalProperties":false,"properties":{
      "text":{"type":"string","maxLength":20},"n":{"type":"integer","minimum":0},"list":{"type":"array"}}})")
                          .as_object();
  echo.output_schema = json::object{{"type", "object"}};
  echo.call = [](RequestContext, json::object arguments) { return run_echo(std::move(arguments)); };
  echo.render_error = [](const Error& error) {
    ToolResult result;
    result.structured = json::serialize(json::object{{"error", error.message}});
    result.is_error = true;
    return result;
  };
  ServerInfo info;
  info.name = "fuzz";
  info.title = "Fuzz";
  info.version = "1";
  info.description = "A server for fuzzing";
  info.instructions = "Call echo.";
  return Server(std::move(info), {std::move(echo)});
}

void check_line_out(const std::string& line) {
  FUZZ_REQUIRE(line.find_first_of("\r\n") == std::string::npos);
  std::string checked;
  FUZZ_REQUIRE(append_checked_json(checked, line, {.depth = 1000}).ok());
  json::parse_options options;
  options.max_depth = 1000;
  json::error_code error;
  const auto message = json::parse(line, error, {}, options);
  // A number in an echoed argument may be beyond what the parser holds.
  if (error) {
    FUZZ_REQUIRE(error == json::error::exponent_overflow);
    return;
  }
  FUZZ_REQUIRE(message.is_object() && message.get_object().at("jsonrpc") == "2.0");
  const auto& object = message.get_object();
  FUZZ_REQUIRE(object.contains("method") != (object.contains("result") || object.contains("error")));
  // Only an error may answer nobody: the id of what came could not be read (J3).
  FUZZ_REQUIRE(object.contains("method") || object.contains("error") || object.contains("id"));
}

void check(std::string_view input) {
  static const Server server = make_server();
  io::EventLoop loop;
  std::vector<std::string> out;
  mcp::Connection connection(loop, server, [&](Outgoing message) { out.push_back(std::move(message.line)); });
  while (!input.empty()) {
    const auto end = input.find('\n');
    const auto line = input.substr(0, end);
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);

    const auto parsed = parse_message(line);
    FUZZ_REQUIRE(parsed.message.has_value() != parsed.bad.has_value());
    if (parsed.bad) {
      FUZZ_REQUIRE(!parsed.bad->error.message.empty());
      check_line_out(error_response(parsed.bad->id, parsed.bad->error));
    }
    const auto answers_before = out.size();
    connection.receive(line);
    loop.context().restart();
    loop.context().poll();
    if (parsed.message && parsed.message->kind == MessageKind::request) FUZZ_REQUIRE(out.size() > answers_before);
  }
  connection.cancel_all();
  loop.context().restart();
  loop.context().poll();
  FUZZ_REQUIRE(connection.running_calls() == 0);
  for (const auto& line : out) check_line_out(line);
}

}  // namespace
}  // namespace adit::mcp

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  adit::mcp::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
