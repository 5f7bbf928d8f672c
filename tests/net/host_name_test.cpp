#include "adit/net/host_name.h"

#include "adit/base/json_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace adit::net {
namespace {

const std::string kLabelOf63(63, 'a');

void expect_refused(std::string_view text, std::string_view message_part) {
  SCOPED_TRACE(json_string(to_valid_utf8(text)));
  const auto name = HostName::parse(text);
  ASSERT_FALSE(name.ok()) << name->text();
  EXPECT_EQ(name.error().code, ErrorCode::validation);
  EXPECT_EQ(name.error().reason, "invalid_domain");
  EXPECT_NE(name.error().message.find(message_part), std::string::npos) << name.error().message;
  EXPECT_FALSE(name.error().hint.empty());
  EXPECT_FALSE(name.error().retryable);
  EXPECT_TRUE(is_valid_utf8(name.error().message));
}

TEST(HostName, KeepsTheHostOfWhatPeoplePaste) {
  struct Case {
    std::string_view text, host;
  };
  constexpr Case cases[] = {
      {"data.seattle.gov", "data.seattle.gov"},
      {"  data.seattle.gov\r\n", "data.seattle.gov"},
      {"DATA.Seattle.GOV", "data.seattle.gov"},
      {"https://data.seattle.gov", "data.seattle.gov"},
      {"HTTPS://data.seattle.gov/", "data.seattle.gov"},
      {"http://data.seattle.gov/resource/kzjm-xkqj.json?$limit=1#top", "data.seattle.gov"},
      {"data.seattle.gov/browse", "data.seattle.gov"},
      {"data.seattle.gov?q=fire", "data.seattle.gov"},
      {"data.seattle.gov#about", "data.seattle.gov"},
      {"https://data.seattle.gov:443/d/kzjm-xkqj", "data.seattle.gov"},
      {"data.seattle.gov:8443", "data.seattle.gov"},
      {"data.seattle.gov:", "data.seattle.gov"},
      {"data.seattle.gov.", "data.seattle.gov"},
      {"https://data.seattle.gov.:443/", "data.seattle.gov"},
      {"https://data.seattle.gov/login?next=ftp://elsewhere", "data.seattle.gov"},
      {"https://data.seattle.gov/@mayor", "data.seattle.gov"},
      {"data.seattle.gov/100%25", "data.seattle.gov"},
      {"data.cincinnati-oh.gov", "data.cincinnati-oh.gov"},
      {"3.14.example.org", "3.14.example.org"},
      {"donnees.montreal.xn--p1ai", "donnees.montreal.xn--p1ai"},
      {"xn--bcher-kva.example", "xn--bcher-kva.example"},
      {"localhost.example.org", "localhost.example.org"},
      {"notlocal.org", "notlocal.org"},
  };
  for (const auto& [text, host] : cases) {
    SCOPED_TRACE(text);
    const auto name = HostName::parse(text);
    ASSERT_TRUE(name.ok()) << name.error().message;
    EXPECT_EQ(name->text(), host);
  }
}

TEST(HostName, TextWithoutAHostIsRefused) {
  constexpr std::string_view kCases[] = {"",  "   ",  "https://", "https:///path", "/resource/abcd-1234",
                                         ".", "?q=1", ":443",     "\r\n"};
  for (const auto text : kCases) expect_refused(text, "no host name");
}

TEST(HostName, ANameNeedsADot) {
  for (const std::string_view text : {"seattle", "gov.", "https:/data.seattle.gov"}) expect_refused(text, "no dot");
}

TEST(HostName, ANumericLastLabelIsNotAPublicName) {
  constexpr std::string_view kCases[] = {
      "127.0.0.1",  "10.1",           "2130706433", "0x7f.1",   "127.0.0.0x1",
      "0x7f000001", "data.seattle.0", "data.gov1",  "data.x-y", "http://169.254.169.254/latest/meta-data",
  };
  for (const auto text : kCases) expect_refused(text, "top-level domain");
}

TEST(HostName, AnIpv6AddressIsNotAPublicName) {
  for (const std::string_view text : {"[::1]", "https://[::ffff:127.0.0.1]:443/", "::1", "fe80::1%eth0", "[v1.x:y]"}) {
    expect_refused(text, "IP address");
  }
  expect_refused("[data.seattle.gov]", "holds \"[\"");
}

TEST(HostName, OtherSchemesAreRefused) {
  for (const std::string_view text : {"ftp://data.seattle.gov", "file:///etc/passwd", "://data.seattle.gov"}) {
    expect_refused(text, "scheme");
  }
}

TEST(HostName, AUserNameIsRefusedAndNotRepeated) {
  for (const std::string_view text : {"https://me:s3cret@data.seattle.gov/", "data.seattle.gov@evil.example.org",
                                      "https://data.seattle.gov\\@evil.example.org", "@data.seattle.gov"}) {
    expect_refused(text, "user name");
    EXPECT_EQ(HostName::parse(text).error().message.find("s3cret"), std::string::npos);
  }
}

TEST(HostName, CharactersThatReadersDisagreeAboutAreRefused) {
  struct Case {
    std::string_view text, message_part;
  };
  constexpr Case cases[] = {
      {"data%2eseattle.gov", "holds \"%\""}, {"data.seattle.gov%00.example.org", "holds \"%\""},
      {"data\\.seattle.gov", "holds"},       {"data_portal.seattle.gov", "holds \"_\""},
      {"data seattle.gov", "holds \" \""},   {"data.seattle.gov\t.org", "holds \"\\t\""},
      {"data,seattle.gov", "holds \",\""},   {"*.seattle.gov", "holds \"*\""},
      {"données.montreal.ca", "xn--"},       {"data。seattle。gov", "xn--"},
      {"ｄａｔａ.seattle.gov", "xn--"},      {"data.\xff\xfe.gov", "xn--"},
  };
  for (const auto& [text, message_part] : cases) expect_refused(text, message_part);
  expect_refused(std::string_view("data.seattle.gov\0.org", 21), "holds \"\\u0000\"");
}

TEST(HostName, APortIsANumber) {
  constexpr std::string_view kCases[] = {"data.seattle.gov:https", "data.seattle.gov:-1", "data.seattle.gov:443443",
                                         "data.gov:4 3", "https:data.seattle.gov"};
  for (const auto text : kCases) expect_refused(text, "port number");
}

TEST(HostName, LabelsAreNeitherEmptyNorHyphenated) {
  for (const std::string_view text : {"data..gov", ".data.gov", "data.gov.."}) expect_refused(text, "empty part");
  constexpr std::string_view kHyphens[] = {"-data.gov", "data-.gov", "data.-gov", "a.-b-.gov", "data.xn--"};
  for (const auto text : kHyphens) expect_refused(text, "hyphen");
}

TEST(HostName, LengthsAreThoseOfTheDns) {
  EXPECT_TRUE(HostName::parse(kLabelOf63 + ".gov").ok());
  expect_refused(kLabelOf63 + "a.gov", "64 characters; 63");
  const std::string three = kLabelOf63 + "." + kLabelOf63 + "." + kLabelOf63;  // 191
  const auto longest = HostName::parse(three + "." + std::string(57, 'b') + ".gov");
  ASSERT_TRUE(longest.ok());
  EXPECT_EQ(longest->text().size(), 253u);
  expect_refused(three + "." + std::string(58, 'b') + ".gov", "254 characters");
}

TEST(HostName, NamesOfTheLocalNetworkAreRefused) {
  for (const std::string_view text : {"localhost", "LOCALHOST.", "portal.localhost", "printer.local", "vault.internal",
                                      "nas.home.arpa", "http://localhost:3010/mcp"}) {
    expect_refused(text, "this machine or network");
  }
}

TEST(HostName, AMessageShowsNoMoreThanTheBeginningOfAHost) {
  const auto name = HostName::parse(std::string(100'000, 'x') + "/secret?token=1");
  ASSERT_FALSE(name.ok());
  EXPECT_LT(name.error().message.size(), 250u);
  EXPECT_EQ(HostName::parse("no_host/path?token=1").error().message.find("token"), std::string::npos);
}

TEST(HostName, ComparesByName) {
  const auto a = HostName::parse("https://Data.CDC.gov/").value();
  EXPECT_EQ(a, HostName::parse("data.cdc.gov.").value());
  EXPECT_LT(a, HostName::parse("data.ny.gov").value());
}

TEST(HostName, AnyBytesGiveANameThatParsesToItselfOrAnError) {
  constexpr std::string_view kAlphabet = "aZ0-._:/@%[]?# \\\xc3\xa9xn";
  std::mt19937 random(18);
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 24, '\0');
    for (char& c : text) c = kAlphabet[random() % kAlphabet.size()];
    const auto name = HostName::parse(text);
    if (!name.ok()) {
      EXPECT_EQ(name.error().reason, "invalid_domain");
      continue;
    }
    const auto again = HostName::parse(name->text());
    ASSERT_TRUE(again.ok()) << text;
    EXPECT_EQ(again->text(), name->text());
  }
}

}  // namespace
}  // namespace adit::net
