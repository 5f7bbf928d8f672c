// A request as a portal of the tests has received it.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace adit::test {

using QueryParameters = std::vector<std::pair<std::string, std::string>>;

struct CaseBlindLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const;
};

struct PortalRequest {
  std::string host;  // lower case, without the port
  std::string method;
  std::string path;       // as sent; of http://host/path, as a proxy is asked, the path
  QueryParameters query;  // decoded, in order
  std::map<std::string, std::string, CaseBlindLess> headers;
  std::string body;
  bool was_for_proxy = false;  // the whole URL was sent, and the host is its
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();  // when it had come

  std::string parameter(std::string_view name) const;  // the first of that name, "" when absent
  std::string header(std::string_view name) const;     // "" when absent
};

// The key of a query: names and values decoded, sorted, joined as name=value&name=value.
std::string sorted_query(std::string_view query);
std::string sorted_query(QueryParameters query);

// name=value&name=value of a URL, decoded; a plus is a space.
QueryParameters parse_query(std::string_view query);

}  // namespace adit::test
