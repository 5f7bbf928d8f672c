// The rows of a dataset that is made up: the same ones for a number of rows and a seed, rendered once as portals render
// them. No requests here (generated_portal.h).
//
//   case_id    number              1 … n, unique; the rows' order in storage
//   borough    text                eight of them, with quotes and letters beyond ASCII
//   amount     number              cents; sometimes missing
//   opened_at  floating_timestamp
//   open       checkbox            sometimes missing
//   place      location            sometimes missing
//   :id        the portal's own, unique; its order is another one than storage's
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adit::test {

enum class GeneratedColumn : std::uint8_t { case_id, borough, amount, opened_at, open, place, id };
inline constexpr std::size_t kGeneratedColumns = 7;
inline constexpr std::size_t kGeneratedOwnColumns = 6;  // without :id, which comes last

std::string_view name_of(GeneratedColumn column);
std::string_view type_of(GeneratedColumn column);
std::optional<GeneratedColumn> find_column(std::string_view name);

enum class Direction { ascending, descending };

struct OrderTerm {
  GeneratedColumn column;
  Direction direction = Direction::ascending;
};

// Rows by their numbers, and where rows begin that are equal by the terms: group[i] is the first position with the same
// values as position i's, end[i] the position behind the last.
struct OrderedRows {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> group_begin, group_end;
};

class GeneratedRows {
 public:
  GeneratedRows(std::size_t count, std::uint64_t seed);

  std::size_t size() const { return storage_.size(); }

  // One more row, which comes first in storage and by :id, and has the next case_id.
  void insert_first();

  // Rows whose column's text is the value, all without a column; by the terms, then as stored. Missing values are last
  // in ascending order, first in descending order.
  OrderedRows ordered(std::span<const OrderTerm> terms, std::optional<GeneratedColumn> column,
                      std::string_view value) const;

  // {"name":value,…}; a missing value has no member. All own columns go out fastest.
  void append_row(std::string& out, std::uint32_t row, std::span<const GeneratedColumn> columns) const;

  std::size_t present(GeneratedColumn column) const;  // rows with a value
  std::int64_t amount_cents() const;                  // sum
  std::map<std::string, std::size_t> boroughs() const;

 private:
  struct Row {
    std::uint64_t id;
    std::int64_t opened_at;  // seconds since 1970
    std::uint32_t case_id;
    std::int32_t amount;  // cents; missing: -1
    std::uint8_t borough;
    std::int8_t open;  // missing: -1
    bool has_place;
    std::uint32_t begin;                                      // of the row's members in text_
    std::array<std::uint16_t, kGeneratedColumns> member_end;  // from begin; a comma lies before each but the first
  };

  void add(std::uint32_t case_id, std::uint64_t id);
  std::string_view member(const Row& row, GeneratedColumn column) const;
  static int compare(const Row& a, const Row& b, GeneratedColumn column);  // missing values last

  std::uint64_t random_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> storage_;  // numbers of rows_ in the order of storage
  std::string text_;
};

}  // namespace adit::test
