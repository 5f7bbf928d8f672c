#include "adit/base/base64.h"

#include <gtest/gtest.h>

namespace adit {
namespace {

using namespace std::string_view_literals;

TEST(Base64, TheVectorsOfRfc4648) {
  constexpr std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xFB\xFF\xBF"sv, "+/+/"},
  };
  for (const auto& [bytes, text] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(decode_base64(text), bytes);
    auto bare = std::string(text.substr(0, text.find('=')));
    for (char& c : bare) c = c == '+' ? '-' : c == '/' ? '_' : c;
    EXPECT_EQ(base64_url(bytes), bare);
    EXPECT_EQ(decode_base64_url(bare), bytes);
  }
}

TEST(Base64, WhatIsNoEncodingIsRefused) {
  for (const auto text : {"Zg"sv, "Zg="sv, "Zg==="sv, "Z==="sv, "Zh=="sv, "Zm9="sv, "Zm 9v"sv, "Zm-_"sv, "Z\0=="sv,
                          "===="sv, "Zg==Zg=="sv}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
  for (const auto text : {"Z"sv, "Zg=="sv, "Zh"sv, "Zm9"sv, "Zm+/"sv, "Zm9vZ"sv}) {
    EXPECT_EQ(decode_base64_url(text), std::nullopt) << text;
  }
}

TEST(Base64, EveryByteComesBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(decode_base64(base64(bytes)), bytes);
    EXPECT_EQ(decode_base64_url(base64_url(bytes)), bytes);
  }
}

}  // namespace
}  // namespace adit
