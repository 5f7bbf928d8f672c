#include "support/portal_answer.h"

#include "adit/base/ascii_case.h"

#include <boost/beast/http/status.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace adit::test {
namespace http = boost::beast::http;
namespace {

bool names(const PortalAnswer& answer, std::string_view header) {
  return std::any_of(answer.headers.begin(), answer.headers.end(),
                     [header](const auto& h) { return ascii_lower_case(h.first) == header; });
}

std::string head_of(const PortalAnswer& answer, std::size_t body_size, ConnectionAfter connection) {
  const auto reason = http::obsolete_reason(static_cast<http::status>(answer.status));
  auto head = fmt::format("HTTP/1.1 {} {}\r\n", answer.status, std::string_view(reason.data(), reason.size()));
  if (!names(answer, "content-type")) head += "Content-Type: application/json;charset=utf-8\r\n";
  for (const auto& [name, value] : answer.headers) head += fmt::format("{}: {}\r\n", name, value);
  if (const auto coding = content_encoding(answer.fault.coding); !coding.empty()) {
    head += fmt::format("Content-Encoding: {}\r\n", coding);
  }
  switch (answer.framing) {
    case PortalAnswer::Framing::length: head += fmt::format("Content-Length: {}\r\n", body_size); break;
    case PortalAnswer::Framing::chunked: head += "Transfer-Encoding: chunked\r\n"; break;
    case PortalAnswer::Framing::until_close: break;
  }
  if (connection == ConnectionAfter::close) head += "Connection: close\r\n";
  return head + "\r\n";
}

// Two chunks, so that a client has to join some.
std::string chunks_of(std::string_view body) {
  std::string bytes;
  for (const auto part : {body.substr(0, body.size() / 2), body.substr(body.size() / 2)}) {
    if (!part.empty()) bytes.append(fmt::format("{:x}\r\n", part.size())).append(part).append("\r\n");
  }
  return bytes + "0\r\n\r\n";
}

}  // namespace

PortalReply reply_of(PortalAnswer answer, HasBody has_body, ConnectionAfter connection) {
  auto body =
      answer.fault.coding == Coding::identity ? std::move(answer.body) : coded(answer.body, answer.fault.coding);
  PortalReply reply{.bytes = head_of(answer, body.size(), connection)};
  const auto head = reply.bytes.size();
  if (has_body == HasBody::yes)
    reply.bytes += answer.framing == PortalAnswer::Framing::chunked ? chunks_of(body) : body;
  switch (answer.fault.kind) {
    case Fault::Kind::truncated:
    case Fault::Kind::stalls_in_body:
    case Fault::Kind::reset_in_body: reply.sent = head + (reply.bytes.size() - head) / 2; break;
    case Fault::Kind::reset_after_head: reply.sent = head; break;
    case Fault::Kind::none:
    case Fault::Kind::closes_after:
    case Fault::Kind::reset:
    case Fault::Kind::silent:
    case Fault::Kind::not_http:
    case Fault::Kind::raw: reply.sent = reply.bytes.size(); break;
  }
  return reply;
}

}  // namespace adit::test
