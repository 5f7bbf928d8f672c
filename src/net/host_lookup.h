// Names to addresses by the system's resolver, which blocks: each look-up has a thread of its own.
#pragma once

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

  // Error reasons: host_not_found, lookup_failed.
  Task<std::vector<std::string>> find(std::string host);

 private:
  struct Shared;
  io::EventLoop& loop_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace adit::net
