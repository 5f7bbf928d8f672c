#include "engine.h"

#include "engine_error.h"

#include <fmt/format.h>

namespace adit::worker {
namespace {

Result<Config> configuration(const worker_protocol::OpenWorkspace& workspace) {
  Config config;
  if (duckdb_create_config(config.out()) != DuckDBSuccess) return internal_error("the engine's configuration failed");
  const std::pair<const char*, std::string> settings[] = {
      {"threads", "1"},
      {"memory_limit", fmt::format("{}B", workspace.memory_bytes)},
      {"temp_directory", workspace.directory + "/spill"},
      {"max_temp_directory_size", fmt::format("{}B", workspace.disk_bytes)},
      {"autoinstall_known_extensions", "false"},
      {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},
      // Errors with position, kind and candidates as fields, not as prose to be searched (engine_error.cpp).
      {"errors_as_json", "true"},
  };
  for (const auto& [name, value] : settings) {
    if (duckdb_set_config(config.get(), name, value.c_str()) != DuckDBSuccess) {
      return internal_error(fmt::format("the engine does not know the setting {}", name));
    }
  }
  return config;
}

std::string scratch_file_of(const worker_protocol::OpenWorkspace& workspace) {
  return workspace.directory + "/accepted-lines";
}

std::string export_file_of(const worker_protocol::OpenWorkspace& workspace) { return workspace.directory + "/export"; }

// What the running engine allows is narrowed to the handed files, then nothing can be changed any more.
std::vector<std::string> locking_statements(const worker_protocol::OpenWorkspace& workspace) {
  auto paths = quoted_literal(scratch_file_of(workspace)) + ", " + quoted_literal(export_file_of(workspace));
  for (const auto& file : workspace.files) paths += ", " + quoted_literal(file);
  const auto directory = quoted_literal(workspace.directory);
  return {
      fmt::format("SET threads = {}", workspace.threads),
      "SET home_directory = " + directory,
      "SET secret_directory = " + directory,
      "SET extension_directory = " + directory,
      "SET enable_progress_bar = true",
      "SET enable_progress_bar_print = false",
      "SET progress_bar_time = 0",
      "SET TimeZone = 'UTC'",
      // Rows that no page shows are not computed ahead: one that fails would fail the page.
      "SET streaming_buffer_size = '1KB'",
      // Footers of Parquet files are kept while the file's time and size stay the same.
      "SET parquet_metadata_cache = true",
      fmt::format("SET allowed_paths = [{}]", paths),
      "SET enable_external_access = false",
      "SET lock_configuration = true",
  };
}

}  // namespace

std::string quoted_identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string quoted_literal(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c;
  }
  return quoted + '\'';
}

std::string in_parentheses(const std::string& text) { return "(\n" + text + "\n)"; }

Result<std::unique_ptr<Engine>> Engine::open(const worker_protocol::OpenWorkspace& workspace,
                                             const std::function<Result<void>()>& confine) {
  ADIT_TRY(auto config, configuration(workspace));
  std::unique_ptr<Engine> engine(new Engine);
  engine->directory_ = workspace.directory;
  engine->handed_files_ = workspace.files;
  engine->scratch_file_ = scratch_file_of(workspace);
  engine->export_file_ = export_file_of(workspace);
  const std::string file = workspace.directory + "/main.duckdb";
  char* message = nullptr;
  if (duckdb_open_ext(file.c_str(), engine->database_.out(), config.get(), &message) != DuckDBSuccess) {
    return internal_error(fmt::format("the workspace's file cannot be opened: {}", take_text(message)));
  }
  if (duckdb_connect(engine->database_.get(), engine->connection_.out()) != DuckDBSuccess ||
      duckdb_connect(engine->database_.get(), engine->beside_.out()) != DuckDBSuccess) {
    return internal_error("the engine gives no connection");
  }
  ADIT_CHECK(confine());
  for (const auto& statement : locking_statements(workspace)) ADIT_CHECK(engine->execute(statement));
  ADIT_TRY(engine->parse_tree_, engine->prepare("SELECT json_serialize_sql(?::VARCHAR)"));
  return engine;
}

Result<void> Engine::execute(const std::string& sql) {
  QueryResult result;
  if (duckdb_query(connection_.get(), sql.c_str(), result.get()) != DuckDBSuccess) {
    return engine_error(duckdb_result_error(result.get()), duckdb_result_error_type(result.get()), "execute");
  }
  return {};
}

Result<std::vector<std::vector<std::string>>> Engine::rows_as_text(const std::string& sql) {
  return rows_as_text(connection_, sql);
}

Result<std::vector<std::vector<std::string>>> Engine::rows_beside_transaction(const std::string& sql) {
  return rows_as_text(beside_, sql);
}

Result<std::vector<std::vector<std::string>>> Engine::rows_as_text(Connection& connection, const std::string& sql) {
  ADIT_TRY(auto statement, prepare(connection, sql));
  ADIT_TRY(auto result, stream(statement));
  std::vector<std::vector<std::string>> rows;
  for (;;) {
    ADIT_TRY(auto chunk, next_chunk(result));
    if (!chunk) return rows;
    const idx_t columns = duckdb_data_chunk_get_column_count(chunk.get());
    const idx_t count = duckdb_data_chunk_get_size(chunk.get());
    for (idx_t row = 0; row < count; ++row) {
      auto& texts = rows.emplace_back();
      for (idx_t column = 0; column < columns; ++column) {
        duckdb_vector vector = duckdb_data_chunk_get_vector(chunk.get(), column);
        uint64_t* validity = duckdb_vector_get_validity(vector);
        const bool null = validity != nullptr && !duckdb_validity_row_is_valid(validity, row);
        const auto* data = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vector));
        texts.emplace_back(null ? std::string_view() : text_view(data[row]));
      }
    }
  }
}

Result<std::int64_t> Engine::rows_of_statement(const std::string& sql) {
  QueryResult result;
  if (duckdb_query(connection_.get(), sql.c_str(), result.get()) != DuckDBSuccess) {
    return engine_error(duckdb_result_error(result.get()), duckdb_result_error_type(result.get()), "execute");
  }
  ADIT_TRY(const auto chunk, next_chunk(result));
  if (!chunk) return std::int64_t{0};
  return static_cast<std::int64_t*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk.get(), 0)))[0];
}

Result<PreparedStatement> Engine::prepare(const std::string& sql) { return prepare(connection_, sql); }

Result<PreparedStatement> Engine::prepare(Connection& connection, const std::string& sql) {
  PreparedStatement statement;
  if (duckdb_prepare(connection.get(), sql.c_str(), statement.out()) != DuckDBSuccess) {
    return engine_error(duckdb_prepare_error(statement.get()), DUCKDB_ERROR_INVALID, "bind");
  }
  return statement;
}

Result<QueryResult> Engine::stream(const PreparedStatement& statement) {
  PendingResult pending;
  if (duckdb_pending_prepared_streaming(statement.get(), pending.out()) != DuckDBSuccess) {
    return engine_error(duckdb_pending_error(pending.get()), DUCKDB_ERROR_INVALID, "execute");
  }
  QueryResult result;
  if (duckdb_execute_pending(pending.get(), result.get()) != DuckDBSuccess) {
    return engine_error(duckdb_result_error(result.get()), duckdb_result_error_type(result.get()), "execute");
  }
  return result;
}

Result<DataChunk> Engine::next_chunk(QueryResult& result) {
  DataChunk chunk(duckdb_fetch_chunk(*result.get()));
  if (!chunk) {
    if (const char* message = duckdb_result_error(result.get()); message != nullptr && *message != '\0') {
      return engine_error(message, duckdb_result_error_type(result.get()), "execute");
    }
  }
  return chunk;
}

Result<std::string> Engine::parse_tree(std::string_view sql) {
  duckdb_clear_bindings(parse_tree_.get());
  if (duckdb_bind_varchar_length(parse_tree_.get(), 1, sql.data(), sql.size()) != DuckDBSuccess) {
    return internal_error("the statement's text cannot be handed to the parser");
  }
  ADIT_TRY(auto result, stream(parse_tree_));
  ADIT_TRY(auto chunk, next_chunk(result));
  if (!chunk) return internal_error("the parser gave no answer");
  const auto* text =
      static_cast<duckdb_string_t*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk.get(), 0)));
  return std::string(text_view(text[0]));
}

void Engine::interrupt() {
  duckdb_interrupt(connection_.get());
  duckdb_interrupt(beside_.get());
}

double Engine::progress_percent() { return duckdb_query_progress(connection_.get()).percentage; }

}  // namespace adit::worker
