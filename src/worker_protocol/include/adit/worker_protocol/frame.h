// Frames between the front and a worker, over a socket pair.
//
//   offset 0   u32 little-endian   bytes of the payload, at most kLargestPayload
//          4   u32 little-endian   number of the request it belongs to
//          8   u8                  type (MessageType)
//          9   3 bytes             zero
//         12   payload
//
// Both sides treat the other's bytes as foreign: a header that does not fit ends the connection.
#pragma once

#include "adit/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace adit::worker_protocol {

constexpr std::size_t kFrameHeaderBytes = 12;
constexpr std::size_t kLargestPayload = 64u << 20;  // an answer is far smaller; a damaged length must not allocate 4 GB

// Payloads are JSON texts (messages.h).
enum class MessageType : std::uint8_t {
  // front → worker
  open = 1,          // first message: OpenWorkspace. Answered by `done` with Opened
  import_files = 2,  // ImportFiles. `progress`, then `done` with Imported, or `error`
  query = 3,         // RunQuery. `started`, `progress`, then for each entry in order what came of it: `diagnostic`s,
                     // `definition`, `statement`; then `done` with QueryDone
  cancel = 4,        // empty; interrupts the request of that number, which then ends by `error` or `done`
  describe = 5,      // empty. `done` with Described
  export_rows = 6,   // ExportRows. `started`, `progress`, `done` with Exported, or `error`

  // worker → front
  started = 16,    // work on the request has begun: from here on its failure may be its own doing
  progress = 17,   // WorkProgress
  statement = 18,  // one object of query's `statements`, as it stands in the answer
  done = 19,
  error = 20,       // Failure
  diagnostic = 21,  // Diagnostic of a query
  definition = 22,  // DefinitionChange of a query
};

struct Frame {
  MessageType type{};
  std::uint32_t request = 0;
  std::string payload;
};

// REQUIRES: payload.size() <= kLargestPayload
std::string encode_frame(MessageType type, std::uint32_t request, std::string_view payload);

// Takes bytes as they come and gives whole frames.
class FrameDecoder {
 public:
  void feed(std::string_view bytes);

  // The next whole frame, nothing if more bytes are needed, or an error after which the stream is useless.
  Result<std::optional<Frame>> next();

 private:
  std::string buffer_;
  std::size_t begin_ = 0;  // bytes before it are consumed
};

}  // namespace adit::worker_protocol
