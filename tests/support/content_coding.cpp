#include "support/content_coding.h"

#include <zlib.h>

#include <stdexcept>

namespace adit::test {
namespace {

constexpr int kZlibFormat = 15;
constexpr int kGzipFormat = 15 + 16;
constexpr int kFastest = 1;
constexpr std::size_t kGzipTrailer = 8;  // the check sum and the size

std::string deflated(std::string_view body, int format) {
  z_stream stream{};
  if (::deflateInit2(&stream, kFastest, Z_DEFLATED, format, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2 failed");
  }
  std::string out(::deflateBound(&stream, body.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int state = ::deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (state != Z_STREAM_END) throw std::runtime_error("deflate failed");
  return out;
}

}  // namespace

std::string coded(std::string_view body, Coding coding) {
  switch (coding) {
    case Coding::identity:
    case Coding::gzip_claimed: return std::string(body);
    case Coding::gzip: return deflated(body, kGzipFormat);
    case Coding::deflate: return deflated(body, kZlibFormat);
    case Coding::gzip_cut: {
      auto bytes = deflated(body, kGzipFormat);
      bytes.resize(bytes.size() / 2);
      return bytes;
    }
    case Coding::gzip_damaged: {
      auto bytes = deflated(body, kGzipFormat);
      auto& check_sum = bytes[bytes.size() - kGzipTrailer];
      check_sum = static_cast<char>(check_sum ^ 1);
      return bytes;
    }
  }
  return {};
}

std::string_view content_encoding(Coding coding) {
  switch (coding) {
    case Coding::identity: return "";
    case Coding::deflate: return "deflate";
    case Coding::gzip:
    case Coding::gzip_cut:
    case Coding::gzip_damaged:
    case Coding::gzip_claimed: return "gzip";
  }
  return "";
}

}  // namespace adit::test
