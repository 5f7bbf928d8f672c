#include "support/recordings.h"

#include <boost/json.hpp>

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

}  // namespace

std::vector<Recording> read_recordings(const std::string& directory) {
  std::vector<Recording> recordings;
  const auto index = json::parse(read_file(directory + "/index.json"));
  for (const auto& entry : index.as_array()) recordings.push_back(read_entry(directory, entry.as_object()));
  return recordings;
}

}  // namespace adit::test
