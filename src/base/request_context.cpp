#include "adit/base/request_context.h"

#include <utility>
#include <vector>

namespace adit {

struct RequestContext::State {
  std::string owner;
  std::optional<Clock::time_point> deadline;
  bool cancelled = false;
  ProgressSink sink;
  std::vector<std::weak_ptr<std::function<void()>>> callbacks;
};

RequestContext::RequestContext() : state_(std::make_shared<State>()) {}

RequestContext::RequestContext(ProgressSink sink) : RequestContext() { state_->sink = std::move(sink); }

void RequestContext::limit_to(Clock::time_point deadline) {
  if (!state_->deadline || deadline < *state_->deadline) state_->deadline = deadline;
}

std::optional<RequestContext::Clock::time_point> RequestContext::deadline() const { return state_->deadline; }

void RequestContext::set_owner(std::string owner) { state_->owner = std::move(owner); }

const std::string& RequestContext::owner() const { return state_->owner; }

void RequestContext::cancel() {
  if (state_->cancelled) return;
  state_->cancelled = true;
  // A callback may end the call and with it this context: the state is held, the list taken out first.
  auto state = state_;
  auto callbacks = std::exchange(state->callbacks, {});
  for (const auto& weak : callbacks) {
    if (auto callback = weak.lock()) (*callback)();
  }
}

bool RequestContext::cancelled() const { return state_->cancelled; }

bool RequestContext::wants_progress() const { return static_cast<bool>(state_->sink); }

void RequestContext::report(const Progress& progress) const {
  if (state_->sink && !state_->cancelled) state_->sink(progress);
}

RequestContext::CancelGuard RequestContext::on_cancel(std::function<void()> callback) const {
  CancelGuard guard;
  if (state_->cancelled) {
    callback();
    return guard;
  }
  guard.callback_ = std::make_shared<std::function<void()>>(std::move(callback));
  std::erase_if(state_->callbacks, [](const auto& weak) { return weak.expired(); });
  state_->callbacks.push_back(guard.callback_);
  return guard;
}

}  // namespace adit
