// Answers of data portals that were recorded. Those of this repository lie in tests/recordings, whose README.md says
// what the members of an index mean; others are read where they lie, if they are there.
#pragma once

#include <optional>
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

std::string socrata_recordings();  // the directory of this repository's

// cases/socrata of $ADIT_SHARED, or else of a directory `shared` beside this repository; nothing where it is not.
std::optional<std::string> shared_recordings();

// One of the files there: {method, url, status, headers, body}, or an answer of the catalog alone, whose `query` was
// not recorded. Throws as read_recordings does.
Recording read_shared_recording(const std::string& directory, const std::string& file);

// All of them whose request is known: GET of rows and metadata. A view's path ends with .json as clients ask for it.
std::vector<Recording> read_shared_recordings(const std::string& directory);

}  // namespace adit::test
