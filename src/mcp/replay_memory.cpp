#include "replay_memory.h"

#include <utility>

namespace adit::mcp {

ReplayMemory::Share::Share(std::shared_ptr<ReplayMemory> memory, std::function<void()> forget)
    : memory_(std::move(memory)), forget_(std::move(forget)), age_(++memory_->last_age_) {}

void ReplayMemory::Share::resize(std::size_t bytes) {
  auto& memory = *memory_;
  memory.bytes_ = memory.bytes_ - bytes_ + bytes;
  bytes_ = bytes;
  if (bytes == 0) memory.filled_.erase(age_);
  else memory.filled_.emplace(age_, &forget_);
  while (memory.bytes_ > memory.most_) (*memory.filled_.begin()->second)();
}

}  // namespace adit::mcp
