// Layout of a VARIANT vector (DuckDB 1.5, src/include/duckdb/common/types/variant.hpp and variant_value.hpp): a struct
//   keys      VARCHAR[]                                          names of object members
//   children  STRUCT(keys_index UINTEGER, values_index UINTEGER)[]  members of all objects and lists
//   values    STRUCT(type_id UTINYINT, byte_offset UINTEGER)[]      the first is the value itself
//   data      BLOB                                               payloads, at the offsets of `values`
// An object's or list's payload is the number of its members and, unless that is 0, where they begin in `children`,
// both as LEB128. Numbers are little-endian. docs/sql-results.md has the forms.
#include "cells/variant_writer.h"

#include "adit/base/json_text.h"
#include "cells/int128_text.h"
#include "cells/scalar_text.h"
#include "cells/time_text.h"

#include <cstring>
#include <span>

namespace adit::worker {
namespace {

enum class VariantType : std::uint8_t {
  null = 0,
  yes = 1,
  no = 2,
  int8 = 3,
  int16 = 4,
  int32 = 5,
  int64 = 6,
  int128 = 7,
  uint8 = 8,
  uint16 = 9,
  uint32 = 10,
  uint64 = 11,
  uint128 = 12,
  float32 = 13,
  float64 = 14,
  decimal = 15,
  text = 16,
  blob = 17,
  uuid = 18,
  date = 19,
  time = 20,
  time_ns = 21,
  timestamp_s = 22,
  timestamp_ms = 23,
  timestamp = 24,
  timestamp_ns = 25,
  time_tz = 26,
  timestamp_tz = 27,
  interval = 28,
  object = 29,
  list = 30,
  bignum = 31,
  bits = 32,
  geometry = 33,
};

// Reads a payload; behind its end everything is zero.
class Payload {
 public:
  Payload(std::string_view data, std::size_t offset) : rest_(data.substr(std::min(offset, data.size()))) {}

  std::string_view take(std::size_t size) {
    const auto bytes = rest_.substr(0, size);
    rest_.remove_prefix(bytes.size());
    return bytes;
  }
  template <class T>
  T number() {
    T value{};
    const auto bytes = take(sizeof(T));
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  std::uint32_t length() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  std::string_view sized() { return take(length()); }

 private:
  std::string_view rest_;
};

// A list vector's data and the elements of the row at hand.
struct Elements {
  duckdb_list_entry entry{};
  bool has(std::uint32_t index) const { return index < entry.length; }
  idx_t at(std::uint32_t index) const { return entry.offset + index; }
};

class VariantWriter final : public ValueWriter {
 public:
  explicit VariantWriter(CellNotes& notes) : notes_(notes) {}

  void bind(duckdb_vector vector) override {
    ValueWriter::bind(vector);
    duckdb_vector keys = duckdb_struct_vector_get_child(vector, 0);
    duckdb_vector children = duckdb_struct_vector_get_child(vector, 1);
    duckdb_vector values = duckdb_struct_vector_get_child(vector, 2);
    key_lists_ = data_of<duckdb_list_entry>(keys);
    key_texts_ = data_of<duckdb_string_t>(duckdb_list_vector_get_child(keys));
    child_lists_ = data_of<duckdb_list_entry>(children);
    child_keys_ = data_of<std::uint32_t>(duckdb_struct_vector_get_child(duckdb_list_vector_get_child(children), 0));
    child_values_ = data_of<std::uint32_t>(duckdb_struct_vector_get_child(duckdb_list_vector_get_child(children), 1));
    value_lists_ = data_of<duckdb_list_entry>(values);
    value_types_ = data_of<std::uint8_t>(duckdb_struct_vector_get_child(duckdb_list_vector_get_child(values), 0));
    value_offsets_ = data_of<std::uint32_t>(duckdb_struct_vector_get_child(duckdb_list_vector_get_child(values), 1));
    payloads_ = data_of<duckdb_string_t>(duckdb_struct_vector_get_child(vector, 3));
  }

  // One that holds NULL is NULL.
  bool is_null(idx_t row) const override {
    if (ValueWriter::is_null(row)) return true;
    const Elements values{value_lists_[row]};
    return !values.has(0) || value_types_[values.at(0)] == static_cast<std::uint8_t>(VariantType::null);
  }
  std::string_view cell_type(idx_t) const override { return "json"; }
  void append_value(std::string& out, idx_t row) override {
    std::string text;
    append_nested(text, row);
    append_json_string(out, text);
  }
  void append_nested(std::string& out, idx_t row) override {
    row_ = row;
    append(out, 0);
  }

 private:
  template <class T>
  static const T* data_of(duckdb_vector vector) {
    return static_cast<const T*>(duckdb_vector_get_data(vector));
  }

  void append(std::string& out, std::uint32_t index) {
    const Elements values{value_lists_[row_]};
    if (!values.has(index)) {
      out += "null";
      return;
    }
    Payload payload(text_view(payloads_[row_]), value_offsets_[values.at(index)]);
    const auto type = static_cast<VariantType>(value_types_[values.at(index)]);
    switch (type) {
      case VariantType::object: append_members(out, payload, true); break;
      case VariantType::list: append_members(out, payload, false); break;
      default: append_scalar(out, type, payload);
    }
  }

  void append_members(std::string& out, Payload& payload, bool named) {
    const Elements children{child_lists_[row_]};
    const Elements keys{key_lists_[row_]};
    const std::uint32_t count = payload.length();
    const std::uint32_t first = count == 0 ? 0 : payload.length();
    out += named ? '{' : '[';
    for (std::uint32_t i = 0; i < count && children.has(first + i); ++i) {
      if (i > 0) out += ',';
      const idx_t child = children.at(first + i);
      if (named) {
        const auto key = child_keys_[child];
        append_text(out, keys.has(key) ? text_view(key_texts_[keys.at(key)]) : std::string_view());
        out += ':';
      }
      append(out, child_values_[child]);
    }
    out += named ? '}' : ']';
  }

  void append_scalar(std::string& out, VariantType type, Payload& payload) {
    switch (type) {
      case VariantType::yes: out += "true"; return;
      case VariantType::no: out += "false"; return;
      case VariantType::int8: append_json_integer(out, payload.number<std::int8_t>()); return;
      case VariantType::int16: append_json_integer(out, payload.number<std::int16_t>()); return;
      case VariantType::int32: append_json_integer(out, payload.number<std::int32_t>()); return;
      case VariantType::int64: append_json_integer(out, payload.number<std::int64_t>()); return;
      case VariantType::int128: append_json_integer(out, payload.number<Int128>()); return;
      case VariantType::uint8: append_json_integer(out, payload.number<std::uint8_t>()); return;
      case VariantType::uint16: append_json_integer(out, payload.number<std::uint16_t>()); return;
      case VariantType::uint32: append_json_integer(out, payload.number<std::uint32_t>()); return;
      case VariantType::uint64: append_json_integer(out, Int128{payload.number<std::uint64_t>()}); return;
      case VariantType::uint128: append_json_unsigned(out, payload.number<UInt128>()); return;
      case VariantType::float32: append_json_float(out, payload.number<float>()); return;
      case VariantType::float64: append_json_float(out, payload.number<double>()); return;
      case VariantType::text: append_text(out, payload.sized()); return;
      case VariantType::null:
      case VariantType::object:
      case VariantType::list: out += "null"; return;
      default: break;
    }
    out += '"';
    append_unquoted(out, type, payload);
    out += '"';
  }

  // What stands in a text: forms that hold nothing to be escaped.
  static void append_unquoted(std::string& out, VariantType type, Payload& payload) {
    switch (type) {
      case VariantType::decimal: append_decimal_payload(out, payload); return;
      case VariantType::blob: append_hexadecimal(out, payload.sized()); return;
      case VariantType::uuid: append_uuid(out, payload.number<duckdb_hugeint>()); return;
      case VariantType::date: append_date(out, payload.number<duckdb_date>()); return;
      case VariantType::time: append_time(out, payload.number<std::int64_t>(), TimeUnit::microseconds); return;
      case VariantType::time_ns: append_time(out, payload.number<std::int64_t>(), TimeUnit::nanoseconds); return;
      case VariantType::time_tz: append_time_tz(out, payload.number<duckdb_time_tz>()); return;
      case VariantType::timestamp_s: append_moment(out, payload, TimeUnit::seconds, Zone::none); return;
      case VariantType::timestamp_ms: append_moment(out, payload, TimeUnit::milliseconds, Zone::none); return;
      case VariantType::timestamp: append_moment(out, payload, TimeUnit::microseconds, Zone::none); return;
      case VariantType::timestamp_ns: append_moment(out, payload, TimeUnit::nanoseconds, Zone::none); return;
      case VariantType::timestamp_tz: append_moment(out, payload, TimeUnit::microseconds, Zone::utc); return;
      case VariantType::interval: append_interval(out, payload.number<duckdb_interval>()); return;
      case VariantType::bignum: append_bignum(out, payload.sized()); return;
      case VariantType::bits: append_bits(out, payload.sized()); return;
      case VariantType::geometry: append_wkt(out, payload.sized()); return;
      default: out += "a value of an unknown type"; return;
    }
  }

  static void append_moment(std::string& out, Payload& payload, TimeUnit unit, Zone zone) {
    append_timestamp(out, payload.number<std::int64_t>(), unit, zone);
  }

  static void append_decimal_payload(std::string& out, Payload& payload) {
    const auto width = payload.length();
    const auto scale = static_cast<int>(payload.length());
    if (width <= 4) append_decimal(out, payload.number<std::int16_t>(), scale);
    else if (width <= 9) append_decimal(out, payload.number<std::int32_t>(), scale);
    else if (width <= 18) append_decimal(out, payload.number<std::int64_t>(), scale);
    else append_decimal(out, payload.number<Int128>(), scale);
  }

  void append_text(std::string& out, std::string_view text) {
    const bool valid = is_valid_utf8(text);
    notes_.replaced_invalid_utf8 = notes_.replaced_invalid_utf8 || !valid;
    if (valid) append_json_string(out, text);
    else append_json_string(out, to_valid_utf8(text));
  }

  CellNotes& notes_;
  idx_t row_ = 0;
  const duckdb_list_entry* key_lists_ = nullptr;
  const duckdb_string_t* key_texts_ = nullptr;
  const duckdb_list_entry* child_lists_ = nullptr;
  const std::uint32_t* child_keys_ = nullptr;
  const std::uint32_t* child_values_ = nullptr;
  const duckdb_list_entry* value_lists_ = nullptr;
  const std::uint8_t* value_types_ = nullptr;
  const std::uint32_t* value_offsets_ = nullptr;
  const duckdb_string_t* payloads_ = nullptr;
};

}  // namespace

std::unique_ptr<ValueWriter> make_variant_writer(CellNotes& notes) { return std::make_unique<VariantWriter>(notes); }

}  // namespace adit::worker
