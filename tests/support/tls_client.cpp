#include "support/tls_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace adit::test {

struct TlsClient::Handles {
  Handles() : context(SSL_CTX_new(TLS_client_method())), connection(SSL_new(context)) {}
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    SSL_free(connection);
    SSL_CTX_free(context);
    if (fd >= 0) ::close(fd);
  }

  SSL_CTX* context;
  SSL* connection;
  int fd = -1;
};

namespace {

bool open_tunnel(int fd, const std::string& tunnel) {
  const auto request = "CONNECT " + tunnel + " HTTP/1.1\r\nHost: " + tunnel + "\r\n\r\n";
  if (::send(fd, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) return false;
  std::string answer;
  char byte;
  while (!answer.ends_with("\r\n\r\n") && ::recv(fd, &byte, 1, 0) == 1) answer += byte;
  return answer.starts_with("HTTP/1.1 200 ");
}

}  // namespace

TlsClient::TlsClient(std::uint16_t port, const std::string& name, const std::string& authority_file,
                     const std::string& tunnel)
    : handles_(std::make_unique<Handles>()) {
  auto* store = SSL_CTX_get_cert_store(handles_->context);
  if (authority_file.empty()) X509_STORE_set_default_paths(store);
  else X509_STORE_load_file(store, authority_file.c_str());
  SSL_set_verify(handles_->connection, SSL_VERIFY_PEER, nullptr);
  auto* parameters = SSL_get0_param(handles_->connection);
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str()) != 1) {
    SSL_set1_host(handles_->connection, name.c_str());
    SSL_set_tlsext_host_name(handles_->connection, name.c_str());
  }

  handles_->fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval patience{.tv_sec = 0, .tv_usec = 500'000};
  ::setsockopt(handles_->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(handles_->fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
  if (!tunnel.empty() && !open_tunnel(handles_->fd, tunnel)) return;
  SSL_set_fd(handles_->connection, handles_->fd);
  trusted_ = SSL_connect(handles_->connection) == 1;
}

TlsClient::~TlsClient() = default;

std::string TlsClient::ask(std::string_view bytes) {
  std::string answer;
  if (!trusted_ || SSL_write(handles_->connection, bytes.data(), static_cast<int>(bytes.size())) <= 0) return answer;
  char part[16384];
  for (;;) {
    const int size = SSL_read(handles_->connection, part, sizeof part);
    if (size <= 0) {
      ended_in_order_ = SSL_get_error(handles_->connection, size) == SSL_ERROR_ZERO_RETURN;
      return answer;
    }
    answer.append(part, static_cast<std::size_t>(size));
  }
}

}  // namespace adit::test
