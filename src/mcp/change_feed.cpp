#include "adit/mcp/change_feed.h"

#include <utility>

namespace adit::mcp {

ChangeFeed::Guard ChangeFeed::listen(Listener listener) {
  std::erase_if(listeners_, [](const auto& entry) { return entry.second.expired(); });
  Guard guard;
  guard.listener_ = std::make_shared<Listener>(std::move(listener));
  listeners_.emplace(++last_, guard.listener_);
  return guard;
}

void ChangeFeed::publish(const Change& change) {
  // A listener may end others, or add some: those that were there hear of it, if they still are.
  const auto listeners = listeners_;
  for (const auto& [number, weak] : listeners) {
    if (const auto listener = weak.lock()) (*listener)(change);
  }
}

}  // namespace adit::mcp
