// What all resumable streams together keep for clients that come back (H19). Each stream has a limit of its own and so
// has each session; a thousand sessions at their limits would still be a gigabyte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace adit::mcp {

class ReplayMemory {
 public:
  explicit ReplayMemory(std::size_t most_bytes) : most_(most_bytes) {}

  // One stream's part; the earlier it was made, the earlier it has to give way.
  class Share {
   public:
    // `forget` drops what the stream keeps and says so by resize(0).
    Share(std::shared_ptr<ReplayMemory> memory, std::function<void()> forget);
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { resize(0); }

    // Beyond the limit of all the oldest ones forget, this one among them.
    void resize(std::size_t bytes);

   private:
    std::shared_ptr<ReplayMemory> memory_;
    std::function<void()> forget_;
    std::uint64_t age_;
    std::size_t bytes_ = 0;
  };

  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t most_;
  std::size_t bytes_ = 0;
  std::uint64_t last_age_ = 0;
  std::map<std::uint64_t, std::function<void()>*> filled_;  // shares that hold something, the oldest first
};

}  // namespace adit::mcp
