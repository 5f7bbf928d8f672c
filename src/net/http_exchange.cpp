// The answer to one request, from the handler's side.
#include "http_exchange_state.h"

namespace adit::net {

void HttpExchange::respond(HttpResponse response) const {
  if (state_->answered || state_->closed) return;
  state_->answered = state_->finished = true;
  state_->response = std::move(response);
  state_->wake.cancel();
}

void HttpExchange::open_stream(HttpResponse head) const {
  if (state_->answered || state_->closed) return;
  state_->answered = state_->streaming = true;
  auto first = std::exchange(head.body, "");
  state_->response = std::move(head);
  state_->wake.cancel();
  write(std::move(first));
}

void HttpExchange::write(std::string bytes) const {
  auto state = state_;  // closing may end the holder of this
  if (!state->streaming || state->finished || state->closed || bytes.empty()) return;
  state->unsent += bytes.size();
  state->pieces.push_back(std::move(bytes));
  if (state->unsent > state->most_unsent && state->pieces.size() > 1) state->close();
  else state->wake.cancel();
}

void HttpExchange::finish() const {
  if (!state_->streaming || state_->closed) return;
  state_->finished = true;
  state_->wake.cancel();
}

bool HttpExchange::closed() const { return state_->closed; }

void HttpExchange::on_closed(std::function<void()> callback) const {
  if (state_->closed) callback();
  else state_->on_closed = std::move(callback);
}

}  // namespace adit::net
