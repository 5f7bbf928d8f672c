// A result of `query` as a table for people.
#pragma once

#include <boost/json.hpp>

#include <cstddef>
#include <string>

namespace adit::app {

// Columns aligned, numbers to the right; cells longer than `widest` characters are cut with … (on the screen only).
std::string statement_table(const boost::json::object& statement, std::size_t widest = 40);

}  // namespace adit::app
