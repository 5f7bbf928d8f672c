// A client of one connection in this process, for tests of methods: it sends messages and looks at what comes back.
#pragma once

#include "adit/base/json_text.h"
#include "adit/mcp/connection.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adit::mcp {

inline boost::json::object parse_object(std::string_view text) {
  return boost::json::parse({text.data(), text.size()}).as_object();
}

class McpClient : public testing::Test {
 protected:
  using Object = boost::json::object;

  ~McpClient() override {
    if (!connection_) return;
    connection_->cancel_all();
    settle();
    EXPECT_EQ(connection_->running_calls(), 0u);
  }

  void serve(Offer offer) {
    server_ = std::make_unique<Server>(ServerInfo{.name = "test-server",
                                                  .title = "Test server",
                                                  .version = "1.2.3",
                                                  .description = "A server for tests",
                                                  .instructions = "Call."},
                                       std::move(offer));
    connection_ = std::make_unique<Connection>(loop_, *server_, [this](Outgoing message) { keep(std::move(message)); });
  }

  // Runs what is ready, waits for nothing.
  void settle() {
    loop_.context().restart();
    loop_.context().poll();
  }

  void send(std::string_view message, Connection::ReplyForm form = Connection::ReplyForm::stream) {
    connection_->receive(message, [this](Outgoing outgoing) { keep(std::move(outgoing)); }, form);
    settle();
  }

  // What came since the last look.
  std::vector<Object> take() { return std::exchange(messages_, {}); }

  Object take_one() {
    auto messages = take();
    EXPECT_EQ(messages.size(), 1u) << boost::json::serialize(boost::json::value_from(messages));
    return messages.empty() ? Object() : std::move(messages.front());
  }

  Object answer_to(std::string_view message) {
    send(message);
    return take_one();
  }

  Object result_of(std::string_view message) {
    auto answer = answer_to(message);
    if (answer.contains("result")) return answer.at("result").as_object();
    ADD_FAILURE() << message << " gets " << boost::json::serialize(answer);
    return {};
  }

  Object error_of(std::string_view message) {
    auto answer = answer_to(message);
    if (answer.contains("error")) return answer.at("error").as_object();
    ADD_FAILURE() << message << " gets " << boost::json::serialize(answer);
    return {{"code", 0}};
  }

  static std::string legacy(std::string_view method, std::string_view params = "{}", std::string_view id = "1") {
    return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}","params":{}}})", id, method, params);
  }

  // `members`: further ones of params. `meta`: further ones of _meta.
  static std::string modern(std::string_view method, std::string_view members = "", std::string_view meta = "",
                            std::string_view capabilities = "{}", std::string_view id = "1") {
    const auto params = fmt::format(
        R"({{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}{}{}}}{}{}}})",
        capabilities, meta.empty() ? "" : ",", meta, members.empty() ? "" : ",", members);
    return legacy(method, params, id);
  }

  void initialize(std::string_view capabilities = "{}", std::string_view version = "2025-11-25") {
    result_of(
        legacy("initialize", fmt::format(R"({{"protocolVersion":"{}","capabilities":{}}})", version, capabilities)));
  }

  io::EventLoop loop_;
  ChangeFeed changes_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Connection> connection_;

 private:
  // J8: whatever is sent is one line of JSON.
  void keep(Outgoing message) {
    std::string checked;
    EXPECT_TRUE(append_checked_json(checked, message.line).ok()) << message.line;
    EXPECT_EQ(message.line.find_first_of("\r\n"), std::string::npos) << message.line;
    auto object = parse_object(message.line);
    EXPECT_EQ(object.contains("id") && object.contains("method"), message.kind == Outgoing::Kind::request);
    EXPECT_EQ(!object.contains("id") && object.contains("method"), message.kind == Outgoing::Kind::notification);
    messages_.push_back(std::move(object));
  }

  std::vector<Object> messages_;
};

}  // namespace adit::mcp
