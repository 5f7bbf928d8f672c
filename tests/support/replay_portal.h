// An HTTP/1.1 server for tests that plays data portals: many host names on one free port of 127.0.0.1, plain or TLS.
// It also plays a proxy that reaches all of them, over TLS with CONNECT. Each answer may be broken on purpose (Fault).
// What is asked in vain gets a 404 that names the request.
//
// Who answers: handle()'s functions in the order of their adding, then answer()'s, then load()'s recordings.
// Threads: the portal has one of its own, on which handle()'s functions run; every method may be called from any
// thread at any time, also from such a function. Errors: what cannot be set up throws std::runtime_error; what a
// client does wrong ends its connection.
#pragma once

#include "support/portal_answer.h"
#include "support/portal_request.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace adit::test {

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
  std::vector<std::string> tunnels() const;     // HOST:PORT of each CONNECT so far; https only
  std::size_t connections() const;              // accepted so far
  std::size_t open_connections() const;         // of these, the ones that neither side has closed
  std::size_t most_at_once() const;             // requests that were waiting for their answers together
  void wait_for_requests(std::size_t count);    // so far; the test fails when they do not come

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adit::test
