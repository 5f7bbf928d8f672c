// notifications/progress for one call (rule P1): only if its client gave a token, strictly rising, at a sane rate.
#pragma once

#include "adit/base/request_context.h"
#include "adit/mcp/outgoing.h"

#include <boost/json.hpp>

#include <memory>
#include <optional>

namespace adit::mcp {

class ProgressNotifier : public std::enable_shared_from_this<ProgressNotifier> {
 public:
  ProgressNotifier(const boost::json::object& params, Send send);

  bool wanted() const { return token_.has_value(); }
  RequestContext::ProgressSink sink();
  void finish() { finished_ = true; }  // the answer is sent: nothing more

 private:
  void notify(const Progress& progress);

  std::optional<boost::json::value> token_;  // a string or an integer, given back as it came
  Send send_;
  double last_ = -1;
  double allowed_ = 0;  // notifications that may go out at once
  bool finished_ = false;
  std::optional<RequestContext::Clock::time_point> last_time_;
};

}  // namespace adit::mcp
