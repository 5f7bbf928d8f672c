#include "adit/worker_protocol/frame.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace adit::worker_protocol {
namespace {

using namespace std::string_view_literals;

constexpr MessageType kTypes[] = {MessageType::open,      MessageType::import_files, MessageType::query,
                                  MessageType::cancel,    MessageType::describe,     MessageType::export_rows,
                                  MessageType::started,   MessageType::progress,     MessageType::statement,
                                  MessageType::done,      MessageType::error,        MessageType::diagnostic,
                                  MessageType::definition};

// A frame's bytes with any header.
std::string raw_frame(std::uint32_t size, std::uint32_t request, std::uint8_t type, std::string_view zeros = "\0\0\0"sv,
                      std::string_view payload = "") {
  std::string bytes;
  for (const auto value : {size, request}) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((value >> shift) & 0xff);
  }
  bytes += static_cast<char>(type);
  return bytes.append(zeros).append(payload);
}

struct Decoded {
  std::vector<Frame> frames;
  bool damaged = false;
};

// Everything that can be had now.
void take_all(FrameDecoder& decoder, Decoded& decoded) {
  for (;;) {
    auto next = decoder.next();
    if (!next.ok()) {
      decoded.damaged = true;
      return;
    }
    if (!next->has_value()) return;
    decoded.frames.push_back(std::move(**next));
  }
}

std::string shown(const std::vector<Frame>& frames) {
  std::string text;
  for (const auto& frame : frames) {
    text += fmt::format("{}/{}:{} ", static_cast<int>(frame.type), frame.request, frame.payload);
  }
  return text;
}

// ---- Layout

TEST(Frame, HasTheLayoutOfTheHeaderComment) {
  EXPECT_EQ(encode_frame(MessageType::query, 0x01020304, "{}"), "\x02\0\0\0\x04\x03\x02\x01\x03\0\0\0{}"sv);
  EXPECT_EQ(encode_frame(MessageType::cancel, 0, ""), "\0\0\0\0\0\0\0\0\x04\0\0\0"sv);
  EXPECT_EQ(encode_frame(MessageType::error, 0xFFFFFFFF, std::string(300, 'x')).substr(0, kFrameHeaderBytes),
            "\x2c\x01\0\0\xff\xff\xff\xff\x14\0\0\0"sv);
}

TEST(Frame, EachTypeComesBackWithItsRequestAndItsBytes) {
  for (const auto type : kTypes) {
    for (const std::uint32_t request : {0u, 1u, 255u, 256u, 0x80000000u, 0xFFFFFFFFu}) {
      for (const auto payload : {""sv, "{}"sv, "\0\n\xFF\x0c\0\0\0"sv}) {
        FrameDecoder decoder;
        decoder.feed(encode_frame(type, request, payload));
        Decoded decoded;
        take_all(decoder, decoded);
        ASSERT_EQ(decoded.frames.size(), 1u);
        EXPECT_FALSE(decoded.damaged);
        EXPECT_EQ(decoded.frames[0].type, type);
        EXPECT_EQ(decoded.frames[0].request, request);
        EXPECT_EQ(decoded.frames[0].payload, payload);
      }
    }
  }
}

// ---- Cut streams

std::string three_frames() {
  return encode_frame(MessageType::started, 7, "") + encode_frame(MessageType::statement, 7, "{\"a\":1}") +
         encode_frame(MessageType::done, 8, "x");
}

TEST(FrameDecoder, EverySplitOfAStreamIntoThreeGivesTheSameFrames) {
  const auto stream = three_frames();
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (std::size_t second = first; second <= stream.size(); ++second) {
      FrameDecoder decoder;
      Decoded decoded;
      decoder.feed(std::string_view(stream).substr(0, first));
      take_all(decoder, decoded);
      decoder.feed(std::string_view(stream).substr(first, second - first));
      take_all(decoder, decoded);
      decoder.feed(std::string_view(stream).substr(second));
      take_all(decoder, decoded);
      ASSERT_EQ(shown(decoded.frames), "16/7: 18/7:{\"a\":1} 19/8:x ") << first << " " << second;
      ASSERT_FALSE(decoded.damaged);
    }
  }
}

TEST(FrameDecoder, AFrameIsGivenWithItsLastByteAndNotBefore) {
  const auto bytes = encode_frame(MessageType::done, 3, "payload");
  FrameDecoder decoder;
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    decoder.feed(std::string_view(bytes).substr(i, 1));
    const auto next = decoder.next();
    ASSERT_TRUE(next.ok());
    ASSERT_FALSE(next->has_value()) << i;
  }
  decoder.feed(std::string_view(bytes).substr(bytes.size() - 1));
  const auto last = decoder.next();
  ASSERT_TRUE(last.ok() && last->has_value());
  EXPECT_EQ((*last)->payload, "payload");
}

TEST(FrameDecoder, ManyFramesInOnePieceAreGivenInOrder) {
  std::string stream;
  for (std::uint32_t i = 0; i < 10'000; ++i) stream += encode_frame(MessageType::statement, i, std::to_string(i));
  FrameDecoder decoder;
  decoder.feed(stream);
  Decoded decoded;
  take_all(decoder, decoded);
  ASSERT_EQ(decoded.frames.size(), 10'000u);
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    ASSERT_EQ(decoded.frames[i].request, i);
    ASSERT_EQ(decoded.frames[i].payload, std::to_string(i));
  }
}

TEST(FrameDecoder, RandomPiecesOfALongStreamGiveTheSameFrames) {
  std::mt19937 random(12);
  std::string stream, expected;
  for (std::uint32_t i = 0; i < 500; ++i) {
    std::string payload(random() % 3 == 0 ? random() % 5000 : random() % 20, '\0');
    for (char& c : payload) c = static_cast<char>(random());
    const auto type = kTypes[random() % std::size(kTypes)];
    stream += encode_frame(type, i, payload);
    expected += fmt::format("{}/{}:{} ", static_cast<int>(type), i, payload);
  }
  for (int round = 0; round < 20; ++round) {
    FrameDecoder decoder;
    Decoded decoded;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = std::min<std::size_t>(stream.size() - at, 1 + random() % 3000);
      decoder.feed(std::string_view(stream).substr(at, size));
      at += size;
      if (random() % 2 == 0) take_all(decoder, decoded);
    }
    take_all(decoder, decoded);
    ASSERT_FALSE(decoded.damaged);
    ASSERT_TRUE(shown(decoded.frames) == expected) << "round " << round;
  }
}

// ---- Damaged headers

TEST(FrameDecoder, AHeaderThatDoesNotFitIsAnErrorAsSoonAsItIsThereAndEverAfter) {
  struct Case {
    std::string_view what;
    std::string header;
  };
  const Case cases[] = {
      {"one byte too large", raw_frame((64u << 20) + 1, 1, 18)},
      {"4 GB", raw_frame(0xFFFFFFFF, 1, 18)},
      {"type 0", raw_frame(0, 1, 0)},
      {"type 7", raw_frame(0, 1, 7)},
      {"type 15", raw_frame(0, 1, 15)},
      {"type 23", raw_frame(0, 1, 23)},
      {"type 255", raw_frame(0, 1, 255)},
      {"first zero", raw_frame(0, 1, 18, "\1\0\0"sv)},
      {"second zero", raw_frame(0, 1, 18, "\0\1\0"sv)},
      {"third zero", raw_frame(0, 1, 18, "\0\0\1"sv)},
      {"all zeros 255", raw_frame(0, 1, 18, "\xff\xff\xff"sv)},
      {"text", "hello world\n"},
  };
  const auto good = encode_frame(MessageType::done, 1, "good");
  for (const auto& [what, header] : cases) {
    SCOPED_TRACE(what);
    ASSERT_EQ(header.size(), kFrameHeaderBytes);
    FrameDecoder decoder;
    decoder.feed(good);
    decoder.feed(std::string_view(header).substr(0, kFrameHeaderBytes - 1));
    Decoded decoded;
    take_all(decoder, decoded);
    EXPECT_EQ(shown(decoded.frames), "19/1:good ");
    EXPECT_FALSE(decoded.damaged) << "the header is not whole yet";
    decoder.feed(std::string_view(header).substr(kFrameHeaderBytes - 1));
    auto next = decoder.next();
    ASSERT_FALSE(next.ok());
    EXPECT_EQ(next.error().code, ErrorCode::internal);
    EXPECT_FALSE(next.error().message.empty());
    decoder.feed(good + good + good);
    EXPECT_FALSE(decoder.next().ok()) << "the stream is useless";
    EXPECT_FALSE(decoder.next().ok());
  }
}

TEST(FrameDecoder, EveryTypeThatIsNotListedIsDamage) {
  for (unsigned type = 0; type <= 255; ++type) {
    bool known = false;
    for (const auto one : kTypes) known = known || static_cast<unsigned>(one) == type;
    FrameDecoder decoder;
    decoder.feed(raw_frame(0, 1, static_cast<std::uint8_t>(type)));
    EXPECT_EQ(decoder.next().ok(), known) << type;
  }
}

TEST(FrameDecoder, RandomBytesNeverCrash) {
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes(random() % 60, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 4 == 0 ? random() : random() % 20);
    if (bytes.size() > 3) bytes[3] = 0;
    FrameDecoder decoder;
    decoder.feed(bytes);
    Decoded decoded;
    take_all(decoder, decoded);
    for (const auto& frame : decoded.frames) ASSERT_LE(frame.payload.size(), bytes.size());
  }
}

// ---- Size

TEST(FrameDecoder, TheLargestPayloadPassesInPiecesInLinearTime) {
  const auto start = std::chrono::steady_clock::now();
  std::string payload(kLargestPayload, 'x');
  payload.back() = 'y';
  const auto bytes = encode_frame(MessageType::statement, 9, payload) + encode_frame(MessageType::done, 9, "end");
  FrameDecoder decoder;
  Decoded decoded;
  for (std::size_t at = 0; at < bytes.size(); at += 64 << 10) {
    decoder.feed(std::string_view(bytes).substr(at, 64 << 10));
    take_all(decoder, decoded);
  }
  EXPECT_FALSE(decoded.damaged);
  ASSERT_EQ(decoded.frames.size(), 2u);
  EXPECT_TRUE(decoded.frames[0].payload == payload) << "the bytes differ";
  EXPECT_EQ(decoded.frames[1].payload, "end");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(FrameDecoder, ManySmallFramesInOneLargePieceTakeLinearTime) {
  std::string stream;
  for (std::uint32_t i = 0; i < 500'000; ++i) stream += encode_frame(MessageType::statement, i, "{}");
  const auto start = std::chrono::steady_clock::now();
  FrameDecoder decoder;
  decoder.feed(stream);
  Decoded decoded;
  take_all(decoder, decoded);
  // And again with the rest of a frame left over each time.
  for (std::size_t at = 0; at < stream.size(); at += 1000) {
    decoder.feed(std::string_view(stream).substr(at, 1000));
    take_all(decoder, decoded);
  }
  EXPECT_EQ(decoded.frames.size(), 1'000'000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

// Each byte is moved a bounded number of times, however much is still waiting behind it.
TEST(FrameDecoder, AReaderThatLagsFarBehindTakesLinearTime) {
  const auto frame = encode_frame(MessageType::statement, 1, "some text");
  std::string stream;
  for (int i = 0; i < 400'000; ++i) stream += frame;
  const auto start = std::chrono::steady_clock::now();
  FrameDecoder decoder;
  decoder.feed(stream);
  for (int i = 0; i < 100'000; ++i) {
    auto next = decoder.next();
    ASSERT_TRUE(next.ok() && next->has_value());
    ASSERT_EQ((*next)->payload, "some text");
    decoder.feed(frame);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace adit::worker_protocol
