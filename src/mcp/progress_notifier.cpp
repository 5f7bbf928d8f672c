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
constexpr auto kShortestInterval = std::chrono::milliseconds(200);  // P1: at most about five a second
}

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
  if (progress.elapsed_seconds <= last_ || (last_time_ && now - *last_time_ < kShortestInterval)) return;
  last_ = progress.elapsed_seconds;
  last_time_ = now;
  auto text = progress.message;
  if (progress.fraction) text += fmt::format("{}{:.0f} % done", text.empty() ? "" : ", ", 100 * *progress.fraction);
  auto params =
      fmt::format(R"({{"progressToken":{},"progress":{})", json::serialize(*token_), progress.elapsed_seconds);
  if (!text.empty()) params.append(R"(,"message":)").append(json_string(text));
  send_({.line = notification("notifications/progress", params + "}"), .kind = Outgoing::Kind::notification});
}

}  // namespace adit::mcp
