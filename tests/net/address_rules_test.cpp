#include "adit/net/address_rules.h"

#include <gtest/gtest.h>

namespace adit::net {
namespace {

TEST(AddressRules, OnlyThePublicInternetIsPublic) {
  struct Case {
    const char* address;
    bool is_public;
    const char* what;
  };
  const Case cases[] = {
      {"52.206.140.205", true, "a portal"},
      {"8.8.8.8", true, "a resolver"},
      {"0.0.0.0", false, "this network"},
      {"0.1.2.3", false, "this network"},
      {"10.0.0.1", false, "private"},
      {"10.255.255.255", false, "private, its end"},
      {"11.0.0.0", true, "behind it"},
      {"100.63.255.255", true, "before the shared block"},
      {"100.64.0.1", false, "shared"},
      {"100.127.255.255", false, "shared, its end"},
      {"100.128.0.0", true, "behind it"},
      {"127.0.0.1", false, "loopback"},
      {"127.255.255.254", false, "loopback, its end"},
      {"169.254.169.254", false, "metadata of a cloud"},
      {"172.15.255.255", true, "before the private block"},
      {"172.16.0.0", false, "private"},
      {"172.31.255.255", false, "private, its end"},
      {"172.32.0.0", true, "behind it"},
      {"192.0.0.8", false, "protocol assignments"},
      {"192.0.2.1", false, "documentation"},
      {"192.88.99.1", false, "6to4 relay"},
      {"192.168.1.1", false, "private"},
      {"192.169.0.0", true, "behind it"},
      {"198.17.255.255", true, "before the benchmarking block"},
      {"198.18.0.1", false, "benchmarking"},
      {"198.19.255.255", false, "benchmarking, its end"},
      {"198.51.100.7", false, "documentation"},
      {"203.0.113.7", false, "documentation"},
      {"224.0.0.1", false, "multicast"},
      {"239.255.255.255", false, "multicast, its end"},
      {"240.0.0.1", false, "reserved"},
      {"255.255.255.255", false, "broadcast"},
      {"2600:1f18::1", true, "a portal"},
      {"2001:4860:4860::8888", true, "a resolver"},
      {"::", false, "unspecified"},
      {"::1", false, "loopback"},
      {"::7f00:1", false, "IPv4-compatible, deprecated"},
      {"::ffff:127.0.0.1", false, "loopback, mapped"},
      {"::ffff:10.1.2.3", false, "private, mapped"},
      {"::ffff:8.8.8.8", true, "public, mapped"},
      {"64:ff9b::8.8.8.8", true, "public, through NAT64"},
      {"64:ff9b::169.254.169.254", false, "metadata, through NAT64"},
      {"64:ff9b:1::1", false, "NAT64 of a local network"},
      {"100::1", false, "discard"},
      {"2001::1", false, "Teredo"},
      {"2001:2::1", false, "benchmarking"},
      {"2001:db8::1", false, "documentation"},
      {"2002:7f00:1::1", false, "6to4 of loopback"},
      {"2002:808:808::1", true, "6to4 of a public address"},
      {"2620:4f:8000::1", false, "AS112"},
      {"3fff::1", false, "documentation"},
      {"3fff:fff::1", false, "documentation, its end"},
      {"3fff:1000::1", true, "behind it"},
      {"4000::1", false, "not given out"},
      {"fc00::1", false, "unique local"},
      {"fd12:3456::1", false, "unique local"},
      {"fe80::1", false, "link-local"},
      {"fec0::1", false, "site-local, deprecated"},
      {"ff02::1", false, "multicast"},
      {"example.org", false, "no address"},
      {"127.1", false, "no address in full"},
      {"0x7f000001", false, "no address in full"},
      {"", false, "nothing"},
  };
  for (const auto& [address, is_public, what] : cases) {
    EXPECT_EQ(is_public_address(address), is_public) << address << ": " << what;
  }
}

}  // namespace
}  // namespace adit::net
