#include "adit/worker_protocol/frame.h"

#include <fmt/format.h>

namespace adit::worker_protocol {
namespace {

void append_u32(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}

std::uint32_t read_u32(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

bool known_type(std::uint8_t type) {
  return (type >= static_cast<std::uint8_t>(MessageType::open) &&
          type <= static_cast<std::uint8_t>(MessageType::export_rows)) ||
         (type >= static_cast<std::uint8_t>(MessageType::started) &&
          type <= static_cast<std::uint8_t>(MessageType::definition));
}

}  // namespace

std::string encode_frame(MessageType type, std::uint32_t request, std::string_view payload) {
  std::string bytes;
  bytes.reserve(kFrameHeaderBytes + payload.size());
  append_u32(bytes, static_cast<std::uint32_t>(payload.size()));
  append_u32(bytes, request);
  bytes += static_cast<char>(type);
  bytes.append(3, '\0');
  bytes += payload;
  return bytes;
}

void FrameDecoder::feed(std::string_view bytes) {
  // Consumed bytes go when they are the larger part, so that each byte is moved a bounded number of times.
  if (begin_ > buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  buffer_ += bytes;
}

Result<std::optional<Frame>> FrameDecoder::next() {
  const auto rest = std::string_view(buffer_).substr(begin_);
  if (rest.size() < kFrameHeaderBytes) return std::optional<Frame>();
  const std::size_t size = read_u32(rest);
  const auto type = static_cast<std::uint8_t>(rest[8]);
  if (size > kLargestPayload || !known_type(type) || rest.substr(9, 3) != std::string_view("\0\0\0", 3)) {
    return internal_error(fmt::format("a worker's frame is damaged: type {}, {} bytes", type, size));
  }
  if (rest.size() < kFrameHeaderBytes + size) return std::optional<Frame>();
  begin_ += kFrameHeaderBytes + size;
  return std::optional<Frame>(Frame{.type = static_cast<MessageType>(type),
                                    .request = read_u32(rest.substr(4)),
                                    .payload = std::string(rest.substr(kFrameHeaderBytes, size))});
}

}  // namespace adit::worker_protocol
