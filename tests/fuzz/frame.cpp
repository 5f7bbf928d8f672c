// Frames of a worker's peer: however the bytes arrive, the same frames come out, and never more than went in.
#include "adit/worker_protocol/frame.h"
#include "adit/worker_protocol/messages.h"
#include "fuzz/require.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace adit::worker_protocol {
namespace {

using Messages = std::tuple<OpenWorkspace, Opened, ImportFiles, Imported, Described, RunQuery, QueryDone, ExportRows,
                            Exported, WorkProgress, Failure, Diagnostic, DefinitionChange>;

// What decodes is printed so that it decodes to the same.
template <class Message>
void check_message(std::string_view payload) {
  const auto message = decode<Message>(payload);
  if (!message.ok()) {
    FUZZ_REQUIRE(!message.error().message.empty());
    return;
  }
  const auto printed = encode(*message);
  const auto again = decode<Message>(printed);
  FUZZ_REQUIRE(again.ok() && encode(*again) == printed);
}

// Either side may get any message in place of the one it waits for.
template <class... Message>
void check_payload(std::string_view payload, std::type_identity<std::tuple<Message...>>) {
  (check_message<Message>(payload), ...);
}

struct Decoded {
  std::vector<Frame> frames;
  bool damaged = false;
};

void take_all(FrameDecoder& decoder, Decoded& decoded) {
  for (;;) {
    auto next = decoder.next();
    decoded.damaged = !next.ok();
    if (!next.ok() || !next->has_value()) return;
    decoded.frames.push_back(std::move(**next));
  }
}

// The first byte is the number of pieces' sizes that follow; the rest is the stream.
void check(std::string_view input) {
  if (input.empty()) return;
  const auto piece_count = std::min<std::size_t>(static_cast<unsigned char>(input[0]) % 8, input.size() - 1);
  const auto pieces = input.substr(1, piece_count);
  const auto stream = input.substr(1 + piece_count);

  Decoded whole;
  FrameDecoder at_once;
  at_once.feed(stream);
  take_all(at_once, whole);

  Decoded split;
  FrameDecoder by_pieces;
  auto rest = stream;
  for (std::size_t i = 0; !rest.empty(); ++i) {
    const std::size_t size = pieces.empty() ? 1 : 1 + static_cast<unsigned char>(pieces[i % pieces.size()]);
    by_pieces.feed(rest.substr(0, size));
    rest.remove_prefix(std::min(size, rest.size()));
    take_all(by_pieces, split);
    if (split.damaged) break;
  }

  FUZZ_REQUIRE(whole.damaged == split.damaged);
  FUZZ_REQUIRE(whole.frames.size() == split.frames.size());
  std::string again;
  for (std::size_t i = 0; i < whole.frames.size(); ++i) {
    const auto& frame = whole.frames[i];
    FUZZ_REQUIRE(frame.type == split.frames[i].type && frame.request == split.frames[i].request);
    FUZZ_REQUIRE(frame.payload == split.frames[i].payload);
    again += encode_frame(frame.type, frame.request, frame.payload);
  }
  FUZZ_REQUIRE(stream.starts_with(again));

  for (const auto& frame : whole.frames) {
    check_payload(frame.payload, std::type_identity<Messages>());
  }
  check_payload(stream, std::type_identity<Messages>());  // a length that fits is rare among mutations
}

}  // namespace
}  // namespace adit::worker_protocol

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  adit::worker_protocol::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
