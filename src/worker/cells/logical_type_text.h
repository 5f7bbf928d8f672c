// The engine's text of a logical type: DECIMAL(18,3), STRUCT(a INTEGER, "b c" VARCHAR)[], ENUM('x', 'y').
#pragma once

#include "duckdb_handle.h"

#include <string>

namespace adit::worker {

std::string logical_type_text(duckdb_logical_type type);

// The type, or a part of it, has a number that is not known here.
bool has_unknown_part(duckdb_logical_type type);

// The type to cast a column to before its cells are read, or "" when they are read as they are: types without a
// documented layout in the C API become texts, at any depth (GEOMETRY its WKT).
std::string readable_type_text(duckdb_logical_type type);

}  // namespace adit::worker
