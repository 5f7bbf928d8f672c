// What all texts of one column have in common: whether they are plain numbers and how large, or dates and times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace adit::worker {

class TextFacts {
 public:
  // A text of the column; NULL is not added.
  void add(std::string_view text);

  // The first of BIGINT, HUGEINT, UHUGEINT and DECIMAL that holds every number as it is written; DOUBLE where there is
  // none; VARCHAR where texts are no numbers, are padded with zeros, or are larger than DOUBLE holds. `may_be_double`:
  // exponents, NaN and Infinity are numbers too. `trusted_digits`: how many the texts give exactly.
  std::string number_type(bool may_be_double, std::size_t trusted_digits) const;

  // DATE, TIMESTAMP or TIMESTAMP WITH TIME ZONE when all texts are written so in ISO 8601, else VARCHAR.
  std::string time_type() const;

  // BOOLEAN for texts that are true and false and no others: a reader takes t, F, yes and NO for them too.
  std::string truth_type() const { return any_value_ && all_truth_ ? "BOOLEAN" : "VARCHAR"; }

  // The type for texts that the reader takes for `found`, a time or a timestamp with or without zone: with
  // nanoseconds where a text has them, VARCHAR where no type keeps every text, or where some texts have a zone and
  // others have none.
  std::string timestamp_type(const std::string& found) const;

  bool has_spaces() const { return has_spaces_; }        // around a text, or nothing else
  std::int64_t rounded() const { return rounded_; }      // numbers of which DOUBLE keeps only a part
  std::int64_t too_large() const { return too_large_; }  // numbers that are infinite as DOUBLE

 private:
  void add_number(std::string_view text);
  void add_plain(std::string_view digits, bool negative);
  void add_with_exponent(std::string_view text);
  void add_time(std::string_view text);
  void add_timestamp_form(std::string_view text);

  bool has_spaces_ = false;
  bool all_plain_ = true, all_double_ = true;
  bool any_padded_ = false;
  std::size_t whole_ = 0, places_ = 0;  // most digits before and behind the point
  std::string largest_, smallest_;      // whole parts: digits of the largest, and of the most negative
  std::int64_t rounded_ = 0, too_large_ = 0;
  bool any_value_ = false;
  bool all_dates_ = true, all_timestamps_ = true, all_moments_ = true;
  std::size_t second_places_ = 0;  // most digits of a fraction of a second
  bool all_truth_ = true;
  bool any_zone_ = false, all_zones_ = true;
  bool in_nanosecond_years_ = true;
};

// Digits of a number between the first and the last that is not zero.
std::size_t significant_digits(std::string_view number);

}  // namespace adit::worker
