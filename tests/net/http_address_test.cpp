#include "adit/net/http_address.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace adit::net {
namespace {

TEST(HttpAddress, ReadsWhatAUserWrites) {
  struct Case {
    std::string_view text, ip;
    int port;
    std::string_view unix_path, shown;
    bool loopback;
  };
  constexpr Case cases[] = {
      {"127.0.0.1:8080", "127.0.0.1", 8080, "", "127.0.0.1:8080", true},
      {"127.8.9.1:1", "127.8.9.1", 1, "", "127.8.9.1:1", true},
      {"localhost:0", "127.0.0.1", 0, "", "127.0.0.1:0", true},
      {"[::1]:65535", "::1", 65535, "", "[::1]:65535", true},
      {"0.0.0.0:80", "0.0.0.0", 80, "", "0.0.0.0:80", false},
      {"[::]:80", "::", 80, "", "[::]:80", false},
      {"192.168.1.7:80", "192.168.1.7", 80, "", "192.168.1.7:80", false},
      {"unix:/run/adit.sock", "", 0, "/run/adit.sock", "unix:/run/adit.sock", true},
      {"unix:a:1", "", 0, "a:1", "unix:a:1", true},
  };
  for (const auto& [text, ip, port, unix_path, shown, loopback] : cases) {
    SCOPED_TRACE(text);
    const auto address = HttpAddress::parse(text);
    ASSERT_TRUE(address.ok()) << address.error().message;
    EXPECT_EQ(const_cast<HttpAddress&>(address.value()).ip, ip);
    EXPECT_EQ(address.value().port, port);
    EXPECT_EQ(address.value().unix_path, unix_path);
    EXPECT_EQ(address.value().text(), shown);
    EXPECT_EQ(address.value().is_loopback(), loopback);
  }
}

TEST(HttpAddress, RefusesWhatIsNoneWithTheFormsThatAre) {
  const std::string long_path = "unix:/" + std::string(200, 'x');
  const std::string_view cases[] = {"",
                                    "8080",
                                    ":8080",
                                    "127.0.0.1",
                                    "127.0.0.1:",
                                    "127.0.0.1:65536",
                                    "127.0.0.1:-1",
                                    "127.0.0.1:8080x",
                                    "::1:80",
                                    "[::1]",
                                    "[127.0.0.1]:80",
                                    "example.org:80",
                                    "unix:",
                                    "[fe80::1]x:80",
                                    long_path};
  for (const auto text : cases) {
    SCOPED_TRACE(text);
    const auto address = HttpAddress::parse(text);
    ASSERT_FALSE(address.ok());
    EXPECT_EQ(address.error().reason, "invalid_address");
    EXPECT_NE(address.error().hint.find("127.0.0.1:8080"), std::string::npos);
  }
}

}  // namespace
}  // namespace adit::net
