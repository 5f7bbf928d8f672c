// A certificate authority and one server certificate of it, made anew for each caller; valid from an hour ago for a
// day.
#pragma once

#include <string>
#include <vector>

namespace adit::test {

struct TestCertificate {  // PEM
  std::string authority;
  std::string certificate;
  std::string key;
};

// For these names: host names, where *.example.org is one, and IPv4 addresses. Throws std::runtime_error when OpenSSL
// refuses one of them.
TestCertificate make_certificate(const std::vector<std::string>& names);

}  // namespace adit::test
