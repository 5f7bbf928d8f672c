// Notices that something a client may have read has changed. Loop thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace adit::mcp {

struct Change {
  enum class Kind { tools, prompts, resources, resource } kind;
  std::string uri = {};  // of a resource
};

class ChangeFeed {
 public:
  using Listener = std::function<void(const Change& change)>;

  // Listens as long as the guard lives. The feed may end before it.
  class [[nodiscard]] Guard {
   public:
    Guard() = default;
    Guard(Guard&&) noexcept = default;
    Guard& operator=(Guard&&) noexcept = default;
    ~Guard() = default;

   private:
    friend class ChangeFeed;
    std::shared_ptr<Listener> listener_;
  };

  Guard listen(Listener listener);
  void publish(const Change& change);

 private:
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::weak_ptr<Listener>> listeners_;
};

}  // namespace adit::mcp
