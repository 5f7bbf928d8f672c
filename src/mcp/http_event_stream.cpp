#include "http_event_stream.h"

#include <fmt/format.h>

#include <charconv>

namespace adit::mcp {
namespace {

constexpr int kRetryMs = 1'000;  // when a client comes back whose connection broke

bool read_number(std::string_view text, std::uint64_t& number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size();
}

}  // namespace

void EventStream::open(net::HttpExchange exchange, std::vector<net::HttpHeader> headers, Priming priming) {
  std::string first;
  if (priming == Priming::yes) first = fmt::format("id: {}-0\nretry: {}\ndata: \n\n", number_, kRetryMs);
  start(std::move(exchange), std::move(headers), std::move(first));
}

bool EventStream::can_resume(std::uint64_t last) const {
  if (number_ == 0 || last > last_index_) return false;
  return last == last_index_ || (!kept_.empty() && kept_.front().index <= last + 1);
}

void EventStream::resume(net::HttpExchange exchange, std::vector<net::HttpHeader> headers, std::uint64_t last) {
  end_connection();
  std::string missed;
  for (const auto& event : kept_) {
    if (event.index > last) missed += event_text(event.index, event.line);
  }
  start(std::move(exchange), std::move(headers), std::move(missed));
  if (finished_) exchange_->finish();
}

void EventStream::start(net::HttpExchange exchange, std::vector<net::HttpHeader> headers, std::string first) {
  headers.push_back({"Content-Type", "text/event-stream"});
  headers.push_back({"Cache-Control", "no-cache"});
  headers.push_back({"X-Accel-Buffering", "no"});
  exchange.open_stream({.status = 200, .headers = std::move(headers), .body = std::move(first)});
  exchange_ = std::move(exchange);
}

void EventStream::send(std::string line) {
  const auto index = ++last_index_;
  if (attached()) exchange_->write(event_text(index, line));
  if (number_ == 0) return;
  kept_.push_back({index, std::move(line)});
  kept_bytes_ += cost_of(kept_.back());
  while (kept_bytes_ > most_kept_) {
    kept_bytes_ -= cost_of(kept_.front());
    kept_.pop_front();
  }
  share_->resize(kept_bytes_);
}

void EventStream::finish() {
  finished_ = true;
  if (attached()) exchange_->finish();
}

void EventStream::keep_alive() {
  if (attached() && !finished_) exchange_->write(": keep-alive\n\n");
}

void EventStream::end_connection() {
  if (attached()) exchange_->finish();
  exchange_.reset();
}

void EventStream::forget() {
  kept_.clear();
  kept_bytes_ = 0;
  if (share_) share_->resize(0);
}

std::string EventStream::event_text(std::uint64_t index, std::string_view line) const {
  if (number_ == 0) return fmt::format("data: {}\n\n", line);
  return fmt::format("id: {}-{}\ndata: {}\n\n", number_, index, line);
}

std::optional<EventId> EventId::parse(std::string_view text) {
  const auto dash = text.find('-');
  EventId id;
  const bool fits = dash != std::string_view::npos && read_number(text.substr(0, dash), id.stream) &&
                    read_number(text.substr(dash + 1), id.event);
  if (!fits) return std::nullopt;
  return id;
}

}  // namespace adit::mcp
