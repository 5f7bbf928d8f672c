#include "support/http_server_process.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

namespace adit::test {
namespace json = boost::json;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view kListening = "listening on http://";

ServerOptions with_http(ServerOptions options) {
  auto& arguments = options.arguments;
  if (std::find(arguments.begin(), arguments.end(), "--http") == arguments.end()) {
    arguments.insert(arguments.end(), {"--http", "127.0.0.1:0"});
  }
  return options;
}

}  // namespace

ModernRequest::ModernRequest(std::string_view method, json::object params) {
  headers = {{"Content-Type", "application/json"},
             {"Accept", "application/json, text/event-stream"},
             {"MCP-Protocol-Version", std::string(kModern)},
             {"Mcp-Method", std::string(method)}};
  for (const auto* field : {"name", "uri"}) {
    if (const auto* name = params.if_contains(field)) headers.emplace_back("Mcp-Name", name->as_string());
  }
  params["_meta"] = json::object{{"io.modelcontextprotocol/protocolVersion", kModern},
                                 {"io.modelcontextprotocol/clientCapabilities", json::object()}};
  message = {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
}

ModernRequest& ModernRequest::header(std::string_view name, std::optional<std::string> value) {
  std::erase_if(headers, [name](const auto& header) { return header.first == name; });
  if (value) headers.emplace_back(name, *value);
  return *this;
}

ModernRequest& ModernRequest::meta(std::string_view key, json::value value) {
  message["params"].as_object()["_meta"].as_object()[key] = std::move(value);
  return *this;
}

ModernRequest& ModernRequest::without_meta(std::string_view key) {
  message["params"].as_object()["_meta"].as_object().erase(key);
  return *this;
}

std::string ModernRequest::bytes() const { return http_request("POST", "/mcp", headers, json::serialize(message)); }

ModernRequest modern_call(std::string_view tool, json::object arguments) {
  return ModernRequest("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}});
}

std::string legacy_post(std::string_view session, const json::object& message, HttpHeaders more) {
  HttpHeaders headers = {{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
  if (!session.empty()) headers.emplace_back("Mcp-Session-Id", session);
  headers.insert(headers.end(), more.begin(), more.end());
  return http_request("POST", "/mcp", headers, json::serialize(message));
}

json::object legacy_request(std::int64_t id, std::string_view method, json::object params) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
}

json::object json_of(const HttpReply& reply) {
  json::error_code error;
  auto value = json::parse(reply.body, error);
  if (error || !value.is_object()) {
    ADD_FAILURE() << "no JSON object: " << reply.status << " " << reply.body.substr(0, 500);
    return {};
  }
  return std::move(value.as_object());
}

json::object message_of(std::string_view event) {
  const auto at = event.find("data: {");
  if (at == std::string_view::npos) return {};
  return json::parse(std::string(event.substr(at + 6))).as_object();
}

std::string id_of_event(std::string_view event) {
  if (!event.starts_with("id: ")) return "";
  return std::string(event.substr(4, event.find('\n') - 4));
}

HttpServerProcess::HttpServerProcess(ServerOptions options) : process_(with_http(std::move(options))) {
  std::string text;
  const bool listening = eventually(30s, [&] {
    text = process_.standard_error();
    return text.find("listening on ") != std::string::npos && text.ends_with('\n');
  });
  if (!listening) ADD_FAILURE() << "the server does not listen: " << text;
  if (const auto at = text.find(kListening); at != std::string::npos) {
    port_ = static_cast<std::uint16_t>(std::stoi(text.substr(text.find(':', at + kListening.size()) + 1)));
  }
}

HttpServerProcess::~HttpServerProcess() {
  process_.kill(SIGTERM);
  if (!process_.wait_for_exit(10s)) ADD_FAILURE() << "the server does not end";
}

json::object HttpServerProcess::call(std::string_view tool, json::object arguments) const {
  const auto reply = ask(modern_call(tool, std::move(arguments)).bytes());
  auto message = json_of(reply);
  auto* result = message.if_contains("result");
  if (result == nullptr) {
    ADD_FAILURE() << reply.status << " " << json::serialize(message);
    return {};
  }
  return std::move(result->as_object().at("structuredContent").as_object());
}

std::string HttpServerProcess::initialize(std::string_view version) const {
  const auto reply = ask(legacy_post(
      "", legacy_request(0, "initialize", {{"protocolVersion", version}, {"capabilities", json::object()}})));
  EXPECT_EQ(reply.status, 200) << reply.body;
  return reply.header("mcp-session-id");
}

}  // namespace adit::test
