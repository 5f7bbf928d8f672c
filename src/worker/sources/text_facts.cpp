#include "sources/text_facts.h"

#include "adit/base/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace adit::worker {
namespace {

constexpr std::size_t kDateBytes = 10;  // 2024-02-29

constexpr std::size_t kMostDigits = 38;     // of DECIMAL
constexpr std::size_t kMostPlaces = 18;     // behind the point
constexpr std::size_t kDoubleDigits = 15;   // that DOUBLE always keeps
constexpr std::size_t kWrittenDigits = 17;  // that programs write to give a DOUBLE exactly
constexpr std::size_t kDoubleWhole = 308;   // digits before the point of the largest DOUBLE, less one

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (at + count < text.size() && is_digit(text[at + count])) ++count;
  return count;
}

// Two numbers as digits without leading zeros.
bool is_less(std::string_view a, std::string_view b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }

bool is_word_number(std::string_view text) {
  std::string lower;
  for (const char c : text.substr(0, 10)) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower == "nan" || lower == "inf" || lower == "infinity";
}

// Two digits within a range.
bool is_part(std::string_view text, std::size_t at, int low, int high) {
  if (at + 2 > text.size() || !is_digit(text[at]) || !is_digit(text[at + 1])) return false;
  const int value = (text[at] - '0') * 10 + text[at + 1] - '0';
  return value >= low && value <= high;
}

bool is_date(std::string_view text) {
  if (text.size() != 10 || digits_at(text, 0) != 4 || text[4] != '-' || text[7] != '-') return false;
  const int year = std::atoi(std::string(text.substr(0, 4)).c_str());
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (year == 0 || !is_part(text, 5, 1, 12)) return false;
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int month = (text[5] - '0') * 10 + text[6] - '0';
  return is_part(text, 8, 1, kDays[month - 1] + (month == 2 && leap ? 1 : 0));
}

// HH:MM:SS with up to six digits behind the second; what is left behind it.
std::optional<std::string_view> behind_time(std::string_view text) {
  if (!is_part(text, 0, 0, 23) || !is_part(text, 3, 0, 59) || !is_part(text, 6, 0, 59)) return std::nullopt;
  if (text[2] != ':' || text[5] != ':') return std::nullopt;
  text.remove_prefix(8);
  if (!text.starts_with('.')) return text;
  const auto digits = digits_at(text, 1);
  if (digits == 0 || digits > 6) return std::nullopt;
  return text.substr(1 + digits);
}

bool is_zone(std::string_view text) {
  if (text == "Z") return true;
  if (!text.starts_with('+') && !text.starts_with('-')) return false;
  if (!is_part(text, 1, 0, 14)) return false;
  return text.size() == 3 || (text.size() == 6 && text[3] == ':' && is_part(text, 4, 0, 59));
}

}  // namespace

std::size_t significant_digits(std::string_view number) {
  std::size_t count = 0, zeros = 0;
  for (const char c : number) {
    if (!is_digit(c)) continue;
    if (c == '0') {
      zeros += count > 0 ? 1 : 0;
      continue;
    }
    count += zeros + 1;
    zeros = 0;
  }
  return count;
}

void TextFacts::add(std::string_view text) {
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) {
    has_spaces_ = true;
    all_dates_ = all_timestamps_ = all_moments_ = false;
    return;
  }
  const auto trimmed = text.substr(begin, text.find_last_not_of(' ') - begin + 1);
  if (trimmed.size() != text.size()) has_spaces_ = true;
  any_value_ = true;
  if (all_double_) add_number(trimmed);
  if (all_dates_ || all_timestamps_ || all_moments_) add_time(text);
  if (text.size() > kDateBytes) add_timestamp_form(trimmed);
  else all_zones_ = false;
  all_truth_ = all_truth_ && (same_name(trimmed, "true") || same_name(trimmed, "false"));
}

void TextFacts::add_number(std::string_view text) {
  const bool is_signed = text.front() == '+' || text.front() == '-';
  const auto bare = text.substr(is_signed ? 1 : 0);
  const auto whole = digits_at(bare, 0);
  const bool has_point = whole < bare.size() && bare[whole] == '.';
  const auto places = has_point ? digits_at(bare, whole + 1) : 0;
  const auto end = whole + (has_point ? 1 : 0) + places;
  const bool is_number = whole + places > 0;
  if (is_number && end == bare.size()) {
    add_plain(bare, text.front() == '-');
    return;
  }
  all_plain_ = false;
  if (is_number && (bare[end] == 'e' || bare[end] == 'E')) add_with_exponent(text);
  else if (!is_word_number(bare)) all_double_ = false;
}

void TextFacts::add_plain(std::string_view digits, bool negative) {
  const auto point = std::min(digits.find('.'), digits.size());
  auto whole = digits.substr(0, point);
  if (whole.size() > 1 && whole.front() == '0') any_padded_ = true;
  while (whole.starts_with('0')) whole.remove_prefix(1);
  whole_ = std::max(whole_, whole.size());
  places_ = std::max(places_, digits.size() - std::min(point + 1, digits.size()));
  // Only numbers that may be at the border of an integer type are compared.
  if (auto& extreme = negative ? smallest_ : largest_; is_less(extreme, whole)) extreme = whole;
  if (significant_digits(digits) > kDoubleDigits) ++rounded_;
  if (whole.size() > kDoubleWhole && std::isinf(std::strtod(std::string(whole).c_str(), nullptr))) ++too_large_;
}

void TextFacts::add_with_exponent(std::string_view text) {
  const std::string number(text);
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (end != number.c_str() + number.size()) {
    all_double_ = false;
    return;
  }
  const auto digits = significant_digits(text.substr(0, text.find_first_of("eE")));
  if (std::isinf(value)) ++too_large_;
  else if (digits > kWrittenDigits || (value == 0 && digits > 0)) ++rounded_;
}

void TextFacts::add_time(std::string_view text) {
  if (!is_date(text.substr(0, 10))) {
    all_dates_ = all_timestamps_ = all_moments_ = false;
    return;
  }
  if (text.size() != 10) all_dates_ = false;
  const bool has_time = text.size() > 11 && (text[10] == 'T' || text[10] == ' ');
  const auto rest = has_time ? behind_time(text.substr(11)) : std::nullopt;
  if (!rest || !rest->empty()) all_timestamps_ = false;
  if (!rest || !is_zone(*rest)) all_moments_ = false;
}

void TextFacts::add_timestamp_form(std::string_view text) {
  const auto time = text.substr(std::min(kDateBytes, text.size()));
  if (const auto point = text.rfind('.'); point != std::string_view::npos) {
    second_places_ = std::max(second_places_, digits_at(text, point + 1));
  }
  const bool zone = time.find_first_of("+-Zz") != std::string_view::npos;
  any_zone_ = any_zone_ || zone;
  all_zones_ = all_zones_ && zone;
  const auto year = text.substr(0, 4);
  if (year < "1678" || year > "2261") in_nanosecond_years_ = false;
}

std::string TextFacts::timestamp_type(const std::string& found) const {
  constexpr std::size_t kMicroseconds = 6, kNanoseconds = 9;
  if (any_zone_ && !all_zones_) return "VARCHAR";
  if (second_places_ <= kMicroseconds) return found;
  if (found == "TIME" && second_places_ <= kNanoseconds) return "TIME_NS";
  const bool fits = found == "TIMESTAMP" && second_places_ <= kNanoseconds && in_nanosecond_years_;
  return fits ? "TIMESTAMP_NS" : "VARCHAR";
}

std::string TextFacts::number_type(bool may_be_double, std::size_t trusted_digits) const {
  if (!all_plain_) return may_be_double && all_double_ && too_large_ == 0 ? "DOUBLE" : "VARCHAR";
  if (any_padded_ || too_large_ > 0) return "VARCHAR";
  if (places_ == 0) {
    const auto fits = [&](std::string_view largest, std::string_view smallest) {
      return !is_less(largest, largest_) && !is_less(smallest, smallest_);
    };
    if (fits("9223372036854775807", "9223372036854775808")) return "BIGINT";
    if (fits("170141183460469231731687303715884105727", "170141183460469231731687303715884105728")) return "HUGEINT";
    return fits("340282366920938463463374607431768211455", "") ? "UHUGEINT" : "DOUBLE";
  }
  const std::size_t digits = whole_ + places_;
  if (places_ > kMostPlaces || digits > kMostDigits || digits > trusted_digits) return "DOUBLE";
  return fmt::format("DECIMAL({},{})", std::max<std::size_t>(digits, 1), places_);
}

std::string TextFacts::time_type() const {
  if (!any_value_) return "VARCHAR";
  if (all_dates_) return "DATE";
  if (all_timestamps_) return "TIMESTAMP";
  return all_moments_ ? "TIMESTAMP WITH TIME ZONE" : "VARCHAR";
}

}  // namespace adit::worker
