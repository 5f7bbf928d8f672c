#include "http_connections.h"

#include "http_connection.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <utility>
#include <vector>

namespace adit::net {
using Clock = io::EventLoop::Clock;
namespace {

constexpr auto kLooks = std::chrono::milliseconds(250);  // how often deadlines are looked at

}  // namespace

void HttpConnections::take(Socket socket) {
  const bool full = open.size() >= limits.connections;
  auto connection = std::make_shared<HttpConnection>(shared_from_this(), std::move(socket));
  connection->place = open.insert(open.end(), connection);
  if (full && resting.empty()) {
    connection->refuse();
    return;
  }
  if (full) close_longest_resting();
  connection->rest();
  if (!std::exchange(looking_, true)) looks_.start(Clock::now() + kLooks, [this] { look(); });
}

void HttpConnections::look() {
  // Closing one may run a handler's callback, so the list is not walked meanwhile.
  const auto now = Clock::now();
  std::vector<std::shared_ptr<HttpConnection>> late, lost;
  for (const auto& connection : open) {
    if (connection->is_late(now)) late.push_back(connection);
    else if (connection->has_lost_its_peer()) lost.push_back(connection);
  }
  for (const auto& connection : late) connection->give_up();
  for (const auto& connection : lost) connection->close();
  looking_ = !open.empty();
  if (looking_) looks_.start(now + kLooks, [this] { look(); });
}

const std::string& HttpConnections::date() {
  const auto now = std::time(nullptr);
  if (now != date_second_) {
    date_second_ = now;
    date_ = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(now));
  }
  return date_;
}

bool HttpConnections::close_longest_resting() {
  if (resting.empty()) return false;
  resting.front()->close();
  return true;
}

void HttpConnections::stop() {
  stopping = true;
  while (close_longest_resting()) {
  }
}

void HttpConnections::close_all() {
  while (!open.empty()) open.front()->close();
}

}  // namespace adit::net
