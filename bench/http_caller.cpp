#include "http_caller.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace adit::bench {
namespace {

std::string post(std::string_view headers, std::string_view body) {
  return fmt::format(
      "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Accept: application/json, text/event-stream\r\n{}Content-Length: {}\r\n\r\n{}",
      headers, body.size(), body);
}

}  // namespace

Caller::Caller(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) throw std::runtime_error("connect");
}

Caller::Caller(Caller&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), received_(std::move(other.received_)), sent_(other.sent_) {}

Caller::~Caller() {
  if (fd_ >= 0) ::close(fd_);
}

void Caller::send(const std::string& request) {
  received_.clear();
  sent_ = Clock::now();
  if (::send(fd_, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) {
    throw std::runtime_error("send");
  }
}

bool Caller::receive() {
  char chunk[65536];
  const auto size = ::recv(fd_, chunk, sizeof chunk, 0);
  if (size <= 0) throw std::runtime_error("the server closed a connection");
  received_.append(chunk, static_cast<std::size_t>(size));
  const auto head = received_.find("\r\n\r\n");
  if (head == std::string::npos) return false;
  if (received_.starts_with("HTTP/1.1 204")) return true;
  if (header("Transfer-Encoding") == "chunked") return received_.ends_with("\r\n0\r\n\r\n");
  return received_.size() >= head + 4 + std::stoul(header("Content-Length"));
}

const std::string& Caller::ask(const std::string& request) {
  send(request);
  while (!receive()) {
  }
  return received_;
}

std::string Caller::header(std::string_view name) const {
  const auto at = received_.find(fmt::format("\r\n{}: ", name));
  if (at == std::string::npos || at > received_.find("\r\n\r\n")) return "";
  const auto begin = at + name.size() + 4;
  return received_.substr(begin, received_.find("\r\n", begin) - begin);
}

bool Caller::succeeded() const {
  return received_.starts_with("HTTP/1.1 2") && received_.find("\"isError\":true") == std::string::npos &&
         received_.find(",\"error\":{\"code\":") == std::string::npos;
}

double Caller::milliseconds() const { return std::chrono::duration<double, std::milli>(Clock::now() - sent_).count(); }

std::string modern_request(std::string_view method, std::string_view name, std::string_view members,
                           std::string_view meta) {
  const auto body = fmt::format(
      R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{{"_meta":{{)"
      R"("io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}{}}}{}}}}})",
      method, meta, members);
  auto headers = fmt::format("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {}\r\n", method);
  if (!name.empty()) headers += fmt::format("Mcp-Name: {}\r\n", name);
  return post(headers, body);
}

std::string modern_call(std::string_view tool, std::string_view arguments, std::string_view meta) {
  return modern_request("tools/call", tool, fmt::format(R"(,"name":"{}","arguments":{})", tool, arguments), meta);
}

std::string legacy_initialize() {
  return post("", R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
                  R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})");
}

std::string legacy_ping(std::string_view session) {
  return post(fmt::format("Mcp-Session-Id: {}\r\n", session), R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
}

std::string legacy_end(std::string_view session) {
  return fmt::format("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: {}\r\n\r\n", session);
}

}  // namespace adit::bench
