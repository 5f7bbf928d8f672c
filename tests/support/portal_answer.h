// What a portal of the tests answers, right or broken on purpose, and the bytes of it.
#pragma once

#include "support/content_coding.h"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace adit::test {

// How an answer is not what it should be. The functions make the ones that tests need; their fields combine.
struct Fault {
  enum class Kind {
    none,
    truncated,         // half of the body, then the connection ends; the framing promised all of it
    reset,             // RST before the first byte
    reset_after_head,  // RST behind the head
    reset_in_body,     // RST behind half of the body
    silent,            // nothing comes until the client leaves
    stalls_in_body,    // half of the body, and then nothing until the client leaves
    closes_after,      // whole, as on a connection that stays; but then it ends
    not_http,          // other bytes than HTTP's, then the connection ends
    raw,               // the body is all that is sent, then the connection ends
  };

  Kind kind = Kind::none;
  Coding coding = Coding::identity;
  std::chrono::milliseconds delay{0};  // before the first byte
  std::size_t bytes_a_second = 0;      // of head and body; 0 = as fast as can be

  static Fault of(Kind kind) { return {.kind = kind}; }
  static Fault with_coding(Coding coding) { return {.coding = coding}; }
  static Fault slow(std::chrono::milliseconds delay, std::size_t bytes_a_second = 0) {
    return {.delay = delay, .bytes_a_second = bytes_a_second};
  }
};

struct PortalAnswer {
  enum class Framing { length, chunked, until_close };

  int status = 200;
  // Content-Type is application/json;charset=utf-8 unless it is named here.
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  Fault fault = {};
  Framing framing = Framing::length;
};

// The bytes of a whole answer, and how many of them its fault lets out.
struct PortalReply {
  std::string bytes;
  std::size_t sent = 0;
};
enum class HasBody { no, yes };               // HEAD, 204 and 304 have none
enum class ConnectionAfter { close, stays };  // as the head says it

PortalReply reply_of(PortalAnswer answer, HasBody has_body, ConnectionAfter connection);

}  // namespace adit::test
