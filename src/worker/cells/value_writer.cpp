#include "cells/value_writer.h"

#include "adit/base/json_text.h"
#include "cells/scalar_text.h"
#include "cells/time_text.h"
#include "cells/variant_writer.h"

#include <fmt/format.h>

#include <exception>
#include <functional>
#include <limits>

namespace adit::worker {
namespace {

template <class Append>
void append_quoted(std::string& out, const Append& append) {
  out += '"';
  append();
  out += '"';
}

template <class T>
class IntegerWriter final : public ValueWriter {
 public:
  std::string_view cell_type(idx_t) const override { return std::is_signed_v<T> ? "int64" : "uint64"; }
  void append_value(std::string& out, idx_t row) override {
    append_quoted(out, [&] { append_digits(out, row); });
  }
  void append_nested(std::string& out, idx_t row) override {
    const T value = at<T>(row);
    bool safe = value <= static_cast<T>(std::min<std::uint64_t>(kMaxSafeInteger, std::numeric_limits<T>::max()));
    if constexpr (std::is_signed_v<T>) safe = safe && std::int64_t{value} >= -kMaxSafeInteger;
    if (safe) append_digits(out, row);
    else append_value(out, row);
  }

 private:
  void append_digits(std::string& out, idx_t row) const {
    const fmt::format_int digits(at<T>(row));
    out.append(digits.data(), digits.size());
  }
};

class HugeIntegerWriter final : public ValueWriter {
 public:
  explicit HugeIntegerWriter(bool is_signed) : signed_(is_signed) {}

  std::string_view cell_type(idx_t row) const override {
    if (signed_) {
      const Int128 value = to_int128(at<duckdb_hugeint>(row));
      if (value >= std::numeric_limits<std::int64_t>::min() && value <= std::numeric_limits<std::int64_t>::max()) {
        return "int64";
      }
      return value > 0 && value <= std::numeric_limits<std::uint64_t>::max() ? "uint64" : "int128";
    }
    const UInt128 value = to_uint128(at<duckdb_uhugeint>(row));
    if (value <= static_cast<UInt128>(std::numeric_limits<std::int64_t>::max())) return "int64";
    return value <= std::numeric_limits<std::uint64_t>::max() ? "uint64" : "uint128";
  }
  void append_value(std::string& out, idx_t row) override {
    append_quoted(out, [&] { append_digits(out, row); });
  }
  void append_nested(std::string& out, idx_t row) override {
    if (signed_) append_json_integer(out, to_int128(at<duckdb_hugeint>(row)));
    else append_json_unsigned(out, to_uint128(at<duckdb_uhugeint>(row)));
  }

 private:
  void append_digits(std::string& out, idx_t row) const {
    if (signed_) append_int128(out, to_int128(at<duckdb_hugeint>(row)));
    else append_uint128(out, to_uint128(at<duckdb_uhugeint>(row)));
  }
  bool signed_;
};

template <class T>
class FloatWriter final : public ValueWriter {
 public:
  std::string_view cell_type(idx_t) const override { return "float64"; }
  void append_value(std::string& out, idx_t row) override { append_json_float(out, at<T>(row)); }
};

class BooleanWriter final : public ValueWriter {
 public:
  std::string_view cell_type(idx_t) const override { return "boolean"; }
  void append_value(std::string& out, idx_t row) override { out += at<bool>(row) ? "true" : "false"; }
};

enum class TextKind { utf8, decimal };

class TextWriter final : public ValueWriter {
 public:
  TextWriter(TextKind kind, bool json_inside, CellNotes& notes)
      : kind_(kind), json_inside_(json_inside), notes_(notes) {}

  std::string_view cell_type(idx_t) const override { return kind_ == TextKind::utf8 ? "utf8" : "decimal"; }
  void append_value(std::string& out, idx_t row) override { append_text(out, text_view(at<duckdb_string_t>(row))); }
  void append_nested(std::string& out, idx_t row) override {
    if (!json_inside_ || !append_checked(out, row)) append_text(out, text_view(at<duckdb_string_t>(row)));
  }

 private:
  bool append_checked(std::string& out, idx_t row) const {
    const JsonWalkLimits limits{.depth = 1000, .big_integers = BigIntegers::quote};
    return append_checked_json(out, text_view(at<duckdb_string_t>(row)), limits).ok();
  }
  void append_text(std::string& out, std::string_view text) {
    if (is_valid_utf8(text)) {
      append_json_string(out, text);
      return;
    }
    notes_.replaced_invalid_utf8 = true;
    append_json_string(out, to_valid_utf8(text));
  }

  TextKind kind_;
  bool json_inside_;  // the engine's JSON: a value of its own where it stands inside another one
  CellNotes& notes_;
};

class EnumWriter final : public ValueWriter {
 public:
  explicit EnumWriter(duckdb_logical_type type) : index_type_(duckdb_enum_internal_type(type)) {
    const std::uint32_t size = duckdb_enum_dictionary_size(type);
    for (std::uint32_t i = 0; i < size; ++i) {
      texts_.push_back(json_string(to_valid_utf8(take_text(duckdb_enum_dictionary_value(type, i)))));
    }
  }
  std::string_view cell_type(idx_t) const override { return "utf8"; }
  void append_value(std::string& out, idx_t row) override { out += texts_.at(index(row)); }

 private:
  std::size_t index(idx_t row) const {
    if (index_type_ == DUCKDB_TYPE_UTINYINT) return at<std::uint8_t>(row);
    if (index_type_ == DUCKDB_TYPE_USMALLINT) return at<std::uint16_t>(row);
    return at<std::uint32_t>(row);
  }
  duckdb_type index_type_;
  std::vector<std::string> texts_;  // JSON strings
};

class BlobWriter final : public ValueWriter {
 public:
  std::string_view cell_type(idx_t) const override { return "binary"; }
  void append_value(std::string& out, idx_t row) override {
    append_quoted(out, [&] { append_hexadecimal(out, text_view(at<duckdb_string_t>(row))); });
  }
};

class DecimalWriter final : public ValueWriter {
 public:
  explicit DecimalWriter(duckdb_logical_type type)
      : scale_(duckdb_decimal_scale(type)), storage_(duckdb_decimal_internal_type(type)) {}
  std::string_view cell_type(idx_t) const override { return "decimal"; }
  void append_value(std::string& out, idx_t row) override {
    append_quoted(out, [&] { append_decimal(out, unscaled(row), scale_); });
  }

 private:
  Int128 unscaled(idx_t row) const {
    switch (storage_) {
      case DUCKDB_TYPE_SMALLINT: return at<std::int16_t>(row);
      case DUCKDB_TYPE_INTEGER: return at<std::int32_t>(row);
      case DUCKDB_TYPE_BIGINT: return at<std::int64_t>(row);
      default: return to_int128(at<duckdb_hugeint>(row));
    }
  }
  int scale_;
  duckdb_type storage_;
};

// Types whose value is a fixed-size item printed as quoted text: dates, times, intervals, UUIDs.
template <class T>
class QuotedWriter final : public ValueWriter {
 public:
  using Append = std::function<void(std::string&, const T&)>;
  QuotedWriter(std::string_view cell_type, Append append) : cell_type_(cell_type), append_(std::move(append)) {}
  std::string_view cell_type(idx_t) const override { return cell_type_; }
  void append_value(std::string& out, idx_t row) override {
    append_quoted(out, [&] { append_(out, at<T>(row)); });
  }

 private:
  std::string_view cell_type_;
  Append append_;
};

template <class T>
std::unique_ptr<ValueWriter> quoted(std::string_view cell_type, typename QuotedWriter<T>::Append append) {
  return std::make_unique<QuotedWriter<T>>(cell_type, std::move(append));
}

std::unique_ptr<ValueWriter> timestamp_writer(std::string_view cell_type, TimeUnit unit, Zone zone) {
  return quoted<std::int64_t>(
      cell_type, [unit, zone](std::string& out, std::int64_t value) { append_timestamp(out, value, unit, zone); });
}

// LIST, ARRAY, STRUCT, MAP and UNION: a cell's value is their JSON as text.
class NestedWriter : public ValueWriter {
 public:
  std::string_view cell_type(idx_t) const override { return "json"; }
  void append_value(std::string& out, idx_t row) override {
    text_.clear();
    append_nested(text_, row);
    append_json_string(out, text_);
  }

 private:
  std::string text_;
};

class ListWriter final : public NestedWriter {
 public:
  explicit ListWriter(std::unique_ptr<ValueWriter> element) : element_(std::move(element)) {}
  void bind(duckdb_vector vector) override {
    ValueWriter::bind(vector);
    element_->bind(duckdb_list_vector_get_child(vector));
  }
  void append_nested(std::string& out, idx_t row) override {
    const auto entry = at<duckdb_list_entry>(row);
    out += '[';
    for (idx_t i = 0; i < entry.length; ++i) {
      if (i > 0) out += ',';
      element_->append_nested_or_null(out, entry.offset + i);
    }
    out += ']';
  }

 private:
  std::unique_ptr<ValueWriter> element_;
};

class ArrayWriter final : public NestedWriter {
 public:
  ArrayWriter(std::unique_ptr<ValueWriter> element, idx_t size) : element_(std::move(element)), size_(size) {}
  void bind(duckdb_vector vector) override {
    ValueWriter::bind(vector);
    element_->bind(duckdb_array_vector_get_child(vector));
  }
  void append_nested(std::string& out, idx_t row) override {
    out += '[';
    for (idx_t i = 0; i < size_; ++i) {
      if (i > 0) out += ',';
      element_->append_nested_or_null(out, row * size_ + i);
    }
    out += ']';
  }

 private:
  std::unique_ptr<ValueWriter> element_;
  idx_t size_;
};

struct Field {
  std::string name;  // a JSON string; `""` in a tuple without names
  std::unique_ptr<ValueWriter> value;
};

class StructWriter final : public NestedWriter {
 public:
  explicit StructWriter(std::vector<Field> fields) : fields_(std::move(fields)) {}
  void bind(duckdb_vector vector) override {
    ValueWriter::bind(vector);
    for (idx_t i = 0; i < fields_.size(); ++i) fields_[i].value->bind(duckdb_struct_vector_get_child(vector, i));
  }
  void append_nested(std::string& out, idx_t row) override {
    const bool tuple = !fields_.empty() && fields_.front().name == "\"\"";
    out += tuple ? '[' : '{';
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (i > 0) out += ',';
      if (!tuple) out.append(fields_[i].name).append(":");
      fields_[i].value->append_nested_or_null(out, row);
    }
    out += tuple ? ']' : '}';
  }

 private:
  std::vector<Field> fields_;
};

// An object whose names are the keys' texts: a key that is no text is named by its JSON.
class MapWriter final : public NestedWriter {
 public:
  MapWriter(std::unique_ptr<ValueWriter> key, std::unique_ptr<ValueWriter> value)
      : key_(std::move(key)), value_(std::move(value)) {}
  void bind(duckdb_vector vector) override {
    ValueWriter::bind(vector);
    duckdb_vector entries = duckdb_list_vector_get_child(vector);
    key_->bind(duckdb_struct_vector_get_child(entries, 0));
    value_->bind(duckdb_struct_vector_get_child(entries, 1));
  }
  void append_nested(std::string& out, idx_t row) override {
    const auto entry = at<duckdb_list_entry>(row);
    out += '{';
    for (idx_t i = 0; i < entry.length; ++i) {
      if (i > 0) out += ',';
      std::string key;
      key_->append_nested_or_null(key, entry.offset + i);
      if (key.starts_with('"')) out += key;
      else append_json_string(out, key);
      out += ':';
      value_->append_nested_or_null(out, entry.offset + i);
    }
    out += '}';
  }

 private:
  std::unique_ptr<ValueWriter> key_;
  std::unique_ptr<ValueWriter> value_;
};

// The value of the member that the tag names, without the tag.
class UnionWriter final : public NestedWriter {
 public:
  explicit UnionWriter(std::vector<std::unique_ptr<ValueWriter>> members) : members_(std::move(members)) {}
  void bind(duckdb_vector vector) override {
    ValueWriter::bind(vector);
    tags_ = static_cast<std::uint8_t*>(duckdb_vector_get_data(duckdb_struct_vector_get_child(vector, 0)));
    for (idx_t i = 0; i < members_.size(); ++i) members_[i]->bind(duckdb_struct_vector_get_child(vector, i + 1));
  }
  void append_nested(std::string& out, idx_t row) override { members_.at(tags_[row])->append_nested_or_null(out, row); }

 private:
  const std::uint8_t* tags_ = nullptr;
  std::vector<std::unique_ptr<ValueWriter>> members_;
};

// A part of a nested type: of the column's own and of the one that is read, which have the same shape.
using Part = duckdb_logical_type (*)(duckdb_logical_type);

std::unique_ptr<ValueWriter> part_writer(Part part, duckdb_logical_type type, duckdb_logical_type read,
                                         CellNotes& notes) {
  const LogicalType own(part(type)), vector(part(read));
  return make_value_writer(own.get(), vector.get(), notes);
}

std::unique_ptr<ValueWriter> struct_writer(duckdb_logical_type type, duckdb_logical_type read, CellNotes& notes) {
  std::vector<Field> fields;
  for (idx_t i = 0; i < duckdb_struct_type_child_count(read); ++i) {
    const LogicalType own(duckdb_struct_type_child_type(type, i)), vector(duckdb_struct_type_child_type(read, i));
    fields.push_back({json_string(to_valid_utf8(take_text(duckdb_struct_type_child_name(type, i)))),
                      make_value_writer(own.get(), vector.get(), notes)});
  }
  return std::make_unique<StructWriter>(std::move(fields));
}

std::unique_ptr<ValueWriter> union_writer(duckdb_logical_type type, duckdb_logical_type read, CellNotes& notes) {
  std::vector<std::unique_ptr<ValueWriter>> members;
  for (idx_t i = 0; i < duckdb_union_type_member_count(read); ++i) {
    const LogicalType own(duckdb_union_type_member_type(type, i)), vector(duckdb_union_type_member_type(read, i));
    members.push_back(make_value_writer(own.get(), vector.get(), notes));
  }
  return std::make_unique<UnionWriter>(std::move(members));
}

std::unique_ptr<ValueWriter> text_writer(duckdb_logical_type type, duckdb_logical_type read, CellNotes& notes) {
  const auto kind = duckdb_get_type_id(type) == DUCKDB_TYPE_BIGNUM ? TextKind::decimal : TextKind::utf8;
  const bool json_inside = take_text(duckdb_logical_type_get_alias(read)) == "JSON";
  return std::make_unique<TextWriter>(kind, json_inside, notes);
}

}  // namespace

std::unique_ptr<ValueWriter> make_value_writer(duckdb_logical_type type, duckdb_logical_type read, CellNotes& notes) {
  if (static_cast<int>(duckdb_get_type_id(read)) == kVariantType) return make_variant_writer(notes);
  switch (duckdb_get_type_id(read)) {
    case DUCKDB_TYPE_BOOLEAN: return std::make_unique<BooleanWriter>();
    case DUCKDB_TYPE_TINYINT: return std::make_unique<IntegerWriter<std::int8_t>>();
    case DUCKDB_TYPE_SMALLINT: return std::make_unique<IntegerWriter<std::int16_t>>();
    case DUCKDB_TYPE_SQLNULL:  // every row is null
    case DUCKDB_TYPE_INTEGER: return std::make_unique<IntegerWriter<std::int32_t>>();
    case DUCKDB_TYPE_BIGINT: return std::make_unique<IntegerWriter<std::int64_t>>();
    case DUCKDB_TYPE_UTINYINT: return std::make_unique<IntegerWriter<std::uint8_t>>();
    case DUCKDB_TYPE_USMALLINT: return std::make_unique<IntegerWriter<std::uint16_t>>();
    case DUCKDB_TYPE_UINTEGER: return std::make_unique<IntegerWriter<std::uint32_t>>();
    case DUCKDB_TYPE_UBIGINT: return std::make_unique<IntegerWriter<std::uint64_t>>();
    case DUCKDB_TYPE_HUGEINT: return std::make_unique<HugeIntegerWriter>(true);
    case DUCKDB_TYPE_UHUGEINT: return std::make_unique<HugeIntegerWriter>(false);
    case DUCKDB_TYPE_FLOAT: return std::make_unique<FloatWriter<float>>();
    case DUCKDB_TYPE_DOUBLE: return std::make_unique<FloatWriter<double>>();
    case DUCKDB_TYPE_DECIMAL: return std::make_unique<DecimalWriter>(read);
    case DUCKDB_TYPE_VARCHAR: return text_writer(type, read, notes);
    case DUCKDB_TYPE_ENUM: return std::make_unique<EnumWriter>(read);
    case DUCKDB_TYPE_BLOB: return std::make_unique<BlobWriter>();
    case DUCKDB_TYPE_UUID: return quoted<duckdb_hugeint>("uuid", append_uuid);
    case DUCKDB_TYPE_INTERVAL: return quoted<duckdb_interval>("interval", append_interval);
    case DUCKDB_TYPE_DATE: return quoted<duckdb_date>("date", append_date);
    case DUCKDB_TYPE_TIME_TZ: return quoted<duckdb_time_tz>("time", append_time_tz);
    case DUCKDB_TYPE_TIME:
      return quoted<std::int64_t>("time",
                                  [](auto& out, std::int64_t v) { append_time(out, v, TimeUnit::microseconds); });
    case DUCKDB_TYPE_TIME_NS:
      return quoted<std::int64_t>("time",
                                  [](auto& out, std::int64_t v) { append_time(out, v, TimeUnit::nanoseconds); });
    case DUCKDB_TYPE_TIMESTAMP: return timestamp_writer("timestamp", TimeUnit::microseconds, Zone::none);
    case DUCKDB_TYPE_TIMESTAMP_S: return timestamp_writer("timestamp", TimeUnit::seconds, Zone::none);
    case DUCKDB_TYPE_TIMESTAMP_MS: return timestamp_writer("timestamp", TimeUnit::milliseconds, Zone::none);
    case DUCKDB_TYPE_TIMESTAMP_NS: return timestamp_writer("timestamp", TimeUnit::nanoseconds, Zone::none);
    case DUCKDB_TYPE_TIMESTAMP_TZ: return timestamp_writer("timestamptz", TimeUnit::microseconds, Zone::utc);
    case DUCKDB_TYPE_LIST:
      return std::make_unique<ListWriter>(part_writer(duckdb_list_type_child_type, type, read, notes));
    case DUCKDB_TYPE_ARRAY:
      return std::make_unique<ArrayWriter>(part_writer(duckdb_array_type_child_type, type, read, notes),
                                           duckdb_array_type_array_size(read));
    case DUCKDB_TYPE_MAP:
      return std::make_unique<MapWriter>(part_writer(duckdb_map_type_key_type, type, read, notes),
                                         part_writer(duckdb_map_type_value_type, type, read, notes));
    case DUCKDB_TYPE_STRUCT: return struct_writer(type, read, notes);
    case DUCKDB_TYPE_UNION: return union_writer(type, read, notes);
    default:
      // Every other number has been cast to VARCHAR (readable_type_text): a layout is never guessed.
      std::terminate();
  }
}

}  // namespace adit::worker
