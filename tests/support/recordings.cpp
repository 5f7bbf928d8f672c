#include "support/recordings.h"

#include "support/replay_portal.h"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace adit::test {
namespace json = boost::json;
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string text(const json::object& entry, std::string_view member) {
  const auto* value = entry.if_contains(member);
  return value != nullptr ? std::string(value->as_string()) : std::string();
}

Recording read_entry(const std::string& directory, const json::object& entry) {
  Recording recording{.host = text(entry, "host"),
                      .method = text(entry, "method"),
                      .path = text(entry, "path"),
                      .query = text(entry, "query"),
                      .status = static_cast<int>(entry.at("status").as_int64()),
                      .headers = {},
                      .body = {},
                      .file = text(entry, "file"),
                      .what = text(entry, "what")};
  if (const auto* headers = entry.if_contains("headers")) {
    for (const auto& [name, value] : headers->as_object()) {
      recording.headers.emplace_back(name, std::string(value.as_string()));
    }
  }
  if (!recording.file.empty()) recording.body = read_file(directory + "/" + recording.file);
  return recording;
}

// They speak of how the bytes came, and the bytes of a recording come anew.
bool is_of_transfer(std::string_view header) {
  constexpr std::string_view kNames[] = {"Connection", "Content-Encoding", "Content-Length", "Transfer-Encoding"};
  return std::find(std::begin(kNames), std::end(kNames), header) != std::end(kNames);
}

// The file has the value of a recorded request, or is the body alone.
Recording read_request(const json::object& file) {
  constexpr std::string_view kScheme = "https://";
  Recording recording;
  const auto url = text(file, "url");
  const auto path = std::min(url.size(), url.find('/', kScheme.size()));
  const auto question = std::min(url.size(), url.find('?', path));
  recording.host = url.substr(kScheme.size(), path - kScheme.size());
  recording.path = url.substr(path, question - path);
  recording.query = sorted_query(std::string_view(url).substr(std::min(url.size(), question + 1)));
  recording.method = text(file, "method");
  recording.status = static_cast<int>(file.at("status").as_int64());
  for (const auto& [name, value] : file.at("headers").as_object()) {
    if (!is_of_transfer(name)) recording.headers.emplace_back(name, std::string(value.as_string()));
  }
  const auto* body = file.if_contains("body");
  if (body != nullptr && body->is_string()) recording.body = body->as_string();
  else if (const auto* parsed = file.if_contains("body_json")) recording.body = json::serialize(*parsed);
  return recording;
}

}  // namespace

std::vector<Recording> read_recordings(const std::string& directory) {
  std::vector<Recording> recordings;
  const auto index = json::parse(read_file(directory + "/index.json"));
  for (const auto& entry : index.as_array()) recordings.push_back(read_entry(directory, entry.as_object()));
  return recordings;
}

std::string socrata_recordings() { return std::string(ADIT_SOURCE_DIR) + "/tests/recordings/socrata"; }

std::optional<std::string> shared_recordings() {
  const char* named = std::getenv("ADIT_SHARED");
  auto directory =
      (named != nullptr ? std::string(named) : std::string(ADIT_SOURCE_DIR) + "/../shared") + "/cases/socrata";
  if (!std::filesystem::is_directory(directory + "/socratadata")) return std::nullopt;
  return directory;
}

Recording read_shared_recording(const std::string& directory, const std::string& file) {
  auto bytes = read_file(directory + "/" + file);
  const auto value = json::parse(bytes);
  Recording recording;
  if (value.as_object().contains("url")) {
    recording = read_request(value.as_object());
  } else {
    recording.host = "api.us.socrata.com";
    recording.method = "GET";
    recording.path = "/api/catalog/v1";
    recording.body = std::move(bytes);
  }
  recording.file = file;
  return recording;
}

std::vector<Recording> read_shared_recordings(const std::string& directory) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/socratadata")) {
    files.push_back("socratadata/" + entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  std::vector<Recording> recordings;
  for (const auto& file : files) {
    auto recording = read_shared_recording(directory, file);
    if (recording.method != "GET" || recording.host == "api.us.socrata.com") continue;
    if (recording.path.starts_with("/api/views/")) recording.path += ".json";
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

}  // namespace adit::test
