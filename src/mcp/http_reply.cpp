#include "http_reply.h"

namespace adit::mcp {

int status_of(const Outgoing& response, Era era) {
  if (!response.error) return 200;
  switch (*response.error) {
    case ErrorCode::parse_error:
    case ErrorCode::invalid_request:
    case ErrorCode::header_mismatch:
    case ErrorCode::missing_capability:
    case ErrorCode::unsupported_version: return 400;
    case ErrorCode::method_not_found: return era == Era::modern ? 404 : 200;
    case ErrorCode::invalid_params:
    case ErrorCode::internal:
    case ErrorCode::unavailable:
    case ErrorCode::not_found:
    case ErrorCode::resource_not_found:
    case ErrorCode::rate_limited:
    case ErrorCode::timeout:
    case ErrorCode::forbidden:
    case ErrorCode::unauthorized:
    case ErrorCode::configuration:
    case ErrorCode::validation: return 200;
  }
  return 200;
}

net::HttpResponse json_response(int status, std::string line, std::vector<net::HttpHeader> headers) {
  headers.push_back({"Content-Type", "application/json"});
  return {.status = status, .headers = std::move(headers), .body = std::move(line)};
}

HttpReply::~HttpReply() {
  if (answered_) return;
  if (stream_) stream_->finish();
  else exchange_.respond({.status = 202, .headers = form_.headers, .body = ""});
}

Send HttpReply::sender() {
  return [self = shared_from_this()](Outgoing message) { self->take(std::move(message)); };
}

void HttpReply::open_stream() {
  if (stream_ || answered_ || !form_.accepted.stream) return;
  stream_ = form_.make_stream();
  stream_->open(exchange_, form_.headers, form_.priming);
}

void HttpReply::take(Outgoing message) {
  if (answered_) return;
  const bool is_response = message.kind == Outgoing::Kind::response;
  const int status = is_response ? status_of(message, form_.era) : 200;
  if (!stream_ && (!is_response || (status == 200 && !form_.accepted.json))) open_stream();
  if (stream_) stream_->send(std::move(message.line));
  else if (is_response) exchange_.respond(json_response(status, std::move(message.line), form_.headers));
  if (!is_response) return;
  answered_ = true;
  if (stream_) stream_->finish();
}

}  // namespace adit::mcp
