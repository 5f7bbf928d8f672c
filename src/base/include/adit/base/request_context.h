// What a call carries through all layers: whose it is, its deadline, whether it was cancelled, and where progress goes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace adit {

struct Progress {
  double elapsed_seconds = 0;      // since the work began: always known, always rising
  std::optional<double> fraction;  // of the work that is done, 0 to 1, where the engine can tell
  std::string message;             // what is being done, short, for people
};

// A small handle: copies name the same call. Used on the event loop's thread only.
class RequestContext {
 public:
  using Clock = std::chrono::steady_clock;
  using ProgressSink = std::function<void(const Progress&)>;

  RequestContext();
  explicit RequestContext(ProgressSink sink);

  // The whole call's end, set by the layer that knows the limit; the earliest one set holds.
  void limit_to(Clock::time_point deadline);
  std::optional<Clock::time_point> deadline() const;

  // Who calls, as the transport knows it: what is kept between calls is seen by its owner only. "" on stdio.
  static constexpr std::string_view kAnyone = "anyone";  // callers that cannot be told apart
  void set_owner(std::string owner);
  const std::string& owner() const;

  void cancel();  // idempotent; runs the callbacks below, in the order they were added
  bool cancelled() const;

  bool wants_progress() const;
  void report(const Progress& progress) const;  // dropped when nobody asked, and after cancel()

  // Runs `callback` when the call is cancelled (at once, if it already is), as long as the guard lives.
  class [[nodiscard]] CancelGuard {
   public:
    CancelGuard() = default;
    CancelGuard(CancelGuard&&) noexcept = default;
    CancelGuard& operator=(CancelGuard&&) noexcept = default;
    ~CancelGuard() = default;

   private:
    friend class RequestContext;
    std::shared_ptr<std::function<void()>> callback_;
  };
  CancelGuard on_cancel(std::function<void()> callback) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace adit
