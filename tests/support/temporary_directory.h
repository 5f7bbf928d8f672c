// A directory that lives as long as the object.
#pragma once

#include <string>
#include <string_view>

namespace adit::test {

class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }
  std::string write(std::string_view name, std::string_view content) const;  // gives the file's path

 private:
  std::string path_;
};

}  // namespace adit::test
