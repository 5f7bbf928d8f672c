# The pinned DuckDB: the library and its C header as scripts/setup.sh fetched them, or -DDUCKDB_ROOT=DIR with
# lib/libduckdb.so and include/duckdb.h (the official release's files, for example).
if(DEFINED ENV{XDG_CACHE_HOME})
  set(adit_cache $ENV{XDG_CACHE_HOME})
else()
  set(adit_cache $ENV{HOME}/.cache)
endif()
if(DEFINED ENV{ADIT_DOWNLOADS})
  set(ADIT_DOWNLOADS $ENV{ADIT_DOWNLOADS})
else()
  set(ADIT_DOWNLOADS ${adit_cache}/adit-build)
endif()
if(DEFINED ENV{DUCKDB_ROOT})
  set(DUCKDB_ROOT $ENV{DUCKDB_ROOT} CACHE PATH "folder with lib/libduckdb.so and include/duckdb.h")
else()
  set(DUCKDB_ROOT ${ADIT_DOWNLOADS}/duckdb-1.5.6 CACHE PATH "folder with lib/libduckdb.so and include/duckdb.h")
endif()

if(NOT EXISTS ${DUCKDB_ROOT}/lib/libduckdb.so OR NOT EXISTS ${DUCKDB_ROOT}/include/duckdb.h)
  message(FATAL_ERROR "DuckDB not found in ${DUCKDB_ROOT}: run scripts/setup.sh, or set DUCKDB_ROOT")
endif()

add_library(duckdb SHARED IMPORTED)
set_target_properties(duckdb PROPERTIES
  IMPORTED_LOCATION ${DUCKDB_ROOT}/lib/libduckdb.so
  IMPORTED_NO_SONAME ON
  INTERFACE_INCLUDE_DIRECTORIES ${DUCKDB_ROOT}/include)

# The programs look beside themselves ($ORIGIN/../lib), so the build tree is laid out as an installation is.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
file(COPY_FILE ${DUCKDB_ROOT}/lib/libduckdb.so ${CMAKE_BINARY_DIR}/lib/libduckdb.so ONLY_IF_DIFFERENT)
