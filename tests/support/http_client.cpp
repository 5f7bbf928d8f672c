#include "support/http_client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

namespace adit::test {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool names(const HttpHeaders& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(), [name](const auto& h) { return lower_case(h.first) == name; });
}

}  // namespace

std::string HttpReply::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return "";
}

std::string http_request(std::string_view method, std::string_view target, const HttpHeaders& headers,
                         std::string_view body) {
  auto text = fmt::format("{} {} HTTP/1.1\r\n", method, target);
  if (!names(headers, "host")) text += "Host: localhost\r\n";
  for (const auto& [name, value] : headers) text += fmt::format("{}: {}\r\n", name, value);
  const bool has_length = names(headers, "content-length") || names(headers, "transfer-encoding");
  if (!has_length && (!body.empty() || method == "POST")) text += fmt::format("Content-Length: {}\r\n", body.size());
  return text.append("\r\n").append(body);
}

HttpClient::HttpClient(std::uint16_t port) {
  fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) close();
}

HttpClient::HttpClient(const std::string& unix_path) {
  fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, unix_path.data(), std::min(unix_path.size(), sizeof name.sun_path - 1));
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) close();
}

HttpClient::HttpClient(HttpClient&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)),
      chunked_(other.chunked_),
      left_(other.left_),
      ended_(other.ended_),
      was_reset_(other.was_reset_),
      events_(std::move(other.events_)) {}

HttpClient::~HttpClient() { close(); }

void HttpClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

void HttpClient::end_sending() { ::shutdown(fd_, SHUT_WR); }

std::size_t HttpClient::drop(std::size_t most) {
  std::string bytes(most, '\0');
  const auto size = ::recv(fd_, bytes.data(), bytes.size(), 0);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

void HttpClient::send(std::string_view bytes) {
  while (!bytes.empty() && fd_ >= 0) {
    const auto size = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return;  // the test sees it by what it waits for
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

bool HttpClient::receive(Time by) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(by - std::chrono::steady_clock::now());
  pollfd poll_fd{.fd = fd_, .events = POLLIN, .revents = 0};
  if (fd_ < 0 || ::poll(&poll_fd, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0))) <= 0) return false;
  char chunk[65536];
  const auto size = ::recv(fd_, chunk, sizeof chunk, 0);
  if (size <= 0) {
    was_reset_ = size < 0 && errno == ECONNRESET;
    close();
    return false;
  }
  buffer_.append(chunk, static_cast<std::size_t>(size));
  return true;
}

std::optional<std::string> HttpClient::take_line(Time by) {
  std::size_t end;
  while ((end = buffer_.find("\r\n")) == std::string::npos) {
    if (!receive(by)) return std::nullopt;
  }
  auto line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

bool HttpClient::take(std::string& out, std::size_t size, Time by) {
  while (buffer_.size() < size) {
    if (!receive(by)) return false;
  }
  out.append(buffer_, 0, size);
  buffer_.erase(0, size);
  return true;
}

std::optional<HttpReply> HttpClient::read_head(std::chrono::milliseconds timeout) {
  const auto by = std::chrono::steady_clock::now() + timeout;
  chunked_ = ended_ = false;
  left_.reset();
  events_.clear();
  const auto first = take_line(by);
  if (!first || first->size() < 12) return std::nullopt;
  HttpReply reply;
  reply.status = std::stoi(first->substr(9, 3));
  for (;;) {
    const auto line = take_line(by);
    if (!line) return std::nullopt;
    if (line->empty()) break;
    const auto colon = line->find(": ");
    reply.headers.emplace_back(lower_case(line->substr(0, colon)), line->substr(colon + 2));
  }
  chunked_ = reply.header("transfer-encoding") == "chunked";
  if (const auto length = reply.header("content-length"); !length.empty()) left_ = std::stoul(length);
  if (reply.status < 200 || reply.status == 204) left_ = 0;
  return reply;
}

bool HttpClient::receive_body(HttpReply& reply, Time by) {
  if (chunked_) {
    const auto size_line = take_line(by);
    if (!size_line) return false;
    const auto size = std::stoul(*size_line, nullptr, 16);
    std::string end;
    if (!take(reply.body, size, by) || !take(end, 2, by)) return false;
    ended_ = size == 0;
    return size != 0;
  }
  if (left_) {
    const bool whole = take(reply.body, *left_, by);
    ended_ = whole;
    return false;
  }
  // Until the connection ends.
  if (buffer_.empty() && !receive(by)) {
    ended_ = fd_ < 0;
    return false;
  }
  reply.body += std::exchange(buffer_, {});
  return true;
}

std::optional<HttpReply> HttpClient::read_reply(std::chrono::milliseconds timeout) {
  const auto by = std::chrono::steady_clock::now() + timeout;
  auto reply = read_head(timeout);
  if (!reply) return std::nullopt;
  while (receive_body(*reply, by)) {
  }
  if (!ended_) return std::nullopt;
  return reply;
}

std::string HttpClient::read_body(std::chrono::milliseconds timeout) {
  const auto by = std::chrono::steady_clock::now() + timeout;
  HttpReply reply;
  while (receive_body(reply, by)) {
  }
  return std::move(reply.body);
}

HttpReply HttpClient::ask(std::string_view bytes) {
  send(bytes);
  auto reply = read_reply();
  if (!reply) ADD_FAILURE() << "no answer to: " << bytes.substr(0, 300);
  return reply.value_or(HttpReply());
}

std::optional<std::string> HttpClient::read_event(std::chrono::milliseconds timeout) {
  const auto by = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    if (const auto end = events_.find("\n\n"); end != std::string::npos) {
      auto event = events_.substr(0, end);
      events_.erase(0, end + 2);
      return event;
    }
    HttpReply part;
    const bool more = receive_body(part, by);
    events_ += part.body;
    if (!more && events_.find("\n\n") == std::string::npos) return std::nullopt;
  }
}

bool HttpClient::closed_within(std::chrono::milliseconds timeout) {
  const auto by = std::chrono::steady_clock::now() + timeout;
  while (receive(by)) {
  }
  return fd_ < 0;
}

std::string HttpClient::read_to_end(std::chrono::milliseconds timeout) {
  const auto by = std::chrono::steady_clock::now() + timeout;
  while (receive(by)) {
  }
  return std::exchange(buffer_, {});
}

}  // namespace adit::test
