#include "progress_notifier.h"

#include "adit/base/json_fields.h"
#include "adit/base/json_text.h"
#include "era.h"
#include "rpc_message.h"

#include <fmt/format.h>

#include <cmath>

namespace adit::mcp {
namespace json = boost::json;

namespace {
// P1: at most about five a second. The first few may come at once, so that short steps of a short call are told, too.
constexpr double kPerSecond = 5;
constexpr double kBurst = 3;
}  // namespace

ProgressNotifier::ProgressNotifier(const json::object& params, Send send) : send_(std::move(send)) {
  const auto* meta = find_meta(params);
  const auto* token = meta != nullptr ? find_field(*meta, "progressToken") : nullptr;
  if (token != nullptr && (token->is_string() || token->is_int64() || token->is_uint64())) token_ = *token;
}

RequestContext::ProgressSink ProgressNotifier::sink() {
  return [self = shared_from_this()](const Progress& progress) { self->notify(progress); };
}

// Seconds are what is sent, since they rise whatever the engine knows of its own work; the share done is in the text.
void ProgressNotifier::notify(const Progress& progress) {
  if (finished_ || !std::isfinite(progress.elapsed_seconds)) return;
  const auto now = RequestContext::Clock::now();
  if (progress.elapsed_seconds <= last_) return;
  const std::chrono::duration<double> since = last_time_ ? now - *last_time_ : RequestContext::Clock::duration::zero();
  allowed_ = last_time_ ? std::min(kBurst, allowed_ + kPerSecond * since.count()) : kBurst;
  last_time_ = now;
  if (allowed_ < 1) return;
  allowed_ -= 1;
  last_ = progress.elapsed_seconds;
  auto text = progress.message;
  if (progress.fraction) text += fmt::format("{}{:.0f} % done", text.empty() ? "" : ", ", 100 * *progress.fraction);
  auto params =
      fmt::format(R"({{"progressToken":{},"progress":{})", json::serialize(*token_), progress.elapsed_seconds);
  if (!text.empty()) params.append(R"(,"message":)").append(json_string(text));
  send_({.line = notification("notifications/progress", params + "}"), .kind = Outgoing::Kind::notification});
}

}  // namespace adit::mcp
