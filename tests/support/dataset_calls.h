// The tools of SQL datasets as one-line calls, and what their answers hold.
#pragma once

#include "support/server_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <boost/json.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace adit::test {

inline ServerOptions with_root(const std::string& root) {
  return {.arguments = {"--root", root}, .state_dir = {}, .environment = {}, .program = {}, .speak_modern = true};
}

inline boost::json::object open_arguments(const std::vector<std::string>& paths, const std::string& dataset = "") {
  boost::json::object arguments;
  auto& sources = arguments["sources"].emplace_array();
  for (const auto& path : paths) sources.push_back({{"path", path}});
  if (!dataset.empty()) arguments["dataset_id"] = dataset;
  return arguments;
}

inline boost::json::object open_paths(ServerProcess& server, const std::vector<std::string>& paths,
                                      const std::string& dataset = "") {
  return server.call("open_dataset", open_arguments(paths, dataset));
}

inline boost::json::object query_arguments(const std::string& dataset, const std::vector<std::string>& statements) {
  boost::json::object arguments{{"dataset_id", dataset}};
  auto& sql = arguments["sql"].emplace_array();
  for (const auto& statement : statements) sql.emplace_back(statement);
  return arguments;
}

inline boost::json::object query(ServerProcess& server, const std::string& dataset,
                                 const std::vector<std::string>& statements) {
  return server.call("query", query_arguments(dataset, statements));
}

// The id of what was opened; the test fails when nothing was.
inline std::string dataset_of(const boost::json::object& opened) {
  const auto* id = opened.if_contains("dataset_id");
  if (id == nullptr) ADD_FAILURE() << "nothing was opened: " << boost::json::serialize(opened);
  return id != nullptr ? std::string(id->as_string()) : std::string();
}

// The structured content of a whole message, or an empty object.
inline boost::json::object content_of(const boost::json::object& message) {
  const auto* result = message.if_contains("result");
  const auto* content = result != nullptr ? result->as_object().if_contains("structuredContent") : nullptr;
  return content != nullptr ? content->as_object() : boost::json::object();
}

// A member of the error, "" when there is none.
inline std::string of_error(const boost::json::object& answer, std::string_view member) {
  const auto* error = answer.if_contains("error");
  const auto* value = error != nullptr ? error->as_object().if_contains(member) : nullptr;
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

// The first cell of a statement's first row as text; the whole answer where there is none.
inline std::string first_cell(const boost::json::object& answer, std::size_t statement = 0) {
  const auto* statements = answer.if_contains("statements");
  if (answer.contains("error") || statements == nullptr || statements->as_array().size() <= statement) {
    return boost::json::serialize(answer);
  }
  const auto& rows = statements->at(statement).at("rows").as_array();
  if (rows.empty()) return "no row";
  const auto& value = rows.at(0).at(0).at("value");
  return value.is_string() ? std::string(value.as_string()) : boost::json::serialize(value);
}

// The codes of an answer's diagnostics, joined by spaces.
inline std::string diagnostic_codes(const boost::json::object& answer) {
  std::string codes;
  if (const auto* diagnostics = answer.if_contains("diagnostics")) {
    for (const auto& diagnostic : diagnostics->as_array()) {
      codes.append(codes.empty() ? "" : " ").append(diagnostic.at("code").as_string());
    }
  }
  return codes;
}

// Every error is one that a client can act upon: a known kind and stage, a message, and a hint where the next step is
// not plain from the message. No words of ours: neither the SQL of the importer nor settings that the caller cannot
// reach.
inline void expect_helpful_error(const boost::json::object& answer, const std::string& what) {
  EXPECT_FALSE(of_error(answer, "kind").empty()) << what;
  EXPECT_FALSE(of_error(answer, "stage").empty()) << what;
  EXPECT_FALSE(of_error(answer, "message").empty()) << what;
  EXPECT_FALSE(of_error(answer, "hint").empty()) << what << boost::json::serialize(answer);
}

inline void cancel(ServerProcess& server, std::int64_t call) {
  server.send(boost::json::serialize(boost::json::object{{"jsonrpc", "2.0"},
                                                         {"method", "notifications/cancelled"},
                                                         {"params", boost::json::object{{"requestId", call}}}}));
}

// `adit query FILE SQL --format FORMAT` with its output in a file. Gives the exit code.
inline int adit_query(const std::string& file, const std::string& sql, const std::string& format,
                      const std::string& output) {
  const TemporaryDirectory state;
  std::vector<std::string> words{
      std::string(ADIT_BIN_DIR) + "/adit", "--state-dir", state.path(), "query", file, sql, "--format", format};
  if (constexpr std::string_view worker = ADIT_TEST_WORKER; !worker.empty()) {
    words.insert(words.begin() + 1, {"--worker", std::string(worker)});
  }
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  char* environment[] = {nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, words[0].c_str(), &actions, nullptr, arguments.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  int status = -1;
  if (failed != 0 || ::waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace adit::test
