#include "progress_notifier.h"

#include "adit/base/json_fields.h"
#include "era.h"
#include "rpc_message.h"

namespace adit::mcp {
namespace json = boost::json;

namespace {
constexpr auto kShortestInterval = std::chrono::milliseconds(200);  // P1: at most about five a second
}

ProgressNotifier::ProgressNotifier(const json::object& params, std::function<void(std::string)> send)
    : send_(std::move(send)) {
  const auto* meta = find_meta(params);
  const auto* token = meta != nullptr ? find_field(*meta, "progressToken") : nullptr;
  if (token != nullptr && (token->is_string() || token->is_int64() || token->is_uint64())) token_ = *token;
}

RequestContext::ProgressSink ProgressNotifier::sink() {
  return [self = shared_from_this()](const Progress& progress) { self->notify(progress); };
}

void ProgressNotifier::notify(const Progress& progress) {
  const auto now = RequestContext::Clock::now();
  if (progress.done <= last_ || (last_time_ && now - *last_time_ < kShortestInterval)) return;
  last_ = progress.done;
  last_time_ = now;
  json::object params{{"progressToken", *token_}, {"progress", progress.done}};
  if (progress.total) params["total"] = *progress.total;
  if (!progress.message.empty()) params["message"] = progress.message;
  send_(notification("notifications/progress", params));
}

}  // namespace adit::mcp
