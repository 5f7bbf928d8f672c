// An HTTP/1.1 server for tests that plays data portals: many host names on one free port of 127.0.0.1, plain or TLS.
// Plain, it also plays a proxy that reaches all of them.
// Each answer may be broken on purpose (Fault). What is asked in vain gets a 404 that names the request.
//
// Who answers: handle()'s functions in the order of their adding, then answer()'s, then load()'s recordings.
// Threads: the portal has one of its own, on which handle()'s functions run; every method may be called from any
// thread at any time, also from such a function. Errors: what cannot be set up throws std::runtime_error; what a
// client does wrong ends its connection.
#pragma once

#include "support/content_coding.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adit::test {

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

struct CaseBlindLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

struct PortalRequest {
  std::string host;  // lower case, without the port
  std::string method;
  std::string path;       // as sent; of http://host/path, as a proxy is asked, the path
  QueryParameters query;  // decoded, in order
  std::map<std::string, std::string, CaseBlindLess> headers;
  std::string body;
  bool was_for_proxy = false;  // the whole URL was sent, and the host is its
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();  // when it had come

  std::string parameter(std::string_view name) const;  // the first of that name, "" when absent
  std::string header(std::string_view name) const;     // "" when absent
};

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

class ReplayPortal {
 public:
  enum class Scheme { http, https };
  using Handler = std::function<std::optional<PortalAnswer>(const PortalRequest&)>;

  // The certificate of https is for localhost, 127.0.0.1, *.example.org and `names`.
  explicit ReplayPortal(Scheme scheme = Scheme::http, std::vector<std::string> names = {});
  ReplayPortal(const ReplayPortal&) = delete;
  ReplayPortal& operator=(const ReplayPortal&) = delete;
  ~ReplayPortal();  // ends all connections

  std::uint16_t port() const;
  std::string url() const;               // http://127.0.0.1:PORT
  std::string certificate_file() const;  // PEM of the authority that signed; lives as long as the portal

  // For this request exactly. Several for one request are given in turn, and the last one stays.
  void answer(std::string host, std::string method, std::string path, std::string sorted_query, PortalAnswer answer);
  void handle(Handler handler);

  // Recordings whose index is recordings_directory/index.json.
  void load(const std::string& recordings_directory);
  bool load_shared();  // of a checkout beside this one (recordings.h); false where there is none

  std::vector<PortalRequest> requests() const;  // in the order of their coming, also those without an answer
  std::size_t connections() const;              // accepted so far
  std::size_t open_connections() const;         // of these, the ones that neither side has closed
  std::size_t most_at_once() const;             // requests that were waiting for their answers together
  void wait_for_requests(std::size_t count);    // so far; the test fails when they do not come

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The key of a query: names and values decoded, sorted, joined as name=value&name=value.
std::string sorted_query(std::string_view query);
std::string sorted_query(QueryParameters query);

// name=value&name=value of a URL, decoded; a plus is a space.
QueryParameters parse_query(std::string_view query);

}  // namespace adit::test
