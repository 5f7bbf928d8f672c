// The precompiled header of the tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
