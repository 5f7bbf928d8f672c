// Answers of data portals that were recorded: one directory's index.json and the bodies beside it.
// tests/recordings/socrata/README.md says what the members of an entry mean.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace adit::test {

struct Recording {
  std::string host;
  std::string method;
  std::string path;
  std::string query;  // as sorted_query() writes it
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string file;  // of the body, below the directory
  std::string what;  // a sentence
};

// In the order of the index. Throws std::runtime_error when a file is missing or not what it should be.
std::vector<Recording> read_recordings(const std::string& directory);

}  // namespace adit::test
