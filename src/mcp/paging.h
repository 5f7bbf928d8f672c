// Pages of a list and the cursors between them (R9). A cursor is opaque to clients: it is signed, and holds for the
// very list that it was given out for.
#pragma once

#include "adit/base/result.h"

#include <boost/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace adit::mcp {

struct Page {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::optional<std::string> next_cursor;  // absent on the last page
};

// `list` names the list, `entries` what stands in it. An unknown cursor, and one of a list that has changed since, is
// invalid_params; "" is a cursor, too.
Result<Page> find_page(const boost::json::object& params, std::string_view key, std::string_view list,
                       const std::vector<std::string>& entries, std::size_t page_size);

}  // namespace adit::mcp
