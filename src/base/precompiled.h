// The precompiled header of every module: standard library, fmt, Boost.JSON, and the one Asio header that
// base/task.h needs. It saves about two seconds a file; each source still includes what it uses.
#pragma once

#include <fmt/format.h>
#include <boost/asio/awaitable.hpp>
#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
