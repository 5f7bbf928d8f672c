// Names to addresses by the system's resolver, which blocks: each look-up has a thread of its own. Calls that want the
// same name share one look-up; beyond a few at once, names wait for their turn.
#pragma once

#include "adit/base/request_context.h"
#include "adit/base/task.h"
#include "adit/io/event_loop.h"

#include <memory>
#include <string>
#include <vector>

namespace adit::net {

// Loop thread only. A look-up that is still at work when this goes away ends on its own and is heard by nobody.
class SystemHostLookup {
 public:
  explicit SystemHostLookup(io::EventLoop& loop);
  SystemHostLookup(const SystemHostLookup&) = delete;
  SystemHostLookup& operator=(const SystemHostLookup&) = delete;
  ~SystemHostLookup();

  // Ends with the context's deadline, and at once when it is cancelled; the look-up goes on for others. Error reasons:
  // host_not_found, lookup_failed, timed_out, cancelled.
  Task<std::vector<std::string>> find(RequestContext context, std::string host);

 private:
  struct Shared;
  io::EventLoop& loop_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace adit::net
