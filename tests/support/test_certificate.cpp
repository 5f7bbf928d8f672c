#include "support/test_certificate.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace adit::test {
namespace {

template <auto free>
struct Free {
  template <class T>
  void operator()(T* what) const {
    free(what);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>>;
using Bytes = std::unique_ptr<BIO, Free<BIO_free>>;

constexpr long kHour = 3600;

void require(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("OpenSSL: ") + what);
}

Key make_key() {
  Key key(EVP_EC_gen("P-256"));
  require(key != nullptr, "no key");
  return key;
}

void set_name(X509_NAME* name, const char* text) {
  require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(text), -1, -1, 0),
          "no name");
}

void add_extension(X509* certificate, int kind, const std::string& value) {
  const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str()));
  require(extension != nullptr, value.c_str());
  require(X509_add_ext(certificate, extension.get(), -1), "no extension");
}

Certificate make(long number, const char* subject, const char* issuer, EVP_PKEY* key) {
  Certificate certificate(X509_new());
  require(certificate != nullptr, "no certificate");
  require(X509_set_version(certificate.get(), X509_VERSION_3), "no version");
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), number);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kHour);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 24 * kHour);
  set_name(X509_get_subject_name(certificate.get()), subject);
  set_name(X509_get_issuer_name(certificate.get()), issuer);
  require(X509_set_pubkey(certificate.get(), key), "no public key");
  return certificate;
}

std::string alternative_names(const std::vector<std::string>& names) {
  std::string list;
  for (const auto& name : names) {
    const bool address = name.find_first_not_of("0123456789.") == std::string::npos;
    list.append(list.empty() ? "" : ",").append(address ? "IP:" : "DNS:").append(name);
  }
  return list;
}

template <class Write>
std::string pem(Write write) {
  const Bytes bytes(BIO_new(BIO_s_mem()));
  require(bytes != nullptr && write(bytes.get()) == 1, "no PEM");
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bytes.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  return pem([=](BIO* bytes) { return PEM_write_bio_X509(bytes, certificate); });
}

}  // namespace

TestCertificate make_certificate(const std::vector<std::string>& names) {
  constexpr auto kAuthority = "adit test authority";
  const auto authority_key = make_key();
  const auto authority = make(1, kAuthority, kAuthority, authority_key.get());
  add_extension(authority.get(), NID_basic_constraints, "critical,CA:TRUE");
  add_extension(authority.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  require(X509_sign(authority.get(), authority_key.get(), EVP_sha256()) != 0, "not signed");

  const auto key = make_key();
  const auto certificate = make(2, "adit test server", kAuthority, key.get());
  add_extension(certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate.get(), NID_ext_key_usage, "serverAuth");
  add_extension(certificate.get(), NID_subject_alt_name, alternative_names(names));
  require(X509_sign(certificate.get(), authority_key.get(), EVP_sha256()) != 0, "not signed");

  return {.authority = pem_of(authority.get()),
          .certificate = pem_of(certificate.get()),
          .key = pem([&](BIO* bytes) {
            return PEM_write_bio_PrivateKey(bytes, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

}  // namespace adit::test
