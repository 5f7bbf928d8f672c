// Result<T>: a value or an Error. Exceptions are for bugs; foreign ones are caught at the module's border.
#pragma once

#include "adit/base/error.h"

#include <utility>
#include <variant>

namespace adit {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: ok()
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // REQUIRES: !ok()
  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }

  // REQUIRES: !ok()
  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace adit

#define ADIT_CONCAT_(a, b) a##b
#define ADIT_CONCAT(a, b) ADIT_CONCAT_(a, b)

// ADIT_TRY(auto x, f());  — declares x, or returns f's error from the function.
#define ADIT_TRY(declaration, ...) ADIT_TRY_(ADIT_CONCAT(adit_try_, __LINE__), return, declaration, __VA_ARGS__)
#define ADIT_CO_TRY(declaration, ...) ADIT_TRY_(ADIT_CONCAT(adit_try_, __LINE__), co_return, declaration, __VA_ARGS__)
#define ADIT_TRY_(result, leave, declaration, ...)   \
  auto result = (__VA_ARGS__);                       \
  if (!result.ok()) leave std::move(result).error(); \
  declaration = std::move(result).value()

// ADIT_CHECK(f());  — for Result<void>.
#define ADIT_CHECK(...) ADIT_CHECK_(return, __VA_ARGS__)
#define ADIT_CO_CHECK(...) ADIT_CHECK_(co_return, __VA_ARGS__)
#define ADIT_CHECK_(leave, ...) \
  if (auto adit_check = (__VA_ARGS__); !adit_check.ok()) leave std::move(adit_check).error()
