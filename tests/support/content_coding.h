// Bodies in the codings of HTTP, right ones and broken ones, for servers of tests.
#pragma once

#include <string>
#include <string_view>

namespace adit::test {

enum class Coding {
  identity,
  gzip,
  deflate,       // zlib's format, as RFC 9110 has it
  gzip_cut,      // the stream ends in its middle; the framing around it is right
  gzip_damaged,  // whole, but its check sum is another text's
  gzip_claimed,  // the header says gzip, the body is plain
};

// The bytes that a server sends for `body`. Throws std::runtime_error when zlib has no memory.
std::string coded(std::string_view body, Coding coding);

// What Content-Encoding says; "" where there is no such header.
std::string_view content_encoding(Coding coding);

}  // namespace adit::test
