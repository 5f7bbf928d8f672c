// Task<T>: a coroutine that ends in a Result<T>. All tasks of a process run on the one thread of its event loop
// (io/event_loop.h). Parameters of a coroutine are values or things that outlive it: see CONTRIBUTING, "Coroutines".
#pragma once

#include "adit/base/result.h"

#include <boost/asio/awaitable.hpp>

namespace adit {

template <class T>
using Task = boost::asio::awaitable<Result<T>>;

}  // namespace adit
