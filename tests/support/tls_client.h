// One TLS connection to 127.0.0.1 that checks the server's certificate, as a careful client does it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace adit::test {

class TlsClient {
 public:
  // Trusts what `authority_file` signed for `name`; "" = what the system trusts. With a tunnel (HOST:PORT) the server
  // is taken for a proxy that reaches it.
  TlsClient(std::uint16_t port, const std::string& name, const std::string& authority_file,
            const std::string& tunnel = "");
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;
  ~TlsClient();

  bool trusted() const { return trusted_; }  // the handshake was done and the certificate fits

  // Sends and gives what comes until the server ends the connection or has been quiet for half a second.
  std::string ask(std::string_view bytes);
  bool ended_in_order() const { return ended_in_order_; }  // by TLS's own farewell, not by a cut

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
  bool trusted_ = false;
  bool ended_in_order_ = false;
};

}  // namespace adit::test
